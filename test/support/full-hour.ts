/** For jobs on a real clock: those without a schedule are due at each full hour, which comes in the middle of some test every hour. */

import { setTimeout } from 'node:timers/promises';

const hourMs = 3_600_000;
/** Longer than nearly all tests last. */
const farMs = 60_000;

/** Waits until the next full hour is a minute away, so that no job becomes due in a test that only makes it. */
export async function untilFullHourIsFar(): Promise<void> {
  const leftMs = hourMs - (Date.now() % hourMs);
  if (leftMs < farMs) await setTimeout(leftMs);
}

/** For a test that lasts longer: due once a day, at a full hour (UTC), half a day from now. */
export const farDaily = `0 ${(new Date().getUTCHours() + 12) % 24} * * *`;
