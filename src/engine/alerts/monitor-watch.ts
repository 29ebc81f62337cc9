/**
 * Watch: a monitor whose ping did not come in time is down. Only monitors that could be overdue are read
 * (`next_check_at`). Nobody can ping a jobd that does not run, a machine that sleeps or a store that cannot be
 * written: the grace of a ping that was due then begins when pings could arrive again. In a hold none is expected either.
 */

import type { ChangeFeed } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import { monitorHealthChanges } from '../../domain/alerts/monitor-changes.ts';
import { monitorAfter, monitorChange, type MonitorChange } from '../../domain/monitors/monitor.ts';
import { loggedChange } from '../../domain/monitors/logged-change.ts';
import { coveredUntil } from '../../domain/windows.ts';
import type { Log } from '../../base/log.ts';
import { findHolds } from '../../store/accounts/windows.ts';
import { findWorkspaceLabels } from '../../store/database/workspace-label.ts';
import { insertHealthChanges } from '../../store/alerts/outbox.ts';
import {
  findEarliestCheck,
  findMonitorsToCheck,
  keepMonitorStates,
} from '../../store/monitors/monitors.ts';
import type { Db, Store } from '../../store/database/store.ts';
import type { Step } from '../loop.ts';
import type { Membership } from '../nodes/membership.ts';

/** Monitors checked in one transaction: some milliseconds. */
const largestBatch = 200;
/** The loop steps at least every second, every 5 s after a failure: after a longer gap jobd was away. */
const longestGapMs = 10_000;

export interface WatchParts {
  store: Store;
  clock: Clock;
  membership: Membership;
  log: Log;
  /** Hears which monitors changed. */
  changes: ChangeFeed;
}

/** Makes a step for `startLoop`. */
export function createWatch({ store, clock, membership, log, changes }: WatchParts): Step {
  let checkedAt = clock.now();
  /** Since when pings can arrive, as far as this process has seen. */
  let seenSince = -Infinity;
  let hasFailed = false;

  return async () => {
    const now = clock.now();
    const wasAway = now < checkedAt || now - checkedAt > longestGapMs;
    if (wasAway || hasFailed) seenSince = now;
    checkedAt = now;
    hasFailed = false;
    if (!membership.leads()) return Infinity;
    hasFailed = true;
    const restMs = await check(now);
    hasFailed = false;
    return restMs;
  };

  async function check(now: number): Promise<number> {
    const checkAt = (await findEarliestCheck(store.db)) ?? Infinity;
    if (checkAt > now) return checkAt - now;
    const since = membership.reachableSince;
    // By a clock that was ahead, it is still to come: no monitor would be down until then.
    const reachableSince = Math.max(since > now ? -Infinity : since, seenSince);
    const found = await store.write((tx) => checkMonitors(tx, now, reachableSince));
    for (const { change, workspace } of found) {
      const { level, fields } = loggedChange(change, workspace);
      log[level](fields, 'monitor changed');
      changes.publish(change.monitor.workspaceId, { monitors: [change.monitor.id] });
    }
    return 0;
  }
}

async function checkMonitors(
  tx: Db,
  now: number,
  reachableSince: number,
): Promise<{ change: MonitorChange; workspace: string | null }[]> {
  const found = await findMonitorsToCheck(tx, now, largestBatch);
  const holds = await findHolds(tx, found);
  const states = found.map((monitor) => {
    const its = holds.get(monitor.id) ?? [];
    // One that is due in a hold, or whose grace ends in one, has its grace after that (docs/behavior.md#hold-3).
    const ends = [monitor.nextDueAt ?? now, now].map((at) => coveredUntil(its, at) ?? -Infinity);
    return monitorAfter(monitor, {
      type: 'time',
      at: now,
      reachableSince: Math.max(reachableSince, ...ends),
    });
  });
  await keepMonitorStates(tx, states);
  const changes = found
    .map((before, index) => monitorChange(before, states[index] ?? before))
    .filter((change) => change !== null);
  await insertHealthChanges(tx, monitorHealthChanges(changes));
  const workspaceIds = new Set(changes.map(({ monitor }) => monitor.workspaceId));
  const labels = await findWorkspaceLabels(tx, [...workspaceIds]);
  return changes.map((change) => ({
    change,
    workspace: labels.get(change.monitor.workspaceId) ?? null,
  }));
}
