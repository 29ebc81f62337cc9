/** How many of the outcomes of a job were successes. */

/** What a rate is made of. Missed are due times. */
export interface Outcomes {
  success: number;
  failed: number;
  interrupted: number;
  missed: number;
}

/** Successes of all outcomes, from 0 to 1 in steps of 0.0001; rounded down, so that 1 means all. Null without any outcome. */
export function rateOf({ success, failed, interrupted, missed }: Outcomes): number | null {
  const all = success + failed + interrupted + missed;
  return all === 0 ? null : Math.floor((success * 10_000) / all) / 10_000;
}

/** The rate as `99.53 %`. */
export function rateText(outcomes: Outcomes): string | null {
  const rate = rateOf(outcomes);
  return rate === null ? null : `${(rate * 100).toFixed(2)} %`;
}
