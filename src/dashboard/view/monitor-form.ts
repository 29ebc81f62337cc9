/** What somebody has typed about a monitor, and what of it is sent to the API. */

import type { Monitor, MonitorInput } from '../../api/monitors/contract.ts';
import { monitorFields } from '../../domain/monitors/fields.ts';
import { emptyOf } from './forms.ts';
import { labelsLine, labelsTyped } from './labels.ts';
import {
  emptyInSchedule,
  lengthOf,
  newSchedule,
  scheduleFields,
  scheduleForm,
  secondsOf,
} from './schedule-form.ts';
import type { Length, ScheduleForm } from './schedule-form.ts';

/** The fields as they were typed. */
export interface MonitorForm {
  name: string;
  /** `client=acme, env=prod` */
  labels: string;
  notes: string;
  /** Asked for only of a new monitor. */
  paused: boolean;
  schedule: ScheduleForm;
  graceSeconds: Length;
}

/** The form of a monitor, or of a new one. `zone` is that of this browser. */
export function monitorForm(monitor: Monitor | null, zone: string): MonitorForm {
  return {
    name: monitor?.name ?? '',
    labels: labelsLine(monitor?.labels),
    notes: monitor?.notes ?? '',
    paused: false,
    schedule: monitor === null ? newSchedule(zone) : scheduleForm(monitor),
    graceSeconds: lengthOf(monitor?.graceSeconds ?? monitorFields.graceSeconds.default),
  };
}

/** All that was typed. An update sends what differs, so never whether it is paused. */
export function monitorInput(form: MonitorForm): MonitorInput {
  const { schedule, graceSeconds, labels, ...others } = form;
  return {
    ...others,
    labels: labelsTyped(labels),
    ...scheduleFields(schedule),
    graceSeconds: secondsOf(graceSeconds),
  };
}

/** The fields of the API that must be filled in and are not, the first one first. */
export function emptyInMonitor({ name, schedule, graceSeconds }: MonitorForm): string[] {
  return [
    ...emptyOf({ name }),
    ...emptyInSchedule(schedule),
    ...emptyOf({ graceSeconds: graceSeconds.count }),
  ];
}
