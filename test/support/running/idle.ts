/** Changes of a job that wait for the end of its run. */

import type { FakeClock } from '../fakes/clock.ts';
import { until } from '../until.ts';

/** They look again within this, and give up after the other. */
const lookAgainMs = 250;
const longestWaitMs = 5_000;

/** Resolves when so many changes wait. */
export async function changesWait(clock: FakeClock, count: number): Promise<void> {
  const waiting = (): number => clock.leftMs().filter((ms) => ms <= lookAgainMs).length;
  await until(`${count} waiting changes`, () => waiting() >= count);
}

/** Lets time pass until so many changes that wait give up. */
export async function passTheirWait(clock: FakeClock, count: number): Promise<void> {
  await changesWait(clock, count);
  clock.pass(longestWaitMs);
}
