/** A month as the calendar of a zone has it. */

import { msPerDay } from '../../domain/clock.ts';
import { got, invalidInput } from '../../domain/errors.ts';
import { dayReader, isoDay, startOfDay } from '../../domain/schedule/local-days.ts';
import { checkYear } from '../../domain/schedule/local-moments.ts';

/** A month, such as 2026-11, in a zone; from `from` on and before `until`, in epoch milliseconds. */
export interface Month {
  month: string;
  timezone: string;
  from: number;
  until: number;
}

/**
 * The month of this name, or the last one that is over at `now`, epoch milliseconds. The zone must have passed `canonicalZone`. Throws
 * `invalid_input`, also for a month that has not begun.
 */
export function readMonth(month: string | undefined, timezone: string, now: number): Month {
  const text = month ?? monthBefore(timezone, now);
  const [, year, index] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (index === undefined) throw invalidInput(`month must be one such as 2026-11, ${got(text)}`);
  const startOf = (after: number): number => {
    const at = Date.UTC(Number(year), Number(index) - 1 + after);
    checkYear('month', text, at);
    return startOfDay(timezone, at / msPerDay);
  };
  const [from, until] = [startOf(0), startOf(1)];
  if (from > now) throw invalidInput(`month must have begun, ${got(text)}`);
  return { month: text, timezone, from, until };
}

function monthBefore(timezone: string, now: number): string {
  const today = dayReader(timezone)(now);
  return isoDay(today - Number(isoDay(today).slice(8))).slice(0, 7);
}
