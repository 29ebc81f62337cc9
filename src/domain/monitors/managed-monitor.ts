/** What the definition of a monitor stands for, and in what a monitor differs from it. */

import { sameDefinition } from '../schedule/schedule.ts';
import type { ScheduleSettings } from '../schedule/schedule.ts';
import { readSchedule } from '../schedule/schedule-input.ts';
import { defaultGraceSeconds } from './monitor.ts';
import type { MonitorInput } from './monitor-input.ts';

/** What people set of a monitor, whole. */
export interface MonitorSettings extends ScheduleSettings {
  name: string;
  graceSeconds: number;
  notes: string;
  paused: boolean;
}

/** The fields of a monitor that a definition decides; those of the schedule count as one. */
export const definedMonitorFields = [
  'name',
  'schedule',
  'graceSeconds',
  'notes',
  'paused',
] as const;
export type DefinedMonitorField = (typeof definedMonitorFields)[number];

/** What a monitor has where nothing is given, besides its schedule. */
export const monitorDefaults = {
  graceSeconds: defaultGraceSeconds,
  notes: '',
  paused: false,
} as const;

/**
 * The monitor that a definition stands for: a field that it leaves out has its default. Throws `invalid_input` if the
 * schedule breaks a rule; other fields are not checked.
 */
export function definedMonitor(input: MonitorInput): MonitorSettings {
  return { ...monitorDefaults, ...input, ...readSchedule(input) };
}

/** The fields in which two monitors differ, in the order above. */
export function changedMonitorFields(
  before: MonitorSettings,
  after: MonitorSettings,
): DefinedMonitorField[] {
  return definedMonitorFields.filter((field) =>
    field === 'schedule' ? !sameDefinition(before, after) : before[field] !== after[field],
  );
}
