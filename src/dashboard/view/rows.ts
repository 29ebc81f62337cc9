/** Rows of a list: those that stay where they are while somebody points at them, and those of one day. */

import { dateIn, dayIn } from './times.ts';

/** A row of a list: its id, or the number of an entry, stays the same. */
export type Row = { id: string } | { number: number };

/** What tells a row from the others. */
export function nameOf(row: Row): string | number {
  return 'id' in row ? row.id : row.number;
}

/** Rows as they are to be shown, and how many changes of their order wait. */
export interface HeldRows<T> {
  rows: readonly T[];
  waiting: number;
}

/** The rows in their old order with what is known now of each. New ones are only taken at the end; of an empty list, none. */
export function inPlace<T extends Row>(before: readonly T[], after: readonly T[]): HeldRows<T> {
  const known = new Map(after.map((row) => [nameOf(row), row]));
  const old = new Set(before.map(nameOf));
  const isOld = (row: T): boolean => old.has(nameOf(row));
  const lastOld = after.findLastIndex(isOld);
  const stayed = before.map(nameOf).filter((name) => known.has(name));
  const inOrder = after.filter(isOld).map(nameOf);
  const came = before.length === 0 ? after.length : lastOld + 1 - inOrder.length;
  const isMoved = stayed.some((name, index) => name !== inOrder[index]);
  return {
    rows: [
      ...before.map((row) => known.get(nameOf(row)) ?? row),
      ...(before.length === 0 ? [] : after.slice(lastOld + 1)),
    ],
    waiting: came + before.length - stayed.length + (isMoved ? 1 : 0),
  };
}

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
