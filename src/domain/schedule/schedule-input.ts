/** What people send to describe a schedule, and the rules for it: the same for jobs, monitors and previews. */

import { invalidInput } from '../errors.ts';
import { checkFields } from '../fields.ts';
import { parseCron } from './cron.ts';
import { defaultCronExpr, scheduleFields } from './fields.ts';
import { defaultSchedule, type ScheduleSettings, type ScheduleType } from './schedule.ts';
import { canonicalZone } from './zone.ts';

/** The fields of a schedule as people send them. Null means the same as leaving the field out. */
export type ScheduleInput = { [Name in keyof ScheduleSettings]: ScheduleSettings[Name] | null };

/**
 * Applies what is given to a schedule: zones are spelled as ICU spells them, a cron schedule has an expression, a
 * period its seconds. Throws `invalid_input`, naming the field, also for a field that the schedule would not use.
 */
export function readSchedule(
  given: Partial<ScheduleInput>,
  before: ScheduleSettings = defaultSchedule,
): ScheduleSettings {
  checkSchedule(given);
  const scheduleType = given.scheduleType ?? before.scheduleType;
  const periodSeconds = given.periodSeconds ?? before.periodSeconds;
  const cronExpr = given.cronExpr ?? before.cronExpr;
  refuseUnused(given, before, scheduleType);
  if (scheduleType === 'period' && periodSeconds === null) {
    throw invalidInput('periodSeconds is required when scheduleType is period');
  }
  return {
    scheduleType,
    cronExpr: cronExpr ?? (scheduleType === 'cron' ? defaultCronExpr : null),
    timezone: isGiven(given.timezone) ? canonicalZone(given.timezone) : before.timezone,
    periodSeconds,
  };
}

/** Checks each field that is given by itself. Throws `invalid_input`, naming the field. */
export function checkSchedule(given: Partial<ScheduleInput>): void {
  if (isGiven(given.cronExpr)) parseCron(given.cronExpr);
  checkFields(scheduleFields, given);
  if (isGiven(given.timezone)) canonicalZone(given.timezone);
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

/**
 * Refuses the field of the other kind of schedule: its sender believes that it decides when the job is due. An unchanged
 * one may come from an answer that is sent back. The zone is never refused: the times of a period are shown in it too.
 */
function refuseUnused(
  given: Partial<ScheduleInput>,
  before: ScheduleSettings,
  scheduleType: ScheduleType,
): void {
  const isCron = scheduleType === 'cron';
  const unused = isCron ? 'periodSeconds' : 'cronExpr';
  if (!isGiven(given[unused]) || given[unused] === before[unused]) return;
  const other = isCron ? 'period' : 'cron';
  throw invalidInput(
    `${unused} has no effect while scheduleType is ${scheduleType}: set scheduleType to ${other} too, or leave ${unused} out`,
  );
}

/** The anchor of a schedule that counts from `at`: periods are counted in whole seconds. */
export function anchorOf(at: number): number {
  return Math.floor(at / 1_000) * 1_000;
}
