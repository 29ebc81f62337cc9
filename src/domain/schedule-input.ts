/**
 * What people give to say when something is due, and the rules it must keep; the same for a job and
 * for a preview. Types and lengths are checked at the door, before.
 */

import { invalidInput } from './errors.ts';
import { jobLimits } from './job.ts';
import type { ScheduleFields, ScheduleType } from './job.ts';
import { parseCron } from './schedule/cron.ts';
import { canonicalZone } from './schedule/zone.ts';

/** Fields of a schedule that people give (spec section 2.1). */
export interface ScheduleInput {
  scheduleType: ScheduleType;
  cronExpr: string | null;
  timezone: string;
  periodSeconds: number;
}

/** The fields of a schedule, wherever it is counted from. */
export type ScheduleSettings = Omit<ScheduleFields, 'anchorAt'>;

/** What holds where nothing is given. A cron schedule without an expression is hourly. */
export const defaultSchedule: ScheduleSettings = {
  scheduleType: 'cron',
  cronExpr: null,
  timezone: 'Europe/Paris',
  periodSeconds: null,
};

const defaultCronExpr = '0 * * * *';

/**
 * Applies what is given to the fields of a schedule: zones are spelt as ICU spells them, a cron schedule has
 * an expression, a period its seconds. Throws `invalid_input`, naming the field.
 */
export function readSchedule(
  given: Partial<ScheduleInput>,
  before: ScheduleSettings = defaultSchedule,
): ScheduleSettings {
  const { scheduleType = before.scheduleType, periodSeconds = before.periodSeconds } = given;
  const cronExpr = given.cronExpr === undefined ? before.cronExpr : given.cronExpr;
  const { timezone } = given;
  if (given.cronExpr !== undefined && given.cronExpr !== null) parseCron(given.cronExpr);
  if (scheduleType === 'period' && periodSeconds === null) {
    throw invalidInput('periodSeconds is required when scheduleType is period');
  }
  if (given.periodSeconds !== undefined) checkPeriod(given.periodSeconds);
  return {
    scheduleType,
    cronExpr: cronExpr ?? (scheduleType === 'cron' ? defaultCronExpr : null),
    timezone: timezone === undefined ? before.timezone : canonicalZone(timezone),
    periodSeconds,
  };
}

function checkPeriod(periodSeconds: number): void {
  const { min, max } = jobLimits.periodSeconds;
  if (periodSeconds >= min && periodSeconds <= max) return;
  throw invalidInput(`periodSeconds must be between ${min} and ${max}, got ${periodSeconds}`);
}

/** Where a schedule that counts from `at` has its anchor: periods are counted in whole seconds. */
export function anchorOf(at: number): number {
  return Math.floor(at / 1_000) * 1_000;
}
