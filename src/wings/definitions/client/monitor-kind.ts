/** Monitors in files. */

import { changedFields } from '../../../domain/definition.ts';
import { checkFields } from '../../../domain/fields.ts';
import { monitorFields } from '../../../domain/monitors/fields.ts';
import { definedMonitor, defineMonitor } from '../../../domain/monitors/monitor-input.ts';
import type { MonitorInput } from '../../../domain/monitors/monitor-input.ts';
import { monitorDefaults } from '../../../domain/monitors/monitor.ts';
import type { MonitorSettings } from '../../../domain/monitors/monitor.ts';
import { defaultSchedule } from '../../../domain/schedule/schedule.ts';
import type { ScheduleSettings } from '../../../domain/schedule/schedule.ts';
import { checkSchedule } from '../../../domain/schedule/schedule-input.ts';
import { durationOf } from '../../../settings/setting.ts';
import { adopt, fileFields, fileValues } from './fields.ts';
import type { FileKind, Input } from './kind.ts';

export const monitorKind: FileKind = {
  section: 'monitors',
  noun: 'monitor',
  fields: { adopt: adopt('monitor'), ...fileFields(monitorFields) },
  required: [],
  exclusive: [['every', 'cron']],
  checkField(field) {
    checkFields(monitorFields, field);
    checkSchedule(field);
  },
  check(input) {
    defineMonitor(monitorInput(input), { id: '', workspaceId: '', pingId: '', now: 0 });
  },
  whole: (input) => ({ ...definedMonitor(monitorInput(input)) }),
  values: (key, whole) => ({
    ...fileValues(monitorFields, whole, { ...monitorDefaults, name: key }),
    ...scheduleValues(whole as unknown as MonitorSettings),
  }),
  compare: ({ document }, input) => ({
    changedFields: changedFields(monitorFields, document, definedMonitor(monitorInput(input))),
    changedHidden: [],
  }),
  conceal: (fields) => fields,
};

/** What a file says of a schedule that nobody has chosen. */
export const noSchedule = { cron: undefined, timezone: undefined, every: undefined };

/** The fields of a schedule in a file; one that it does not use is left out. */
export function scheduleValues(settings: ScheduleSettings): Record<string, unknown> {
  const { scheduleType, cronExpr, timezone, periodSeconds } = settings;
  if (scheduleType === 'cron') return { cron: cronExpr ?? undefined, timezone, every: undefined };
  const isUsual = timezone === defaultSchedule.timezone;
  const every = durationOf(periodSeconds ?? 0);
  return { every, timezone: isUsual ? undefined : timezone, cron: undefined };
}

function monitorInput(input: Input): MonitorInput {
  return input as unknown as MonitorInput;
}
