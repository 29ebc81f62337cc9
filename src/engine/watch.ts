/**
 * Watch: monitors whose ping did not come in time are down. What is looked at is what could be overdue
 * (`next_check_at`), however many monitors there are. Nobody can ping a jobd that does not run or a machine
 * that sleeps: a ping that was due then has its grace from when it could come in again.
 */

import type { Clock } from '../domain/clock.ts';
import { flipOf, monitorAfter } from '../domain/monitor.ts';
import type { Flip } from '../domain/monitor.ts';
import type { Log } from '../log.ts';
import {
  findEarliestCheck,
  findMonitorsToCheck,
  keepMonitorChanges,
} from '../store/monitor-states.ts';
import type { Db, Store } from '../store/open.ts';
import { watchClock } from './clock-watch.ts';

/** Monitors looked at in one transaction: some milliseconds. */
const largestBatch = 200;
/** A wall clock that is so far ahead of where it was went there without us: it was set, or we slept. */
const shortestAbsenceMs = 60_000;

/** Makes what looks: a step for `startLoop`. Pings can come in from now on. */
export function createWatch(store: Store, clock: Clock, log: Log): () => Promise<number> {
  const lookAtClock = watchClock(clock);
  let reachableSince = clock.now();

  function noticeAbsence(now: number): void {
    const wasAbsent = lookAtClock() >= shortestAbsenceMs;
    if (wasAbsent || reachableSince > now) reachableSince = now;
  }

  return async () => {
    const now = clock.now();
    noticeAbsence(now);
    const checkAt = (await findEarliestCheck(store.db)) ?? Infinity;
    if (checkAt > now) return checkAt - now;
    const flips = await store.write((tx) => checkMonitors(tx, now, reachableSince));
    for (const { monitorId, from, to } of flips) {
      log.info({ monitorId, from, to }, 'monitor changed');
    }
    return 0;
  };
}

async function checkMonitors(tx: Db, now: number, reachableSince: number): Promise<Flip[]> {
  const found = await findMonitorsToCheck(tx, now, largestBatch);
  const flips: Flip[] = [];
  const states = found.map((before) => {
    const after = monitorAfter(before, { type: 'time', at: now, reachableSince });
    const flip = flipOf(before, after, now);
    if (flip !== null) flips.push(flip);
    return after;
  });
  await keepMonitorChanges(tx, { states, flips });
  return flips;
}
