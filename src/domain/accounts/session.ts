/** Sessions (docs/behavior.md#sign-in): what a browser has instead of a key. Each acts in one workspace at a time. */

import { msPerDay } from '../clock.ts';
import type { Permission } from './key.ts';

/** A session as it is kept, besides the SHA-256 of its secret. Times are epoch milliseconds. */
export interface Session {
  id: string;
  workspaceId: string;
  /** A label for people: the name of its key, or of the command that let it in. */
  name: string;
  permission: Permission;
  /** Whether it came from the data directory (`jobd open`): it may manage keys and sessions. */
  isOwner: boolean;
  /** The key it was started with; null if it was started with a code. */
  keyId: string | null;
  createdAt: number;
  /** When it was last used, to the minute. */
  lastSeenAt: number;
  /** When it ends at the latest. */
  expiresAt: number;
}

interface Term {
  /** It ends when it is not used for this long. */
  unusedMs: number;
  /** It ends this long after its start. */
  lifeMs: number;
}

/** How long sessions last (docs/behavior.md#session-3). */
export const sessionTerms = {
  usual: { unusedMs: 7 * msPerDay, lifeMs: 30 * msPerDay },
  owner: { unusedMs: msPerDay, lifeMs: 7 * msPerDay },
} as const satisfies Record<string, Term>;

/** How long such a session lasts. */
export function termOf({ isOwner }: Pick<Session, 'isOwner'>): Term {
  return isOwner ? sessionTerms.owner : sessionTerms.usual;
}

/** Whether a session is over at `now`. */
export function hasEnded(
  session: Pick<Session, 'isOwner' | 'lastSeenAt' | 'expiresAt'>,
  now: number,
): boolean {
  return session.expiresAt <= now || session.lastSeenAt + termOf(session).unusedMs <= now;
}

/** Most sessions of one key, and of codes of one workspace. One more ends the one that was not used for longest. */
export const sessionsPerKey = 100;

/** How long a code may be valid. */
export const longestCodeMs = msPerDay;

/** The form of a session's secret: 256 random bits. */
export const sessionPattern = /^[0-9a-f]{64}$/;
/** The form of a code that signs in once: 128 random bits. */
export const codePattern = /^[0-9a-f]{32}$/;
