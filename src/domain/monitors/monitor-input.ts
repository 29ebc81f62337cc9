/** What people give to make or change a monitor, and the rules it must keep; types are checked before. */

import { invalidInput } from '../errors.ts';
import { isoTime } from '../clock.ts';
import { sameSchedule } from '../jobs/job.ts';
import type { JobAction } from '../jobs/job.ts';
import { dueAfter, expecting, monitorLimits, monitorStatus, scheduleFrom } from './monitor.ts';
import type { Monitor } from './monitor.ts';
import type { MonitorDocument } from './document.ts';
import { writable } from '../read-only.ts';
import { firstDue } from '../schedule/next.ts';
import { defaultSchedule, readSchedule } from '../schedule/schedule-input.ts';
import type { ScheduleInput } from '../schedule/schedule-input.ts';

/** Fields of a monitor that people give. */
export interface MonitorFields extends ScheduleInput {
  name: string;
  graceSeconds: number;
  notes: string;
}

export interface MonitorInput extends Partial<MonitorFields> {
  name: string;
  paused?: boolean;
}

/** Fields of a monitor as people read them, which they cannot set. */
export type MonitorReading = Omit<MonitorDocument, keyof MonitorFields> & {
  /** Null for those who may only read. */
  pingUrl: string | null;
};

/**
 * What is not given stays as it is; the action is applied after the fields. A monitor may be sent back as it was read,
 * so there may be fields that cannot be set.
 */
export interface MonitorUpdate extends Partial<MonitorFields>, Partial<MonitorReading> {
  action?: JobAction;
}

/** What holds where no grace is given. */
export const defaultGraceSeconds = 300;

/** Makes a monitor: what is not given has its default. Throws `JobdError` `invalid_input`. */
export function defineMonitor(
  input: MonitorInput,
  given: { id: string; workspaceId: string; pingId: string; now: number },
): Monitor {
  const { now, ...ids } = given;
  const unscheduled: Monitor = {
    ...ids,
    name: input.name,
    ...defaultSchedule,
    graceSeconds: defaultGraceSeconds,
    notes: '',
    paused: true,
    health: 'new',
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
 * Changes a monitor, at `now` in epoch milliseconds. With a changed schedule, and when it is resumed, the
 * next ping is expected from now on; else it stays due when it was. Throws as `defineMonitor` does.
 */
export function changeMonitor(monitor: Monitor, update: MonitorUpdate, now: number): Monitor {
  const { action, ...fields } = writableOf(monitor, update, now);
  checkEach(fields);
  const paused = action === undefined ? monitor.paused : action === 'pause';
  const changed: Monitor = { ...monitor, ...fields, ...readSchedule(fields, monitor), paused };
  firstDue(scheduleFrom(changed, now), now);
  const goesOn = monitor.paused === paused && sameSchedule(monitor, changed);
  if (goesOn) return expecting(changed, changed.nextDueAt);
  return expecting(changed, changed.health === 'new' ? null : dueAfter(changed, now));
}

/** The fields that can be set. Throws `invalid_input` if another one is not as it is. */
function writableOf(
  monitor: Monitor,
  { pingUrl, ...update }: MonitorUpdate,
  now: number,
): Partial<MonitorFields> & { action?: JobAction } {
  // The site may have another URL by now.
  if (pingUrl && !pingUrl.endsWith(`/${monitor.pingId}`)) {
    throw invalidInput('pingUrl cannot be set: leave it out');
  }
  const isPauseMeant = (update.status === 'paused') !== monitor.paused;
  return writable(update, {
    fixed: {
      id: monitor.id,
      paused: monitor.paused,
      createdAt: isoTime(monitor.createdAt),
      ...(isPauseMeant && { status: monitorStatus(monitor, now) }),
    },
    passing: ['status', 'nextDueAt', 'lastPingAt', 'lastDurationMs'],
  });
}

function checkEach({ name, graceSeconds }: Partial<MonitorFields>): void {
  if (name?.trim() === '') throw invalidInput('name must not be blank');
  if (graceSeconds === undefined) return;
  const { min, max } = monitorLimits.graceSeconds;
  if (graceSeconds >= min && graceSeconds <= max) return;
  throw invalidInput(`graceSeconds must be between ${min} and ${max}, got ${graceSeconds}`);
}
