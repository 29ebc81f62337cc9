/**
 * Slots: how many calls may be in flight, in all, to one host, and of one workspace. A workspace that has its share of them, as
 * large as if one more came, leaves the last slots to others, and of the very last ones each leaves as many as it has: others find
 * some, however long calls take (docs/decisions/0018-http-connections.md#slots).
 */

import { tally } from '../../domain/tally.ts';
import type { ClaimBounds } from '../../store/runs/claims.ts';
import type { Execution } from './execution.ts';

/** Who takes a slot. A workspace without a name is the only one, and is not counted. */
export type Taker = Pick<Execution, 'host' | 'workspaceId' | 'workspace'>;

/** Who gets no slot now: a search leaves them out. */
export type Full = Required<Pick<ClaimBounds, 'exceptHosts' | 'exceptWorkspaces'>>;

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

/** Makes slots. `inUse` counts the taken ones. */
export function createSlots(
  limit: number,
  limitPerHost: number,
  inUse = { hosts: new Map<string, number>(), workspaces: new Map<string, number>() },
): Slots {
  const hosts = new Map(inUse.hosts);
  const workspaces = new Map(inUse.workspaces);
  let taken = hosts.values().reduce((sum, count) => sum + count, 0);
  let allReleased = Promise.withResolvers<void>();
  const isFullHost = (host: string): boolean => (hosts.get(host) ?? 0) >= limitPerHost;
  const isFullWorkspace = (id: string): boolean => {
    const [free, its] = [limit - taken, workspaces.get(id) ?? 0];
    const hasShare = its >= limit / (workspaces.size + 1);
    return (
      (hasShare && free <= Math.ceil(limit * lastPart)) ||
      (its >= free && free <= limit * veryLastPart)
    );
  };
  const count = ({ host, workspaceId, workspace }: Taker, change: 1 | -1): void => {
    taken += change;
    tally(hosts, host, change);
    if (workspace !== null) tally(workspaces, workspaceId, change);
  };

  const slots: Slots = {
    get free() {
      return limit - taken;
    },
    get isShort() {
      return slots.free <= 0 || Object.values(slots.full()).some(({ length }) => length > 0);
    },
    full: () => ({
      exceptHosts: hosts.keys().filter(isFullHost).toArray(),
      exceptWorkspaces: workspaces.keys().filter(isFullWorkspace).toArray(),
    }),
    areFull: ({ exceptHosts, exceptWorkspaces }) =>
      exceptHosts.every(isFullHost) && exceptWorkspaces.every(isFullWorkspace),
    take(taker) {
      if (taken >= limit || isFullHost(taker.host) || isFullWorkspace(taker.workspaceId))
        return false;
      count(taker, 1);
      return true;
    },
    hold: (taker) => count(taker, 1),
    release(taker) {
      count(taker, -1);
      if (taken > 0) return;
      allReleased.resolve();
      allReleased = Promise.withResolvers();
    },
    copy: () => createSlots(limit, limitPerHost, { hosts, workspaces }),
    async allReleased() {
      if (taken > 0) await allReleased.promise;
    },
  };
  return slots;
}
