/**
 * An independent implementation of due times: it goes through every minute of a window, asks Intl
 * for the wall-clock time, and matches the fields one by one. It understands numbers, `*`, ranges,
 * steps, lists, `L` and `#`.
 */

/** The minutes of a window and the wall-clock time of a zone in each; UTC and local minutes. */
export interface Window {
  from: number;
  local: number[];
  /** Of each minute, whether its wall-clock time came before. */
  isRepeated: boolean[];
  /** The wall-clock times that were left out just before a minute, by its place. */
  leftOut: Map<number, number[]>;
}

/** Asks Intl for the local time of each minute of [from, from + minutes). */
export function readWindow(timezone: string, from: number, minutes: number): Window {
  const format = clockOf(timezone);
  const local = Array.from({ length: minutes }, (_, minute) => format(from + minute));
  const seen = new Set<number>();
  const isRepeated = local.map((time) => seen.size === seen.add(time).size);
  const leftOut = new Map<number, number[]>();
  for (const [index, time] of local.entries()) {
    const previous = local[index - 1] ?? time;
    const missing = Array.from({ length: Math.max(0, time - previous - 1) }, (_, at) => at);
    if (missing.length > 0)
      leftOut.set(
        index,
        missing.map((at) => previous + 1 + at),
      );
  }
  return { from, local, isRepeated, leftOut };
}

/** Turns a UTC minute into the wall-clock minute of the zone, both since 1970. */
export function clockOf(timezone: string): (minute: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (minute) => {
    const shown = format.format(minute * 60_000).split(/\D+/);
    const [month = 0, day = 0, year = 0, hour = 0, minuteOfHour = 0] = shown.map(Number);
    return Date.UTC(year, month - 1, day, hour, minuteOfHour) / 60_000;
  };
}

/** The UTC minutes of a window in which an expression is due. */
export function dueMinutes(cronExpr: string, window: Window): number[] {
  const matches = matcher(cronExpr);
  const [minutes, hours] = cronExpr.split(' ');
  const isFixed = !`${minutes} ${hours}`.includes('*');
  const due: number[] = [];
  for (const [index, local] of window.local.entries()) {
    let fires = matches(local);
    if (isFixed) {
      if (window.isRepeated[index]) fires = false;
      if (window.leftOut.get(index)?.some(matches)) fires = true;
    }
    if (fires) due.push(window.from + index);
  }
  return due;
}

function matcher(cronExpr: string): (local: number) => boolean {
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = cronExpr.split(' ');
  const [minutes, hours] = [membership(minute, 0, 59), membership(hour, 0, 23)];
  const isDueAt = Array.from(
    { length: 1440 },
    (_, at) => minutes.has(`${at % 60}`) && hours.has(`${Math.floor(at / 60)}`),
  );
  const days = membership(dayOfMonth, 1, 31);
  const months = membership(month, 1, 12);
  const weekdays = membership(dayOfWeek, 0, 7);
  const both = dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*');
  const isDueOn = (local: number): boolean => {
    const date = new Date(local * 60_000);
    if (!months.has(`${date.getUTCMonth() + 1}`)) return false;
    const day = date.getUTCDate();
    const length = new Date(
      Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0),
    ).getUTCDate();
    const byDate = days.has(`${day}`) || (days.has('L') && day === length);
    const names = date.getUTCDay() === 0 ? ['0', '7'] : [`${date.getUTCDay()}`];
    const byWeekday = names.some(
      (name) =>
        weekdays.has(name) ||
        weekdays.has(`${name}#${Math.ceil(day / 7)}`) ||
        (weekdays.has(`${name}L`) && day + 7 > length),
    );
    return both ? byDate && byWeekday : byDate || byWeekday;
  };
  return (local) => isDueAt[local % 1440] === true && isDueOn(local);
}

/** Every value of a field, as text; `L` and `#` items stay as they are. */
function membership(field: string, least: number, most: number): Set<string> {
  const members = new Set<string>();
  for (const item of field.split(',')) {
    if (/[L#]/.test(item)) members.add(item);
    else {
      const [range = '', step] = item.split('/');
      const [first, last] = range === '*' ? [`${least}`, `${most}`] : range.split('-');
      const end = last ?? (step === undefined ? first : `${most}`);
      for (let value = Number(first); value <= Number(end); value += Number(step ?? 1)) {
        members.add(`${value}`);
      }
    }
  }
  return members;
}
