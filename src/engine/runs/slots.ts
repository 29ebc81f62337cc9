/**
 * Slots: how many calls may be in flight, in all, to one host, and of one workspace. A workspace that has its share of all slots, or
 * of those of a host, as large as if one more came, leaves the last ones to others, and of the very last ones each leaves as many as
 * it has: others find some, however long calls take (docs/decisions/0018-http-connections.md#slots).
 */

import { tally } from '../../domain/tally.ts';
import { allHosts, type ClaimBounds } from '../../store/runs/claims.ts';
import type { Execution } from './execution.ts';

/** Who takes a slot. A workspace without a name is the only one, and is not counted. */
export type Taker = Pick<Execution, 'host' | 'workspaceId' | 'workspace'>;

/** Who gets no slot now: a search leaves them out. */
export type Full = Required<Pick<ClaimBounds, 'exceptHosts' | 'exceptShares'>>;

export interface Slots {
  /** Free slots; negative while runs of a failed commit hold slots as well. */
  readonly free: number;
  /** Whether somebody gets no slot. */
  readonly isShort: boolean;
  /** Whether somebody gets none, to whatever host. */
  readonly isUsedUp: boolean;
  full(): Full;
  /** Whether all of these are full still. */
  areFull(those: Full): boolean;
  /** Takes a slot; false if none is free for it. */
  take(taker: Taker): boolean;
  /** Takes a slot even if none is free. */
  hold(taker: Taker): void;
  /** Gives back a slot of this taker. */
  release(taker: Taker): void;
  /** A copy to plan with: what is taken there is not taken here. */
  copy(): Slots;
  /** Resolves when no slot is taken. */
  allReleased(): Promise<void>;
}

/** The part of the slots that is left to workspaces with less than their share, and the part that is left to those with less than is free. */
const lastPart = 1 / 8;
const veryLastPart = lastPart / 2;

/** The slots in use of a place, and by workspaces. */
interface Use {
  taken: number;
  workspaces: Map<string, number>;
}

/** Counts slots in use by place: a host, or `allHosts`. */
function createUses(limitOf: (place: string) => number, inUse: ReadonlyMap<string, Use>) {
  const uses = new Map(
    inUse.entries().map(([place, use]) => [place, { ...use, workspaces: new Map(use.workspaces) }]),
  );
  const useOf = (place: string): Use => uses.get(place) ?? { taken: 0, workspaces: new Map() };
  const freeOf = (place: string): number => limitOf(place) - useOf(place).taken;
  /** Whether a workspace leaves to others what is free of a place. */
  const hasEnough = (place: string, id: string): boolean => {
    const { workspaces } = useOf(place);
    const [all, free, its] = [limitOf(place), freeOf(place), workspaces.get(id) ?? 0];
    if (its >= free && free <= all * veryLastPart) return true;
    return its >= all / (workspaces.size + 1) && free <= Math.ceil(all * lastPart);
  };
  const thatHaveEnough = (place: string): string[] =>
    [...useOf(place).workspaces.keys()].filter((id) => hasEnough(place, id));
  const count = ({ host, workspaceId, workspace }: Taker, change: 1 | -1): void => {
    for (const place of [allHosts, host]) {
      const use = useOf(place);
      use.taken += change;
      if (workspace !== null) tally(use.workspaces, workspaceId, change);
      if (use.taken === 0) uses.delete(place);
      else uses.set(place, use);
    }
  };
  return { uses, freeOf, hasEnough, thatHaveEnough, count };
}

/** Makes slots. `inUse` counts the taken ones. */
export function createSlots(
  limit: number,
  limitPerHost: number,
  inUse: ReadonlyMap<string, Use> = new Map(),
): Slots {
  const limitOf = (place: string): number => (place === allHosts ? limit : limitPerHost);
  const { uses, freeOf, hasEnough, thatHaveEnough, count } = createUses(limitOf, inUse);
  const isFull = (place: string): boolean => freeOf(place) <= 0;
  let allReleased = Promise.withResolvers<void>();

  const slots: Slots = {
    get free() {
      return freeOf(allHosts);
    },
    get isShort() {
      return slots.free <= 0 || Object.values(slots.full()).some(({ length }) => length > 0);
    },
    get isUsedUp() {
      return slots.free <= 0 || thatHaveEnough(allHosts).length > 0;
    },
    full: () => ({
      exceptHosts: [...uses.keys()].filter((place) => place !== allHosts && isFull(place)),
      exceptShares: [...uses.keys()].flatMap((of) => thatHaveEnough(of).map((id) => `${of} ${id}`)),
    }),
    areFull: ({ exceptHosts, exceptShares }) =>
      exceptHosts.every(isFull) &&
      exceptShares.every((share) => hasEnough(...(share.split(' ') as [string, string]))),
    take(taker) {
      const { host, workspaceId: id } = taker;
      if ([allHosts, host].some((place) => isFull(place) || hasEnough(place, id))) return false;
      count(taker, 1);
      return true;
    },
    hold: (taker) => count(taker, 1),
    release(taker) {
      count(taker, -1);
      if (slots.free < limit) return;
      allReleased.resolve();
      allReleased = Promise.withResolvers();
    },
    copy: () => createSlots(limit, limitPerHost, uses),
    async allReleased() {
      if (slots.free < limit) await allReleased.promise;
    },
  };
  return slots;
}
