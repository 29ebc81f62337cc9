/** The history of a job: what a request asks for, and each run in a line. */

import type { RunList, RunSummary } from '../../api/runs/contract.ts';
import { errorDetail } from '../../domain/runs/reason.ts';
import { duration, figures, span } from './figures.ts';
import { originWords, whyOf } from './run.ts';
import { absolute, browserZone, clock, dateIn, dayIn, sameZone, timeIn } from './times.ts';

/** Which runs are shown. */
export interface HistoryChoice {
  /** One status; null for all. */
  status: string | null;
  /** Runs that were due before the beginning of this day of the job's zone, such as `2026-11-23`; null for all. */
  before: string | null;
}

export interface RunLine {
  /** The sign beside it. */
  glyph: Exclude<RunSummary['status'], 'queued'> | 'new';
  /** `Mon 23 Nov 02:30:00`. */
  time: string;
  /** What is out of the ordinary: by hand, late, several attempts. */
  remarks: string[];
  /** Empty if it is not known. */
  took: string;
  /** Why it was no success, without the word that the status is already. Its times are those of the zone. */
  error: string | null;
}

export const pageOfRuns = 100;
const dayMs = 86_400_000;

/** What the address asks for; a value that is no date is ignored. */
export function historyChoice(query: URLSearchParams): HistoryChoice {
  const before = query.get('before');
  const isDate = before !== null && /^\d{4}-\d\d-\d\d$/.test(before);
  const isReal = isDate && !Number.isNaN(Date.parse(before));
  return { status: query.get('status'), before: isReal ? before : null };
}

/** The request for a page of runs. `zone` is that of the job. */
export function historyPath(id: string, { status, before }: HistoryChoice, zone: string): string {
  const asked = new URLSearchParams({ limit: String(pageOfRuns) });
  if (status !== null) asked.set('status', status);
  if (before !== null) asked.set('before', new Date(startOfDay(before, zone)).toISOString());
  return `/jobs/${id}/history?${asked.toString()}`;
}

/** The first minute of a day in a zone, in milliseconds since 1970. Days do not always begin at 00:00. */
export function startOfDay(date: string, zone: string): number {
  const minute = 60_000;
  let [before, after] = [Date.parse(date) - 16 * 60 * minute, Date.parse(date) + 16 * 60 * minute];
  while (after - before > minute) {
    const middle = before + Math.floor((after - before) / minute / 2) * minute;
    if (dateIn(middle, zone) < date) before = middle;
    else after = middle;
  }
  return after;
}

/** A date some days later or, with a negative number, earlier. */
export function daysLater(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);
}

/** Puts a run of a job into a line. `zone` is that of the job. */
export function runLine(run: RunSummary, jobId: string, zone: string, nowMs: number): RunLine {
  const { status, scheduledFor, startedAt, attempts, durationMs } = run;
  const lateMs = startedAt === null ? 0 : Date.parse(startedAt) - Date.parse(scheduledFor);
  return {
    glyph: status === 'queued' ? 'new' : status,
    time: `${dayIn(scheduledFor, nowMs, zone)} ${clock(scheduledFor, zone, { withSeconds: true })}`,
    remarks: [
      ...(run.source === 'manual' ? [originWords(run, jobId)] : []),
      ...(lateMs > 1_000 ? [`${span(lateMs)} late`] : []),
      ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ],
    took: durationMs === null ? '' : duration(durationMs),
    error: errorOf(run, zone, nowMs),
  };
}

/** How many of the kept runs that ended with a result succeeded: `98.2 % of 1,204 kept runs succeeded`; null of fewer than two. */
export function successRate({ success, failed, missed }: RunList['totals']): string | null {
  const count = success + failed;
  if (count < 2) return null;
  // Nothing but all of them is 100 %.
  const rate = `${Math.floor((success / count) * 1_000) / 10} % of ${figures(count)} kept runs succeeded`;
  if (missed === 0) return rate;
  return `${rate}; ${missed === 1 ? '1 row is' : `${figures(missed)} rows are`} of due times that were missed`;
}

function errorOf(run: RunSummary, zone: string, nowMs: number): string | null {
  const why = whyOf(run);
  if (why === null || run.status === 'failed') return run.error;
  return errorDetail(why, (iso) => timeIn(iso, nowMs, zone));
}

/** The whole time in the zone of the job, and in this browser's if it is another one. */
export function inBothZones(iso: string, zone: string, here = browserZone()): string {
  const there = absolute(iso, zone);
  return sameZone(zone, here) ? there : `${there}\n${absolute(iso, here)}`;
}

/** A name for a copy, within the limit of names. */
export function copyName(name: string): string {
  const room = 120 - ' (copy)'.length;
  return `${Array.from(name).slice(0, room).join('')} (copy)`;
}
