/** Values that are compared with hidden ones (docs/behavior.md#limit-4). */

/** A hidden value, and what a definition has for it. */
export interface Guess {
  kept: string;
  given: string;
}

/** Counts guesses before anybody learns whether they are right. Throws `rate_limited`. */
export type CountGuesses = (guesses: readonly Guess[]) => void;
