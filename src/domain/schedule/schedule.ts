/** When a job or a monitor is due. */

import type { ValuesOf } from '../fields.ts';
import { adjustmentsIn } from './adjustments.ts';
import { scheduleFields, type scheduleTypes } from './fields.ts';

export type ScheduleType = (typeof scheduleTypes)[number];

/** The fields of a schedule, wherever it is counted from. */
export type ScheduleSettings = ValuesOf<typeof scheduleFields>;

/** The fields of a job that say when it is due. */
export interface ScheduleFields extends ScheduleSettings {
  /** Where a period is counted from, in epoch milliseconds. */
  anchorAt: number;
  /** What adjusts its due times (`adjustments.ts`); null if nothing does. */
  adjustments: string | null;
}

/** The defaults. `cronExpr` is null because a period has none. */
export const defaultSchedule: ScheduleSettings = {
  scheduleType: scheduleFields.scheduleType.default,
  cronExpr: null,
  timezone: scheduleFields.timezone.default,
  periodSeconds: null,
};

/** Fields that fit together, as the search for due times takes them. */
export type Schedule = (CronSchedule | PeriodSchedule | OnceSchedule) & {
  /** What moves and bounds the due times of the rule; not there where nothing does. */
  adjusted?: Adjusted;
};

/** Each due time is later by `offsetMs`, and from `from` to `until`, both included; epoch milliseconds. In words they are times of the zone. */
export interface Adjusted {
  offsetMs: number;
  from: number;
  until: number;
  timezone: string;
}

export interface CronSchedule {
  scheduleType: 'cron';
  cronExpr: string;
  timezone: string;
}

export interface PeriodSchedule {
  scheduleType: 'period';
  periodSeconds: number;
  /**
   * Epoch milliseconds. Due times are `anchorAt + k × periodSeconds` for every whole k. They also
   * exist before the anchor, because the wall clock may have been ahead when it was set.
   */
  anchorAt: number;
}

/** Due once, at an instant in epoch milliseconds. In words it is a time of the zone. */
export interface OnceSchedule {
  scheduleType: 'once';
  at: number;
  timezone: string;
}

/** The schedule that the fields describe. Throws if they contradict each other, which `readSchedule` prevents. */
export function scheduleOf(fields: ScheduleFields): Schedule {
  const { adjustments, timezone } = fields;
  if (adjustments === null) return ruleOf(fields);
  const { offsetSeconds = 0, notBefore, notAfter, runAt } = adjustmentsIn(adjustments);
  const offsetMs = offsetSeconds * 1000;
  if (runAt) return { scheduleType: 'once', at: Date.parse(runAt) + offsetMs, timezone };
  const from = notBefore ? Date.parse(notBefore) : -Infinity;
  const until = notAfter ? Date.parse(notAfter) : Infinity;
  return { ...ruleOf(fields), adjusted: { offsetMs, from, until, timezone } };
}

/** As `scheduleOf`, of what nothing adjusts: a monitor, and the rule of a job. */
export function ruleOf(fields: Omit<ScheduleFields, 'adjustments'>): CronSchedule | PeriodSchedule {
  const { scheduleType, cronExpr, timezone, periodSeconds, anchorAt } = fields;
  if (scheduleType === 'period' && periodSeconds !== null) {
    return { scheduleType, periodSeconds, anchorAt };
  }
  if (scheduleType === 'cron' && cronExpr !== null) return { scheduleType, cronExpr, timezone };
  throw new Error(`there is no ${scheduleType} schedule`);
}

/** Whether two schedules are due by the same rule, wherever their periods are counted from. */
export function sameSchedule(before: ScheduleSettings, after: ScheduleSettings): boolean {
  if (before.scheduleType !== after.scheduleType) return false;
  return after.scheduleType === 'period'
    ? before.periodSeconds === after.periodSeconds
    : before.cronExpr === after.cronExpr && before.timezone === after.timezone;
}

/** Whether two jobs are due by the same rule and adjustments, wherever their periods are counted from. */
export function sameDueTimes(before: ScheduleFields, after: ScheduleFields): boolean {
  return sameSchedule(before, after) && before.adjustments === after.adjustments;
}

/** Whether two schedules are defined alike. The zone of a period counts: its times are shown in it. */
export function sameDefinition(before: ScheduleSettings, after: ScheduleSettings): boolean {
  return sameSchedule(before, after) && before.timezone === after.timezone;
}
