/** What somebody has typed about a monitor, and what of it is sent to the API. */

import type { Monitor, MonitorInput } from '../../../api/monitors/contract.ts';
import { emptyOf } from '../field-errors.ts';
import { lengthOf, secondsOf } from '../schedule/lengths.ts';
import type { Length } from '../schedule/lengths.ts';
import {
  emptyInSchedule,
  newSchedule,
  scheduleFields,
  scheduleForm,
  scheduleLabels,
} from '../schedule/schedule-form.ts';
import type { ScheduleForm } from '../schedule/schedule-form.ts';

/** The fields as they were typed. */
export interface MonitorForm {
  name: string;
  notes: string;
  /** Only a new monitor is sent it. */
  paused: boolean;
  schedule: ScheduleForm;
  grace: Length;
}

/** What the form calls the fields of the API. */
export const monitorLabels = {
  name: 'Name',
  ...scheduleLabels,
  graceSeconds: 'Grace',
  notes: 'Notes',
} as const;

/** The form of a monitor, or of a new one. `zone` is that of this browser. */
export function monitorForm(monitor: Monitor | null, zone: string): MonitorForm {
  return {
    name: monitor?.name ?? '',
    notes: monitor?.notes ?? '',
    paused: false,
    schedule: monitor === null ? newSchedule(zone) : scheduleForm(monitor),
    grace: lengthOf(monitor?.graceSeconds ?? 300),
  };
}

/** All that was typed, as an update takes it. */
export function monitorInput({ name, notes, schedule, grace }: MonitorForm): MonitorInput {
  return { name, notes, ...scheduleFields(schedule), graceSeconds: secondsOf(grace) };
}

/** The fields of the API that must be filled in and are not, the first one first. */
export function emptyInMonitor({ name, schedule, grace }: MonitorForm): string[] {
  return [
    ...emptyOf({ name }),
    ...emptyInSchedule(schedule),
    ...emptyOf({ graceSeconds: grace.count }),
  ];
}
