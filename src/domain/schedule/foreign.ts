/**
 * Schedules in the forms of other programs, and what to write instead. They are refused, as they differ from cron in
 * details that nobody sees, but with words of their own.
 */

import { durationOf, unitSeconds } from '../durations.ts';

/** What an expression seems to be, and what to write instead; null for one in no known form. */
export function foreignHint(expression: string): string | null {
  // An expression is short; a message about one is, too.
  if (expression.length > 100) return null;
  const text = expression.trim().replaceAll(/\s+/g, ' ');
  return zoneHint(text) ?? intervalHint(text) ?? calendarHint(text) ?? fieldsHint(text);
}

const units: Readonly<Record<string, number>> = {
  ...unitSeconds,
  second: 1,
  min: 60,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
};

/** The seconds of a duration such as `1h30m`; null if it is none. */
export function secondsOf(duration: string): number | null {
  if (!/^(?:\d{1,8}[smhd])+$/.test(duration)) return null;
  const parts = duration.matchAll(/(\d{1,8})([smhd])/g);
  return parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * (units[unit] ?? 0), 0);
}

function zoneHint(text: string): string | null {
  const [, before] = /^(?:CRON_)?TZ=(\S+) /.exec(text) ?? [];
  const [, after] = /^(?:\S+ ){5}([A-Za-z_]+\/[\w/+-]+|UTC|GMT)$/.exec(text) ?? [];
  const zone = before ?? after;
  return zone === undefined ? null : `the zone is a setting of its own: set timezone to ${zone}`;
}

function intervalHint(text: string): string | null {
  const [, go] = /^@every (\S+)$/i.exec(text) ?? [];
  const [, count, unit = ''] =
    /^(?:rate\(|@?every )(?:(\d{1,6}) ?)?(s|m|h|d|second|min|minute|hour|day|week)s?\)?$/i.exec(
      text,
    ) ?? [];
  const seconds =
    go === undefined ? Number(count ?? 1) * (units[unit.toLowerCase()] ?? 0) : secondsOf(go);
  if (seconds === null || seconds === 0) return null;
  return `it is an interval: instead of an expression, set a period of ${seconds} seconds (--every ${durationOf(seconds)})`;
}

const shorthands: Readonly<Record<string, string>> = {
  minutely: '* * * * *',
  hourly: '@hourly',
  daily: '@daily',
  weekly: '@weekly',
  monthly: '@monthly',
  yearly: '@yearly',
  annually: '@annually',
  quarterly: '0 0 1 1,4,7,10 *',
};

/** OnCalendar of systemd (systemd.time(7)). */
function calendarHint(text: string): string | null {
  const shorthand = shorthands[text.toLowerCase()];
  if (shorthand !== undefined) return write(shorthand);
  if (/^@reboot$/i.test(text)) return 'jobd starts nothing when a machine starts';
  const isCalendar = /^[a-z.,-]* ?[\d*]{1,4}-[\d*]{1,2}-[\d*]/i.test(text);
  if (!isCalendar && !/^[a-z]{3}[a-z.,]* \d{1,2}:\d{2}/i.test(text)) return null;
  const [, days, day = '*', hour, minute] =
    /^(?:([a-z]{3}(?:(?:\.\.|,)[a-z]{3})*) )?(?:\*-\*-(\*|\d{1,2}) )?(\d{1,2}):(\d{2})(?::00)?$/i.exec(
      text,
    ) ?? [];
  const form = 'it is a calendar of systemd';
  // There, both the date and the weekday must match.
  if (minute === undefined || (days !== undefined && day !== '*')) return `${form}, not cron`;
  const weekdays = days?.toLowerCase().replaceAll('..', '-') ?? '*';
  return `${form}: ${write(`${Number(minute)} ${Number(hour)} ${day} * ${weekdays}`)}`;
}

/** Six or seven fields: with seconds (Quartz, Spring), or with a year (AWS). */
function fieldsHint(text: string): string | null {
  const isAws = /^cron\(.*\)$/i.test(text);
  const fields = (isAws ? text.slice(5, -1) : text).split(' ');
  if (!fields.every((field) => /^[\w*?,/#-]+$/.test(field))) return null;
  const [last = ''] = fields.slice(-1);
  const hasYear = /^(?:19|20)\d\d/.test(last) || fields.length === 7;
  const isYearOnly = fields.length === 6 && (hasYear || fields[2] === '?' || fields[4] === '?');
  if (!isAws && fields.length !== 6 && fields.length !== 7) return null;
  const form =
    isAws || isYearOnly ? 'it seems to end with a year' : 'it seems to begin with seconds';
  const five = (isAws || isYearOnly ? fields : fields.slice(1)).slice(0, 5);
  if (five.length < 5) return null;
  const [minute, hour, date, month, weekday = ''] = five.map((field) => field.replace('?', '*'));
  const hasMarks = five.some((field) => field.includes('?'));
  if (hasMarks && /\d/.test(weekday)) {
    return `${form}, and counts the days of the week from 1 for Sunday: write the five fields of cron`;
  }
  return `${form}: ${write([minute, hour, date, month, weekday].join(' '))}`;
}

function write(expression: string): string {
  return `write ${expression}`;
}
