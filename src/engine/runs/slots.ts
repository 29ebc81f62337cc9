/**
 * Slots: how many calls may be in flight, in all, to one host, and of one workspace. A workspace that has its share of all slots, or
 * of those of a host, as large as if one more came, leaves the last ones to others, and of the very last ones each leaves as many as
 * it has: others find some, however long calls take (docs/decisions/0018-http-connections.md#slots).
 */

import { tally } from '../../domain/tally.ts';
import { everywhere, type ClaimBounds } from '../../store/runs/claims.ts';
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

/** Makes slots. `inUse` counts the taken ones by place: a host, or `everywhere`. */
export function createSlots(
  limit: number,
  limitPerHost: number,
  inUse: ReadonlyMap<string, Use> = new Map(),
): Slots {
  const uses = new Map(inUse.entries().map(([place, use]) => [place, copyOf(use)]));
  let allReleased = Promise.withResolvers<void>();
  const takenAt = (place: string): number => uses.get(place)?.taken ?? 0;
  const limitAt = (place: string): number => (place === everywhere ? limit : limitPerHost);
  const isFull = (place: string): boolean => takenAt(place) >= limitAt(place);
  const hasShare = (place: string, id: string): boolean =>
    hasEnough(uses.get(place) ?? copyOf(), limitAt(place), id);
  const count = ({ host, workspaceId, workspace }: Taker, change: 1 | -1): void => {
    for (const place of [everywhere, host]) {
      const use = uses.get(place) ?? copyOf();
      use.taken += change;
      if (workspace !== null) tally(use.workspaces, workspaceId, change);
      if (use.taken === 0) uses.delete(place);
      else uses.set(place, use);
    }
  };

  const slots: Slots = {
    get free() {
      return limit - takenAt(everywhere);
    },
    get isShort() {
      return slots.free <= 0 || Object.values(slots.full()).some(({ length }) => length > 0);
    },
    full: () => ({
      exceptHosts: [...uses.keys()].filter((place) => place !== everywhere && isFull(place)),
      exceptShares: [...uses].flatMap(([place, { workspaces }]) =>
        [...workspaces.keys()].flatMap((id) => (hasShare(place, id) ? `${place} ${id}` : [])),
      ),
    }),
    areFull: ({ exceptHosts, exceptShares }) =>
      exceptHosts.every(isFull) &&
      exceptShares.every((share) => hasShare(...(share.split(' ') as [string, string]))),
    take(taker) {
      const places = [everywhere, taker.host];
      if (places.some((place) => isFull(place) || hasShare(place, taker.workspaceId))) return false;
      count(taker, 1);
      return true;
    },
    hold: (taker) => count(taker, 1),
    release(taker) {
      count(taker, -1);
      if (takenAt(everywhere) > 0) return;
      allReleased.resolve();
      allReleased = Promise.withResolvers();
    },
    copy: () => createSlots(limit, limitPerHost, uses),
    async allReleased() {
      if (takenAt(everywhere) > 0) await allReleased.promise;
    },
  };
  return slots;
}

function copyOf({ taken, workspaces }: Partial<Use> = {}): Use {
  return { taken: taken ?? 0, workspaces: new Map(workspaces) };
}

/** Whether a workspace leaves what is free of `limit` slots to others. */
function hasEnough({ taken, workspaces }: Use, limit: number, id: string): boolean {
  const [free, its] = [limit - taken, workspaces.get(id) ?? 0];
  const hasShare = its >= limit / (workspaces.size + 1);
  return (
    (hasShare && free <= Math.ceil(limit * lastPart)) ||
    (its >= free && free <= limit * veryLastPart)
  );
}
