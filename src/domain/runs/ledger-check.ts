/** The daily check of the ledger of all jobs. */

/** What a check found. Times are epoch milliseconds. */
export interface LedgerCheck {
  checkedAt: number;
  /** Due times after it, up to the check. */
  after: number;
  jobs: number;
  called: number;
  missed: number;
  explained: number;
  unaccounted: number;
  unexpected: number;
  /** The first that was wrong, in words; null if nothing was. */
  example: string | null;
}

/** Whether every due time was accounted for, and every run was due. */
export function isWhole({ unaccounted, unexpected }: LedgerCheck): boolean {
  return unaccounted + unexpected === 0;
}
