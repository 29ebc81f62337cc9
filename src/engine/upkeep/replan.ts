/**
 * Replan: when every job is due next, and when a ping of every monitor is, is computed anew at each start
 * and when the wall clock was set back. What was planned by a clock that was ahead would else wait until
 * that clock is right, a year perhaps; and another version of jobd may know other rules of a time zone.
 */

import type { Clock } from '../../domain/clock.ts';
import { scheduleOf } from '../../domain/jobs/job.ts';
import { monitorAfter } from '../../domain/monitors/monitor.ts';
import type { Monitor, MonitorEvent } from '../../domain/monitors/monitor.ts';
import { nextDue } from '../../domain/schedule/next.ts';
import { findExpectingMonitors, keepMonitorStates } from '../../store/monitors/monitor-states.ts';
import { findPlannedJobs, updateDueTimes } from '../../store/jobs/planned.ts';
import type { Store } from '../../store/database/open.ts';
import { createWalk } from './walk.ts';
import type { Walk } from './walk.ts';

/** Makes a walk through the jobs that changes due times. */
export function createReplanner(store: Store, clock: Clock): Walk {
  return createWalk(async (stretch) => {
    const now = clock.now();
    const jobs = await findPlannedJobs(store.db, { ...stretch, dueAfter: now });
    const changes = jobs
      .map((job) => ({ ...job, planned: nextDue(scheduleOf(job), now) }))
      .filter(({ nextRunAt, planned }) => planned !== nextRunAt);
    if (changes.length > 0) await store.write((tx) => updateDueTimes(tx, changes));
    return { seen: jobs, changed: changes.length };
  });
}

/** Makes a walk through the monitors that brings what they expect back to what can be expected now. */
export function createMonitorReplanner(store: Store, clock: Clock): Walk {
  return createWalk(async (stretch) => {
    const event = { type: 'clock', at: clock.now() } as const;
    const seen = await findExpectingMonitors(store.db, stretch);
    if (changedBy(event, seen).length === 0) return { seen, changed: 0 };
    const states = await store.write(async (tx) => {
      // A ping may have come in between.
      const changed = changedBy(event, await findExpectingMonitors(tx, stretch));
      await keepMonitorStates(tx, changed);
      return changed;
    });
    return { seen, changed: states.length };
  });
}

function changedBy(event: MonitorEvent, monitors: readonly Monitor[]): Monitor[] {
  return monitors
    .map((before) => ({ before, after: monitorAfter(before, event) }))
    .filter(({ before, after }) => after !== before)
    .map(({ after }) => after);
}
