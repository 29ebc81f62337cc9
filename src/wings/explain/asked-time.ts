/** The time that a person asks about: an instant, or what the clocks of the job's zone showed. */

import { parseIsoTime } from '../../domain/clock.ts';
import { got, invalidInput } from '../../domain/errors.ts';
import { checkYear, localMoments, parseLocal } from '../../domain/schedule/local-moments.ts';

/** An instant in epoch milliseconds, and how it was found. */
export interface AskedTime {
  at: number;
  /** `now`: nothing was given. */
  form: 'now' | 'instant' | 'local';
  /** The local time that was given; null for the other forms. */
  text: string | null;
  /** `skipped`: the clocks never showed it, so it is when they were set forward. `repeated`: the first time they did. */
  clocks: 'once' | 'skipped' | 'repeated';
  /** The second time the clocks showed it; null unless it is `repeated`. */
  again: number | null;
}

/**
 * Reads a time in RFC 3339, or a local time of the zone; a time of day without a date is the last one before `now`. Null is
 * `now`. Throws `invalid_input`, naming the field.
 */
export function readAskedTime(
  field: string,
  text: string | null,
  { zone, now }: { zone: string; now: number },
): AskedTime {
  if (text === null) return { ...once, at: now, form: 'now' };
  const given = text.trim();
  const instant = parseIsoTime(given.replace(' ', 'T'));
  const asked =
    instant === null
      ? localTime(given, zone, now)
      : { ...once, at: instant, form: 'instant' as const };
  if (asked === null) {
    const right =
      'a time such as 2026-11-24T02:30:00Z, or a local time in the zone of the job such as "2026-11-24 02:30" or 02:30';
    throw invalidInput(`${field} must be ${right}, ${got(text)}`);
  }
  checkYear(field, text, asked.at);
  return asked;
}

const once = { text: null, clocks: 'once', again: null } as const;

function localTime(text: string, zone: string, now: number): AskedTime | null {
  const local = parseLocal(text);
  const found = local && localMoments(zone, local.date, local.time, now);
  if (found === null) return null;
  const { first, second: again, isSkipped } = found;
  const clocks = isSkipped ? 'skipped' : again === null ? 'once' : 'repeated';
  return { at: first, form: 'local', text, clocks, again };
}

/** An instant that is asked about. */
export function askedAt(at: number): AskedTime {
  return { ...once, at, form: 'instant' };
}

/** The beginning of the minute of an instant. */
export function minuteOf(at: number): number {
  return Math.floor(at / 60_000) * 60_000;
}
