/** The calendar of a job: what the runs of each day came to. */

import type { JobDays } from '../../api/runs/contract.ts';
import { duration } from './figures.ts';
import { dateIn, dayIn, monthIn } from './times.ts';

/** The worst that happened; `none` if no run was due, `unknown` if no runs of that day are kept. */
export type DayKind = 'good' | 'failed' | 'missed' | 'interrupted' | 'none' | 'unknown';

/** A day in the zone of the job. */
export interface DayCell {
  /** 2026-11-22. */
  date: string;
  kind: DayKind;
  /** The day for readers: `Sat 22 Nov: 23 success, 1 failed, median 31 ms`. */
  label: string;
}

/** A row of the calendar, oldest day first. */
export interface MonthOfDays {
  /** `Nov 2026`. */
  month: string;
  cells: DayCell[];
}

type Day = JobDays['days'][number];

const words = ['success', 'failed', 'interrupted', 'missed'] as const;

/**
 * The last `count` days as months, oldest first. `count` is what was asked of the API, `zone` that of the job. Days that
 * are not in the answer are unknown, never good.
 */
export function calendar(
  { days, since, isPartial }: JobDays,
  { count, zone, nowMs }: { count: number; zone: string; nowMs: number },
): MonthOfDays[] {
  const firstKnown = since === null ? null : dateIn(Date.parse(since), zone);
  const known = days.map((day): DayCell => {
    // Runs of the day on which they begin to be kept may be gone already.
    const isCut = day.date === firstKnown && (isPartial || day.date !== dateIn(nowMs, zone));
    return { date: day.date, kind: kindOf(day), label: label(day.date, textOf(day, isCut), nowMs) };
  });
  const months: MonthOfDays[] = [];
  for (const cell of [...unknownDays(known, { count, zone, nowMs }), ...known]) {
    const month = monthIn(cell.date);
    const last = months.at(-1);
    if (last?.month === month) last.cells.push(cell);
    else months.push({ month, cells: [cell] });
  }
  return months;
}

/** The days before the known ones. */
function unknownDays(
  known: readonly DayCell[],
  { count, zone, nowMs }: { count: number; zone: string; nowMs: number },
): DayCell[] {
  const missing = Math.max(0, count - known.length);
  const end =
    Date.parse(known[0]?.date ?? dateIn(nowMs, zone)) + (known.length === 0 ? msPerDay : 0);
  return Array.from({ length: missing }, (_, index) => {
    const date = new Date(end - (missing - index) * msPerDay).toISOString().slice(0, 10);
    return { date, kind: 'unknown', label: label(date, 'no runs are kept', nowMs) };
  });
}

const msPerDay = 86_400_000;

function kindOf(day: Day): DayKind {
  if (day.failed > 0) return 'failed';
  if (day.missed > 0) return 'missed';
  if (day.interrupted > 0) return 'interrupted';
  return day.success > 0 ? 'good' : 'none';
}

function textOf(day: Day, isCut: boolean): string {
  const counts = words.flatMap((word) => (day[word] === 0 ? [] : [`${day[word]} ${word}`]));
  if (counts.length === 0) return 'no runs';
  const median = day.medianMs === null ? [] : [`median ${duration(day.medianMs)}`];
  return [...counts, ...median].join(', ') + (isCut ? ', earlier runs may be gone' : '');
}

function label(date: string, text: string, nowMs: number): string {
  return `${dayIn(date, nowMs, 'UTC')}: ${text}`;
}
