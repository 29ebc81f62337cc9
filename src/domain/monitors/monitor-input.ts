/** What people send to create or change a monitor, and the rules for it. The API has checked the types before. */

import { isoTime } from '../clock.ts';
import { invalidInput } from '../errors.ts';
import { checkFields, type Action } from '../fields.ts';
import { readLabels } from '../labels.ts';
import { writable } from '../read-only.ts';
import { firstDue } from '../schedule/next.ts';
import { ruleOf, sameSchedule } from '../schedule/schedule.ts';
import { readSchedule, type ScheduleInput } from '../schedule/schedule-input.ts';
import { monitorFields } from './fields.ts';
import { dueAfter, expecting, monitorDefaults, monitorStatus } from './monitor.ts';
import type { Monitor, MonitorSettings } from './monitor.ts';
import type { MonitorStatus } from './status.ts';

/** The fields that people send. */
export interface MonitorFields
  extends Omit<MonitorSettings, keyof ScheduleInput | 'paused'>, ScheduleInput {}

export interface MonitorInput extends Partial<MonitorFields> {
  name: string;
  paused?: boolean;
}

/**
 * A field that is not given stays as it is. The action is applied after the fields. A monitor may be sent back as it was
 * read, so fields that cannot be set may be in it.
 */
export interface MonitorUpdate extends Partial<MonitorFields> {
  action?: Action;
  status?: MonitorStatus;
  /** Null for a key that may only read. */
  pingUrl?: string | null;
}

/**
 * The monitor that a definition stands for: a field that it leaves out has its default. Throws `invalid_input` if the
 * schedule breaks a rule; other fields are not checked.
 */
export function definedMonitor(input: MonitorInput): MonitorSettings {
  return { ...monitorDefaults, ...input, ...readSchedule(input) };
}

/** Creates a monitor; a field that is not given has its default. Throws `JobdError` `invalid_input`. */
export function defineMonitor(
  input: MonitorInput,
  given: { id: string; workspaceId: string; pingId: string; now: number },
): Monitor {
  const { now, ...ids } = given;
  const unscheduled: Monitor = {
    ...ids,
    ...monitorDefaults,
    name: input.name,
    paused: true,
    health: 'new',
    healthSince: null,
    missedDueAt: null,
    nextDueAt: null,
    nextCheckAt: null,
    startedAt: null,
    lastPingAt: null,
    lastDurationMs: null,
    createdAt: now,
  };
  const { paused, ...fields } = input;
  return changeMonitor(unscheduled, { ...fields, action: paused ? 'pause' : 'resume' }, now);
}

/**
 * Changes a monitor, at `now` in epoch milliseconds. If its schedule changes, or it is resumed, the next ping is expected
 * from now on; otherwise its due time stays. Throws as `defineMonitor` does.
 */
export function changeMonitor(monitor: Monitor, update: MonitorUpdate, now: number): Monitor {
  const { action } = update;
  const fields = writableOf(monitor, update, now);
  checkFields(monitorFields, fields);
  const paused = action === undefined ? monitor.paused : action === 'pause';
  const labels = readLabels(fields.labels === undefined ? monitor.labels : fields.labels);
  const schedule = readSchedule(fields, monitor);
  const changed: Monitor = { ...monitor, ...fields, labels, ...schedule, paused };
  // Refuses a schedule that is never due.
  firstDue(ruleOf({ ...changed, anchorAt: now }), now);
  const continues = monitor.paused === paused && sameSchedule(monitor, changed);
  if (continues) return expecting(changed, changed.nextDueAt);
  return expecting(changed, changed.health === 'new' ? null : dueAfter(changed, now));
}

/** The fields that can be set. Throws `invalid_input` if another one is not as it is. */
function writableOf(monitor: Monitor, update: MonitorUpdate, now: number) {
  const { pingUrl, status } = update;
  // The address of the site may have changed since.
  if (pingUrl && !pingUrl.endsWith(`/${monitor.pingId}`)) {
    throw invalidInput('pingUrl cannot be set: leave it out');
  }
  const isPauseMeant = (status === 'paused') !== monitor.paused;
  return writable(monitorFields, update, {
    id: monitor.id,
    paused: monitor.paused,
    createdAt: isoTime(monitor.createdAt),
    ...(isPauseMeant && { status: monitorStatus(monitor, now) }),
  });
}
