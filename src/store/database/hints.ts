/** How processes that share a database tell each other that there is something to look for. */

import type { Hint } from '../../domain/hints.ts';

/** Hints to the other processes. They may be lost, so nothing depends on them. */
export interface Hints {
  /** Whether another process may hear. Nobody needs to tell otherwise. */
  readonly isHeard: boolean;
  /** Tells the others, soon. To be called after the commit. */
  tell(hint: Partial<Hint>): void;
  /** Begins to hear what the others tell, until it is disposed of. To be called once. */
  listen(hear: (hint: Hint) => void): Hearing;
}

/** A process that gets hints of the others. */
export interface Hearing extends AsyncDisposable {
  /** Notes whether there are others that serve the database: who is alone need not tell anything. */
  noteOthers(areThere: boolean): void;
  /** Whether it has not been connected yet, and nothing says that it cannot be. */
  readonly isBeginning: boolean;
  /** Sends a hint to this process itself. Resolves within a second: null if it arrived, else why not, in a clause. */
  check(): Promise<string | null>;
}

/** Where one process serves a database, and commands are not heard. */
export const noHints: Hints = {
  isHeard: false,
  tell() {},
  listen: () => ({
    noteOthers() {},
    isBeginning: false,
    check: async () => null,
    [Symbol.asyncDispose]: async () => {},
  }),
};
