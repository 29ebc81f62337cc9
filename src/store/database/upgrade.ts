/** How a store of an earlier version is brought up to date. */

/** What only `jobd serve` gives: it alone changes the tables of a store in use. */
export interface StoreUpgrade {
  /** The version of this jobd, for the name of the copy. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether a copy of a file is kept before that. */
  readonly keepsCopy: boolean;
  /** Called before the first change: with the path of the copy that was made; null without one, as on a server. */
  readonly onBegin: (kept: string | null) => void;
}
