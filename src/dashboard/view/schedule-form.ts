/** What somebody has typed about when something is due, and what of it is sent to the API. */

import { scheduleFields as table } from '../../domain/schedule/fields.ts';
import { defaultSchedule, type ScheduleSettings } from '../../domain/schedule/schedule.ts';
import { emptyOf } from './forms.ts';
import { localIn } from './times.ts';
import { lengthOf, secondsOf, type Length } from './typed.ts';

/** The fields of the API that a schedule has, of jobs and of monitors. */
export const scheduleNames = Object.keys(table) as (keyof typeof table)[];

/** The fields as they were typed. All kinds of schedule are kept, so that changing one's mind loses nothing. */
export interface ScheduleForm {
  scheduleType: ScheduleSettings['scheduleType'];
  cronExpr: string;
  timezone: string;
  periodSeconds: Length;
  /** Whether it is due once, at `runAt`, instead of on that schedule. */
  isOnce: boolean;
  /** In the time zone. */
  runAt: string;
}

/** The fields of a schedule in the API; only those that it uses. */
export interface ScheduleFields {
  scheduleType: ScheduleSettings['scheduleType'];
  timezone: string;
  cronExpr?: string;
  periodSeconds?: number;
}

/** A schedule that nobody has filled in yet, in this zone. */
export function newSchedule(timezone: string): ScheduleForm {
  return scheduleForm({ ...defaultSchedule, timezone });
}

/** A schedule that there is; `runAt` in ISO 8601 if it is due once. */
export function scheduleForm({
  runAt,
  ...schedule
}: ScheduleSettings & { runAt?: string | null }): ScheduleForm {
  const { scheduleType, cronExpr, timezone, periodSeconds } = schedule;
  return {
    scheduleType,
    cronExpr: cronExpr ?? '',
    timezone,
    periodSeconds: lengthOf(periodSeconds),
    isOnce: Boolean(runAt),
    runAt: runAt ? localIn(runAt, timezone) : '',
  };
}

/** The fields as the API takes them, but `runAt`. */
export function scheduleFields(form: ScheduleForm): ScheduleFields {
  const { scheduleType, cronExpr, periodSeconds, isOnce } = form;
  const timezone = form.timezone.trim();
  // The schedule that does not count now may be missing.
  if (isOnce && !isFilledIn({ ...form, isOnce: false })) return { scheduleType: 'cron', timezone };
  return scheduleType === 'cron'
    ? { scheduleType, timezone, cronExpr: cronExpr.trim() }
    : { scheduleType, timezone, periodSeconds: secondsOf(periodSeconds) };
}

/** The fields of the API that must be filled in and are not, the first one first. */
export function emptyInSchedule(form: ScheduleForm): string[] {
  return emptyOf({ ...ruleIn(form), timezone: form.timezone });
}

/** Whether there is enough of it to show when it is due. */
export function isFilledIn(form: ScheduleForm): boolean {
  return emptyOf(ruleIn(form)).length === 0;
}

/** The field that says when it is due, as it was typed. */
function ruleIn(form: ScheduleForm): Record<string, string> {
  const { scheduleType, cronExpr, periodSeconds, isOnce, runAt } = form;
  if (isOnce) return { runAt };
  return scheduleType === 'cron' ? { cronExpr } : { periodSeconds: periodSeconds.count };
}
