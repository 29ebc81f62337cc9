/**
 * Watch: monitors whose ping did not come in time are down. What is looked at is what could be overdue
 * (`next_check_at`), however many monitors there are. Nobody can ping a jobd that does not run, a machine
 * that sleeps or a store that cannot be written: a ping that was due then has its grace from when it could
 * come in again.
 */

import type { Clock } from '../../domain/clock.ts';
import { edgesOf } from '../../domain/alerts/monitor-alert.ts';
import { flipOf, monitorAfter } from '../../domain/monitors/monitor.ts';
import type { Flip } from '../../domain/monitors/monitor.ts';
import type { Log } from '../../log.ts';
import { insertEdges } from '../../store/alerts/edges.ts';
import {
  findEarliestCheck,
  findMonitorsToCheck,
  keepMonitorStates,
} from '../../store/monitors/monitor-states.ts';
import type { Db, Store } from '../../store/database/open.ts';
import type { Step } from '../loop.ts';

/** Monitors looked at in one transaction: some milliseconds. */
const largestBatch = 200;
/** The loop looks at least every second, every 5 s after a failure: a longer gap is an absence. */
const longestGapMs = 10_000;

/** Makes what looks: a step for `startLoop`. Pings can come in from now on. */
export function createWatch(store: Store, clock: Clock, log: Log): Step {
  let reachableSince = clock.now();
  let lookedAt = reachableSince;
  let hasFailed = false;

  return async () => {
    const now = clock.now();
    const wasAway = now < lookedAt || now - lookedAt > longestGapMs;
    if (wasAway || hasFailed) reachableSince = now;
    lookedAt = now;
    hasFailed = true;
    const restMs = await look(now);
    hasFailed = false;
    return restMs;
  };

  async function look(now: number): Promise<number> {
    const checkAt = (await findEarliestCheck(store.db)) ?? Infinity;
    if (checkAt > now) return checkAt - now;
    const flips = await store.write((tx) => checkMonitors(tx, now, reachableSince));
    for (const { monitor, from, to } of flips) {
      log.info({ monitorId: monitor.id, from, to }, 'monitor changed');
    }
    return 0;
  }
}

async function checkMonitors(tx: Db, now: number, reachableSince: number): Promise<Flip[]> {
  const found = await findMonitorsToCheck(tx, now, largestBatch);
  const states = found.map((monitor) =>
    monitorAfter(monitor, { type: 'time', at: now, reachableSince }),
  );
  await keepMonitorStates(tx, states);
  const flips = found
    .map((before, index) => flipOf(before, states[index] ?? before, now))
    .filter((flip) => flip !== null);
  await insertEdges(tx, edgesOf(flips));
  return flips;
}
