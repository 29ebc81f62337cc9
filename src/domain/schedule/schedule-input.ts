/**
 * What people give to say when something is due, and the rules it must keep; the same for a job and
 * for a preview. Types and lengths are checked at the door, before.
 */

import { invalidInput } from '../errors.ts';
import { jobLimits } from '../jobs/job.ts';
import type { ScheduleFields, ScheduleType } from '../jobs/job.ts';
import { parseCron } from './cron.ts';
import { canonicalZone } from './zone.ts';

/** Fields of a schedule that people give. Null says the same as leaving the field out. */
export interface ScheduleInput {
  scheduleType: ScheduleType | null;
  cronExpr: string | null;
  timezone: string | null;
  periodSeconds: number | null;
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
 * an expression, a period its seconds. Throws `invalid_input`, naming the field, also for a field that the schedule
 * would not use.
 */
export function readSchedule(
  given: Partial<ScheduleInput>,
  before: ScheduleSettings = defaultSchedule,
): ScheduleSettings {
  const scheduleType = given.scheduleType ?? before.scheduleType;
  const periodSeconds = given.periodSeconds ?? before.periodSeconds;
  const cronExpr = given.cronExpr ?? before.cronExpr;
  const { timezone } = given;
  if (isGiven(given.cronExpr)) parseCron(given.cronExpr);
  if (isGiven(given.periodSeconds)) checkPeriod(given.periodSeconds);
  refuseUnused(given, before, scheduleType);
  if (scheduleType === 'period' && periodSeconds === null) {
    throw invalidInput('periodSeconds is required when scheduleType is period');
  }
  return {
    scheduleType,
    cronExpr: cronExpr ?? (scheduleType === 'cron' ? defaultCronExpr : null),
    timezone: isGiven(timezone) ? canonicalZone(timezone) : before.timezone,
    periodSeconds,
  };
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

/**
 * Whoever sets the field of the other kind of schedule believes that it says when the job is due. One that is as it was
 * may come from an answer that is sent back. The zone is not judged: times of a period are shown in it, too.
 */
function refuseUnused(
  given: Partial<ScheduleInput>,
  before: ScheduleSettings,
  scheduleType: ScheduleType,
): void {
  const [unused, other] =
    scheduleType === 'cron'
      ? (['periodSeconds', 'period'] as const)
      : (['cronExpr', 'cron'] as const);
  if (!isGiven(given[unused]) || given[unused] === before[unused]) return;
  throw invalidInput(
    `${unused} has no effect while scheduleType is ${scheduleType}: set scheduleType to ${other} too, or leave ${unused} out`,
  );
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
