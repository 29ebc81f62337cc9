/** Rows below the days they belong to. */

import { dateIn, dayIn } from './times.ts';

/** Consecutive rows of one day. */
export interface DayOfRows<T> {
  /** `2026-11-23`. */
  date: string;
  /** `Today`, `Yesterday`, `Mon 23 Nov`. */
  title: string;
  rows: T[];
}

const dayMs = 86_400_000;

/** Groups rows by the day of their time, in the order they have. */
export function byDay<T>(
  rows: readonly T[],
  timeOf: (row: T) => string,
  nowMs: number,
  zone?: string,
): DayOfRows<T>[] {
  const days: DayOfRows<T>[] = [];
  const today = dateIn(nowMs, zone);
  const yesterday = dateIn(nowMs - dayMs, zone);
  for (const row of rows) {
    const at = timeOf(row);
    const date = dateIn(Date.parse(at), zone);
    const last = days.at(-1);
    if (last?.date === date) last.rows.push(row);
    else {
      const word = date === today ? 'Today, ' : date === yesterday ? 'Yesterday, ' : '';
      days.push({ date, title: word + dayIn(at, nowMs, zone), rows: [row] });
    }
  }
  return days;
}
