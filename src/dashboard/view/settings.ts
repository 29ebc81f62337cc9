/** The words of the settings: what is used, kept and signed in. */

import { span } from './durations.ts';

const count = (number: number): string => number.toLocaleString('en');

/** How much of something is used: `1,042 jobs, no limit`, `23 of 100 jobs`. */
export function usage(used: number, limit: number | null, what: string): string {
  return limit === null
    ? `${count(used)} ${what}, no limit`
    : `${count(used)} of ${count(limit)} ${what}`;
}

/** The used part in percent, 100 at most. */
export function usedPart(used: number, limit: number): number {
  return limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size: `512 bytes`, `4.2 MB`, `21 GB`. */
export function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const rounded = unit > 0 && value < 9.95 ? value.toFixed(1) : String(Math.round(value));
  return `${rounded} ${bytes === 1 ? 'byte' : units[unit]}`;
}

/** What the lateness of runs is. */
export interface Late {
  p50Ms: number | null;
  p99Ms: number | null;
  maxMs: number | null;
}

/** How late runs began, in a sentence. */
export function lateness({ p50Ms, p99Ms, maxMs }: Late): string {
  if (p50Ms === null || p99Ms === null || maxMs === null) return 'No run ended in the last hour.';
  return `In the last hour, half of the runs began within ${late(p50Ms)} of their due time, 99 of 100 within ${late(p99Ms)}; the latest was ${late(maxMs)} late.`;
}

function late(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : ms < 9_950 ? `${Math.round(ms / 100) / 10} s` : span(ms);
}

/** What a key is good for now. */
export type KeyState = 'valid' | 'expired' | 'revoked';

/** Whether a key still works. */
export function keyState(
  { expiresAt, revokedAt }: { expiresAt: string | null; revokedAt: string | null },
  nowMs: number,
): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? 'expired' : 'valid';
}

/** When a key that was made now expires: in this number of days; never with 0. */
export function expiryIn(days: number, nowMs: number): string | null {
  return days === 0 ? null : new Date(nowMs + days * 86_400_000).toISOString();
}

/** What a session may do, after `This session may`. */
export function rights({ permission, isOwner }: { permission: string; isOwner: boolean }): string {
  if (permission === 'read') return 'only read in this workspace';
  return `read and change everything in this workspace${isOwner ? ', and manage its keys and sessions' : ''}`;
}

/** Whether history is kept as long as plans say. */
export interface Space {
  shortOf: readonly ('limit' | 'disk')[];
  isExhausted: boolean;
  limitBytes: number | null;
  removedResults: number;
  removedPings: number;
  lastRemovedAt: string | null;
}

const shortages = {
  limit: 'the database nears its limit',
  disk: 'the disk is nearly full',
} as const;

/** What the last check of the ledger found, in words. */
export function ledger(last: { dueTimes: number; wrong: number } | null): string {
  if (last === null) return 'not checked yet';
  if (last.wrong > 0)
    return `${count(last.wrong)} due times are not accounted for: jobd ledger check`;
  return `${count(last.dueTimes)} due times accounted for`;
}

/** What became of history, in a sentence. */
export function history({
  shortOf,
  isExhausted,
  removedResults,
  removedPings,
  ...space
}: Space): string {
  const limit =
    space.limitBytes === null ? '' : `; limit of the database: ${size(space.limitBytes)}`;
  const gone = `${count(removedResults)} results and ${count(removedPings)} pings removed early`;
  const after = space.lastRemovedAt === null ? '' : `, ${gone} so far`;
  if (shortOf.length > 0) {
    const why = shortOf.map((cause) => shortages[cause]).join(' and ');
    const what = isExhausted
      ? 'nothing is left to remove: free space'
      : 'the oldest is removed early';
    return `${why}, ${what}${after}${limit}`;
  }
  return `kept as long as plans say${space.lastRemovedAt === null ? '' : ` now; ${gone} so far`}${limit}`;
}
