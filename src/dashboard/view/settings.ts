/** The words of the settings: what is used, kept and signed in. */

import { sizeText } from '../../domain/sizes.ts';
import { duration, figures } from './figures.ts';

/** How much of something is used: `1,042 jobs, no limit`, `23 of 100 jobs`. */
export function usage(used: number, limit: number | null, what: string): string {
  return limit === null
    ? `${figures(used)} ${what}, no limit`
    : `${figures(used)} of ${figures(limit)} ${what}`;
}

export interface Late {
  p50Ms: number | null;
  p99Ms: number | null;
  maxMs: number | null;
}

/** How late runs began, in a sentence. */
export function lateness({ p50Ms, p99Ms, maxMs }: Late): string {
  if (p50Ms === null || p99Ms === null || maxMs === null)
    return 'No run has ended since jobd was started, or in the last hour.';
  return `In the last hour, or since jobd was started, half of the runs began within ${duration(p50Ms)} of their due time, 99 of 100 within ${duration(p99Ms)}; the latest was ${duration(maxMs)} late.`;
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

/** What space the database takes, and what is left. */
export function taken(bytes: number, limitBytes: number | null, freeBytes: number | null): string {
  const limit = limitBytes === null ? '' : ` of at most ${sizeText(limitBytes)}`;
  const free = freeBytes === null ? '' : `, ${sizeText(freeBytes)} free on its disk`;
  return `${sizeText(bytes)}${limit}${free}`;
}
