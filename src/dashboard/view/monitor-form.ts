/** What somebody has typed about a monitor, and what of it is sent to the API. */

import type { Monitor, MonitorInput } from '../../api/monitors/contract.ts';
import { monitorFields } from '../../domain/monitors/fields.ts';
import { emptyOf } from './forms.ts';
import { labelsLine, labelsTyped } from './labels.ts';
import { emptyInSchedule, newSchedule, scheduleFields, scheduleForm } from './schedule-form.ts';
import { scheduleNames, type ScheduleForm } from './schedule-form.ts';
import { sentOf, typedIn, without, type TypedIn } from './typed.ts';

const plain = without(monitorFields, [...scheduleNames, 'labels']);

/** The fields as they were typed. Whether it is paused is asked for only of a new monitor. */
export interface MonitorForm extends TypedIn<typeof plain> {
  schedule: ScheduleForm;
  /** `client=acme, env=prod` */
  labels: string;
}

/** The form of a monitor, or of a new one. `zone` is that of this browser. */
export function monitorForm(monitor: Monitor | null, zone: string): MonitorForm {
  return {
    ...typedIn(plain, { ...monitor, paused: false }, zone),
    labels: labelsLine(monitor?.labels),
    schedule: monitor === null ? newSchedule(zone) : scheduleForm(monitor),
  };
}

/** All that was typed. An update sends what differs, so never whether it is paused. */
export function monitorInput(form: MonitorForm): MonitorInput {
  const labels = labelsTyped(form.labels);
  return { ...sentOf(plain, form), labels, ...scheduleFields(form.schedule) } as MonitorInput;
}

/** The fields of the API that must be filled in and are not, the first one first. */
export function emptyInMonitor({ name, schedule, graceSeconds }: MonitorForm): string[] {
  return [
    ...emptyOf({ name }),
    ...emptyInSchedule(schedule),
    ...emptyOf({ graceSeconds: graceSeconds.count }),
  ];
}
