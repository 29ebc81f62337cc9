/**
 * How many values the clients of a workspace may compare with hidden ones (docs/behavior.md#limit-4). A dry run says which hidden
 * values differ, and so whether a guess is right: without a limit, thousands a minute.
 */

import { hash } from 'node:crypto';
import type { Guess } from '../../../domain/guess.ts';

/** At most `most` different guesses of a workspace in a window; of so many workspaces, those that asked last. */
interface GuessRule {
  most: number;
  windowMs: number;
  workspaces: number;
}

export interface GuessLimit {
  /**
   * Counts wrong guesses at `now`, in monotonic milliseconds; the same value for the same hidden one counts once. Returns whether
   * anybody may learn which ones are right: beyond the limit not even that of right ones.
   */
  admits(workspaceId: string, guesses: readonly Guess[], now: number): boolean;
}

/** Creates it. A workspace at its limit takes some 100 KB. */
export function createGuessLimit({ most, windowMs, workspaces }: GuessRule): GuessLimit {
  /** The workspace that guessed longest ago is the first. */
  const known = new Map<string, { since: number; guesses: Set<number> }>();
  return {
    admits(workspaceId, guesses, now) {
      const before = known.get(workspaceId);
      const isOver = before === undefined || now - before.since >= windowMs;
      const window = isOver ? { since: now, guesses: new Set<number>() } : before;
      const isWrong = guesses.some(({ kept, given }) => kept !== given);
      // Who guesses nothing wrong pushes nobody out.
      if (isWrong) {
        known.delete(workspaceId);
        known.set(workspaceId, window);
        if (known.size > workspaces) known.delete(known.keys().next().value ?? '');
      }
      for (const guess of guesses) {
        if (window.guesses.size >= most) return false;
        if (guess.kept !== guess.given) window.guesses.add(printOf(guess));
      }
      return true;
    },
  };
}

/** 48 bits: a number that a set keeps in few bytes. */
function printOf({ kept, given }: Guess): number {
  return hash('sha256', JSON.stringify([kept, given]), 'buffer').readUIntBE(0, 6);
}
