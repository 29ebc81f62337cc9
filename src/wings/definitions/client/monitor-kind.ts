/** Monitors in files. */

import { checkFields } from '../../../domain/fields.ts';
import {
  changedMonitorFields,
  definedMonitor,
  monitorDefaults,
} from '../../../domain/monitors/managed-monitor.ts';
import type { MonitorSettings } from '../../../domain/monitors/managed-monitor.ts';
import { defineMonitor } from '../../../domain/monitors/monitor-input.ts';
import type { MonitorInput } from '../../../domain/monitors/monitor-input.ts';
import { monitorRules } from '../../../domain/monitors/monitor.ts';
import { defaultSchedule } from '../../../domain/schedule/schedule.ts';
import type { ScheduleSettings } from '../../../domain/schedule/schedule.ts';
import { checkSchedule } from '../../../domain/schedule/schedule-input.ts';
import { durationOf } from '../../../settings/setting.ts';
import { adopt, duration, scheduleFields, text, trueOrFalse } from './fields.ts';
import { unless } from './kind.ts';
import type { FileKind, Input } from './kind.ts';

export const monitorKind: FileKind = {
  section: 'monitors',
  noun: 'monitor',
  fields: {
    adopt: adopt('monitor'),
    name: {
      api: 'name',
      about: 'The name of the monitor. Default: the key.',
      form: text(monitorRules.name),
    },
    ...scheduleFields,
    grace: {
      api: 'graceSeconds',
      about: 'How long a ping may be overdue, such as 30m. Default: 5m.',
      form: duration('grace'),
    },
    paused: { api: 'paused', about: 'Whether no ping is expected.', form: trueOrFalse },
    notes: { api: 'notes', about: 'Free text.', form: text(monitorRules.notes) },
  },
  required: [],
  exclusive: [['every', 'cron']],
  checkField(field) {
    checkFields(monitorRules, field);
    checkSchedule(field);
  },
  check(input) {
    defineMonitor(monitorInput(input), { id: '', workspaceId: '', pingId: '', now: 0 });
  },
  whole: (input) => ({ ...definedMonitor(monitorInput(input)) }),
  values(key, whole) {
    const monitor = whole as unknown as MonitorSettings;
    return {
      name: unless(monitor.name, key),
      ...scheduleValues(monitor),
      grace: unless(durationOf(monitor.graceSeconds), durationOf(monitorDefaults.graceSeconds)),
      paused: unless(monitor.paused, monitorDefaults.paused),
      notes: unless(monitor.notes, monitorDefaults.notes),
    };
  },
  compare: ({ document }, input) => ({
    changedFields: changedMonitorFields(
      document as unknown as MonitorSettings,
      definedMonitor(monitorInput(input)),
    ),
    changedHidden: [],
  }),
  conceal: (fields) => fields,
};

/** The fields of a schedule in a file; one that it does not use is left out. */
export function scheduleValues(settings: ScheduleSettings): Record<string, unknown> {
  const { scheduleType, cronExpr, timezone, periodSeconds } = settings;
  if (scheduleType === 'period') {
    const every = durationOf(periodSeconds ?? 0);
    return { every, timezone: unless(timezone, defaultSchedule.timezone) };
  }
  return { cron: cronExpr ?? undefined, timezone };
}

function monitorInput(input: Input): MonitorInput {
  return input as unknown as MonitorInput;
}
