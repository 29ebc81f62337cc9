/** A small, plausible mistake in the code, and the tests that notice it. */
export interface Mutant {
  /** What it breaks, in words. */
  breaks: string;
  /** In `src`. */
  file: string;
  /** Occurs once in the file. */
  text: string;
  /** What is there instead. */
  becomes: string;
  /** In `test`: one of them fails. */
  tests: readonly string[];
  /** Why no test can, or need, notice it. */
  accepted?: string;
}
