/** What somebody has typed about when something is due, and what of it is sent to the API. */

import { emptyOf } from '../field-errors.ts';

/** Units of a period, in seconds. */
export const units = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
export type Unit = keyof typeof units;

/** The fields as they were typed. Both kinds of schedule are kept, so that changing one's mind loses nothing. */
export interface ScheduleForm {
  scheduleType: 'cron' | 'period';
  cronExpr: string;
  timezone: string;
  /** How many units a period has. */
  every: string;
  unit: Unit;
}

/** The fields of a schedule in the API; only those that it uses. */
export interface ScheduleFields {
  scheduleType: 'cron' | 'period';
  timezone: string;
  cronExpr?: string;
  periodSeconds?: number;
}

/** What the form calls the fields of the API. */
export const scheduleLabels = {
  scheduleType: 'Schedule',
  cronExpr: 'Cron expression',
  timezone: 'Time zone',
  periodSeconds: 'Period',
} as const;

/** A schedule that nobody has filled in yet, in this zone. */
export function newSchedule(timezone: string): ScheduleForm {
  return { scheduleType: 'cron', cronExpr: '', timezone, every: '', unit: 'minutes' };
}

/** A schedule that there is. */
export function scheduleForm(schedule: {
  scheduleType: 'cron' | 'period';
  cronExpr: string | null;
  timezone: string;
  periodSeconds: number | null;
}): ScheduleForm {
  const { scheduleType, cronExpr, timezone, periodSeconds } = schedule;
  const period = { every: '', unit: 'minutes' as Unit };
  if (periodSeconds !== null) {
    for (const unit of Object.keys(units) as Unit[]) {
      // The last unit that divides it is the largest.
      if (periodSeconds % units[unit] === 0) {
        Object.assign(period, { every: String(periodSeconds / units[unit]), unit });
      }
    }
  }
  return { scheduleType, cronExpr: cronExpr ?? '', timezone, ...period };
}

/** The fields as the API takes them. */
export function scheduleFields(form: ScheduleForm): ScheduleFields {
  const { scheduleType, cronExpr, timezone, every, unit } = form;
  const zone = timezone.trim();
  if (scheduleType === 'cron') return { scheduleType, timezone: zone, cronExpr: cronExpr.trim() };
  const count = every.trim() === '' ? NaN : Number(every.trim().replace(',', '.'));
  // Text that is no number is sent as it is: the API says what is wrong with it.
  const seconds = Number.isFinite(count) ? Math.round(count * units[unit] * 1e6) / 1e6 : every;
  return { scheduleType, timezone: zone, periodSeconds: seconds as number };
}

/** The fields of the API that must be filled in and are not, the first one first. */
export function emptyInSchedule({
  scheduleType,
  cronExpr,
  every,
  timezone,
}: ScheduleForm): string[] {
  return emptyOf(
    scheduleType === 'cron' ? { cronExpr, timezone } : { periodSeconds: every, timezone },
  );
}

/** Whether there is enough of it to show when it is due. */
export function isFilledIn({ scheduleType, cronExpr, every }: ScheduleForm): boolean {
  return (scheduleType === 'cron' ? cronExpr : every).trim() !== '';
}

/** Whether two schedules are the same to the API. */
export function sameTyped(one: ScheduleForm, other: ScheduleForm): boolean {
  return JSON.stringify(scheduleFields(one)) === JSON.stringify(scheduleFields(other));
}
