/** What somebody has typed about when something is due, or how long something is, and what of it is sent to the API. */

import { defaultSchedule, type ScheduleSettings } from '../../domain/schedule/schedule.ts';
import { emptyOf } from './forms.ts';

/** Units of a length of time, in seconds. */
export const units = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
export type Unit = keyof typeof units;

/** A length of time as people type it: a number and its unit. */
export interface Length {
  count: string;
  unit: Unit;
}

/** A length in its largest whole unit; blank for null. */
export function lengthOf(seconds: number | null): Length {
  if (seconds === null) return { count: '', unit: 'minutes' };
  const names = Object.keys(units) as Unit[];
  const unit = names.findLast((name) => seconds > 0 && seconds % units[name] === 0) ?? 'minutes';
  return { count: String(seconds / units[unit]), unit };
}

/** The seconds of a length. Text that is no number stays as it is: the API says what is wrong with it. */
export function secondsOf({ count, unit }: Length): number {
  const seconds = Number(count.trim().replace(',', '.')) * units[unit];
  const isNumber = count.trim() !== '' && Number.isFinite(seconds);
  return isNumber ? Math.round(seconds * 1e6) / 1e6 : (count as unknown as number);
}

/** The fields as they were typed. Both kinds of schedule are kept, so that changing one's mind loses nothing. */
export interface ScheduleForm {
  scheduleType: ScheduleSettings['scheduleType'];
  cronExpr: string;
  timezone: string;
  periodSeconds: Length;
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

/** A schedule that there is. */
export function scheduleForm(schedule: ScheduleSettings): ScheduleForm {
  const { scheduleType, cronExpr, timezone, periodSeconds } = schedule;
  return {
    scheduleType,
    cronExpr: cronExpr ?? '',
    timezone,
    periodSeconds: lengthOf(periodSeconds),
  };
}

/** The fields as the API takes them. */
export function scheduleFields(form: ScheduleForm): ScheduleFields {
  const { scheduleType, cronExpr, periodSeconds } = form;
  const timezone = form.timezone.trim();
  return scheduleType === 'cron'
    ? { scheduleType, timezone, cronExpr: cronExpr.trim() }
    : { scheduleType, timezone, periodSeconds: secondsOf(periodSeconds) };
}

/** The fields of the API that must be filled in and are not, the first one first. */
export function emptyInSchedule(form: ScheduleForm): string[] {
  const { scheduleType, cronExpr, periodSeconds, timezone } = form;
  return emptyOf(
    scheduleType === 'cron'
      ? { cronExpr, timezone }
      : { periodSeconds: periodSeconds.count, timezone },
  );
}

/** Whether there is enough of it to show when it is due. */
export function isFilledIn({ scheduleType, cronExpr, periodSeconds }: ScheduleForm): boolean {
  return (scheduleType === 'cron' ? cronExpr : periodSeconds.count).trim() !== '';
}
