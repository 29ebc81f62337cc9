/** Times as people read them, with their zone. `zone` is an IANA name everywhere; that of this browser by default. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format costs far more than using it, so each is made once. A zone that this browser lacks is shown in UTC, and says so. */
function format(options: Intl.DateTimeFormatOptions, zone?: string): Intl.DateTimeFormat {
  const key = JSON.stringify([options, zone]);
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = makeFormat(options, zone);
  formats.set(key, made);
  return made;
}

function makeFormat(options: Intl.DateTimeFormatOptions, zone?: string): Intl.DateTimeFormat {
  const inZone = { hourCycle: 'h23', ...options, ...(zone !== undefined && { timeZone: zone }) };
  try {
    return new Intl.DateTimeFormat('en-GB', inZone as Intl.DateTimeFormatOptions);
  } catch {
    return makeFormat({ ...options, timeZoneName: 'short' }, 'UTC');
  }
}

type Parts = Partial<Record<Intl.DateTimeFormatPartTypes, string>>;

function partsOf(at: number, options: Intl.DateTimeFormatOptions, zone?: string): Parts {
  const parts = format(options, zone).formatToParts(at);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

const time = { hour: '2-digit', minute: '2-digit' } as const;
const withSecond = { ...time, second: '2-digit' } as const;
const withMillisecond = { ...withSecond, fractionalSecondDigits: 3 } as const;
const shortDay = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
const longDay = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;

/** The time of a day: `02:30`, `02:30:00`, `02:30:00.003`. */
export function clock(
  iso: string,
  zone?: string,
  { withSeconds = false, withMs = false }: { withSeconds?: boolean; withMs?: boolean } = {},
): string {
  const options = withMs ? withMillisecond : withSeconds ? withSecond : time;
  return format(options, zone).format(Date.parse(iso));
}

/** A day: `Mon 23 Nov`, with the year if it is not that of `nowMs`. */
export function dayIn(iso: string, nowMs: number, zone?: string): string {
  const { weekday, day, month, year } = partsOf(Date.parse(iso), shortDay, zone);
  const isThisYear = partsOf(nowMs, shortDay, zone).year === year;
  return `${weekday} ${day} ${month}${isThisYear ? '' : ` ${year}`}`;
}

/** A time with its day, short: `Mon 23 Nov 02:30`, with the year if it is not that of `nowMs`. */
export function timeIn(iso: string, nowMs: number, zone?: string): string {
  return `${dayIn(iso, nowMs, zone)} ${clock(iso, zone)}`;
}

/** The date of a time: `2026-11-23`. */
export function dateIn(at: number, zone?: string): string {
  const {
    year = '',
    month,
    day,
  } = partsOf(at, { year: 'numeric', month: '2-digit', day: '2-digit' }, zone);
  return `${year.padStart(4, '0')}-${month}-${day}`;
}

/** A time as a field for date and time has it: `2026-12-01T09:00`, with seconds if it has some. */
export function localIn(iso: string, zone: string): string {
  const at = Date.parse(iso);
  return `${dateIn(at, zone)}T${clock(iso, zone, { withSeconds: at % 60_000 !== 0 })}`;
}

/** The month of a date: `Nov 2026`. */
export function monthIn(date: string): string {
  return format({ month: 'short', year: 'numeric' }, 'UTC').format(Date.parse(date));
}

/** All there is to a time, for a tooltip: `Monday, 23 November 2026 at 02:30:00 CET (Europe/Paris)`. */
export function absolute(iso: string, zone = browserZone()): string {
  const text = format({ ...longDay, ...withSecond, timeZoneName: 'short' }, zone).format(
    Date.parse(iso),
  );
  return text.endsWith(` ${zone}`) ? text : `${text} (${zone})`;
}

/** The zone of this browser. */
export function browserZone(): string {
  return format({}).resolvedOptions().timeZone;
}

/** Whether two names are those of one zone: `Asia/Kolkata` and `Asia/Calcutta`. */
export function sameZone(one: string, other: string): boolean {
  return one === other || resolved(one) === resolved(other);
}

function resolved(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return zone;
  }
}

/** `Europe/Paris` is `Paris` where there is little room. */
export function city(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}
