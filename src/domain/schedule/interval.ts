/** How often a schedule fires at most, which is what a plan limits. */
import { firstDayOfMonth, minutesPerDay } from './calendar.ts';
import { parseCron } from './cron.ts';
import { type CronFields, matchingDays, nextMinuteOfDay, previousMinuteOfDay } from './match.ts';
import type { Schedule } from './schedule.ts';

/** The calendar repeats every 28 years within these, and no expression is rarer than that. */
const firstMonth = 2000 * 12;
const lastMonth = 2060 * 12;

/**
 * The smallest number of seconds between two due times of a schedule, as its clock shows them:
 * the shortening of one interval by a daylight-saving change does not count.
 * Throws invalid_input for an invalid cron expression.
 */
export function smallestInterval(schedule: Schedule): number {
  if (schedule.scheduleType === 'once') return Infinity;
  if (schedule.scheduleType === 'period') return schedule.periodSeconds;
  const fields = parseCron(schedule.cronExpr);
  const minutes = Math.min(withinDay(fields), acrossDays(fields));
  return minutes * 60;
}

function withinDay(fields: CronFields): number {
  let smallest = Infinity;
  let at = nextMinuteOfDay(fields, 0);
  while (at < minutesPerDay - 1) {
    const next = nextMinuteOfDay(fields, at + 1);
    if (next === -1) break;
    smallest = Math.min(smallest, next - at);
    at = next;
  }
  return smallest;
}

function acrossDays(fields: CronFields): number {
  const first = nextMinuteOfDay(fields, 0);
  const last = previousMinuteOfDay(fields, minutesPerDay - 1);
  return smallestDayDistance(fields) * minutesPerDay + first - last;
}

function smallestDayDistance(fields: CronFields): number {
  let smallest = Infinity;
  let previous = -Infinity;
  for (let month = firstMonth; month < lastMonth && smallest > 1; month += 1) {
    const days = matchingDays(fields, month);
    const dayBefore = firstDayOfMonth(month) - 1;
    for (let rest = days; rest !== 0; rest &= rest - 1) {
      const day = dayBefore + 31 - Math.clz32(rest & -rest);
      smallest = Math.min(smallest, day - previous);
      previous = day;
    }
  }
  return smallest;
}
