/** The report of a month: its jobs and monitors, a page at a time, and the receipts of a job. */

import { setImmediate } from 'node:timers/promises';
import { JobdError } from '../../domain/errors.ts';
import type { ListedJob } from '../../domain/jobs/listed-job.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { Selector } from '../../domain/labels.ts';
import type { App, Principal } from '../../app/app.ts';
import { requireJob } from '../../app/jobs/keep-job.ts';
import { listMonitors } from '../../app/monitors/monitors.ts';
import { jobCursor, listJobs } from '../../app/overview/jobs.ts';
import { pageOf, parseRunCursor, runCursor } from '../../app/page.ts';
import type { Page, PageRequest } from '../../app/page.ts';
import type { RunPosition } from '../../store/runs/runs.ts';
import { countsByReason } from '../ledger/accounted.ts';
import { checkLedgerPage, type LedgerPosition } from '../ledger/entries.ts';
import { countRuns, type Figures } from './figures.ts';
import type { Month } from './month.ts';
import { countPings, listCountedRuns, listReceiptTexts } from './query.ts';

/** Runs that one statement reads: some milliseconds. */
const runsAtOnce = 1_000;
/** A page ends with the job with which it has read more. */
const runsPerPage = 20_000;
/** The most runs of one job: twice as many as a month has minutes. */
const mostRuns = 100_000;

/** Whose report, and which page of it. */
export interface ReportRequest extends PageRequest {
  selector: Selector | null;
  month: Month;
  /** Stops it at its next step. */
  signal?: AbortSignal | undefined;
}

/** What became of a job in a month. Times are epoch milliseconds. */
export interface JobReport extends Figures {
  job: ListedJob;
  /** Due times of its schedules that have passed. */
  due: number;
  /** Those of them that a missed run stands for. */
  missed: number;
  /** Due times that a window held; they are not in `due`. */
  held: number;
  /** Those of the due without any trace. */
  unaccounted: number;
  /** From when on its runs were counted, if not from the beginning of the month: others were removed, or are too many. */
  countedFrom: number | null;
}

/** What was heard of a monitor in a month. */
export interface MonitorReport {
  monitor: Monitor;
  success: number;
  failed: number;
  countedFrom: number | null;
}

/** A page of the jobs of a report, and how many runs were `read` for it. Throws `invalid_input`. */
export async function reportJobs(
  app: App,
  principal: Principal,
  { month, selector, signal, ...request }: ReportRequest,
): Promise<Page<JobReport> & { read: number }> {
  const search = selector && { text: null, selector };
  const asked = { ...request, search, filter: null, order: 'newest' } as const;
  const { items: jobs, nextCursor } = await listJobs(app, principal, asked);
  const items: JobReport[] = [];
  let read = 0;
  for (const [index, job] of jobs.entries()) {
    const found = await reportJob(app, principal, job, month, signal).catch(unlessGone);
    if (found !== null) items.push(found.report);
    read += found?.read ?? 0;
    const isLast = index === jobs.length - 1;
    if (read >= runsPerPage && !isLast) {
      return { items, read, nextCursor: jobCursor('newest', job) };
    }
  }
  return { items, read, nextCursor };
}

/** Null for a job that was deleted meanwhile. */
function unlessGone(error: unknown): null {
  if (error instanceof JobdError && error.code === 'not_found') return null;
  throw error;
}

async function reportJob(
  app: App,
  { workspaceId }: Principal,
  job: ListedJob,
  { from: begin, until }: Month,
  signal: AbortSignal | undefined,
): Promise<{ report: JobReport; read: number }> {
  const { db } = app.store;
  const ledger = { due: 0, missed: 0, held: 0, unaccounted: 0 };
  const asked = {
    workspaceId,
    jobId: job.id,
    after: begin - 1,
    until: until - 1,
    limit: 1,
    signal,
  };
  let countedFrom: number | null = null;
  let checked = 0;
  for (let at: LedgerPosition | null = null; ;) {
    const { jobs, next, read: more } = await checkLedgerPage(app, asked, at);
    checked += more;
    for (const { called, missed, waiting, explained, unaccounted, keptFrom } of jobs) {
      const without = unaccounted.reduce((sum, { count }) => sum + count, 0);
      ledger.due += called + missed + waiting + without;
      ledger.missed += missed;
      ledger.held += countsByReason(explained).held;
      ledger.unaccounted += without;
      if (at === null) countedFrom = keptFrom;
    }
    if (next === null) break;
    at = next;
    await setImmediate(null, { signal });
  }
  const { add, figures } = countRuns(Math.min(until, app.clock.now()));
  const from = countedFrom === null ? begin : countedFrom + 1;
  let before: RunPosition = { scheduledFor: until, source: 'manual' };
  let read = 0;
  for (; ; await setImmediate(null, { signal })) {
    const runs = await listCountedRuns(db, job.id, { from, before, limit: runsAtOnce });
    for (const run of runs) add(run);
    read += runs.length;
    before = runs.at(-1) ?? before;
    if (runs.length < runsAtOnce) break;
    if (read < mostRuns) continue;
    countedFrom = before.scheduledFor;
    break;
  }
  return {
    report: { job, ...ledger, ...figures, countedFrom },
    read: read + Math.max(ledger.due, checked),
  };
}

/** A page of the monitors of a report. Throws `invalid_input`. */
export async function reportMonitors(
  app: App,
  principal: Principal,
  { month, signal, ...request }: ReportRequest,
): Promise<Page<MonitorReport>> {
  const asked = { ...request, name: null, idPrefix: null };
  const { items, nextCursor } = await listMonitors(app, principal, asked);
  const reports: MonitorReport[] = [];
  for (const monitor of items) {
    const { oldest, oldestAt, ...pings } = await countPings(app.store.db, monitor.id, month);
    const isCut = oldest !== null && oldest > 1 && (oldestAt ?? 0) > month.from;
    reports.push({ monitor, ...pings, countedFrom: isCut ? oldestAt : null });
    await setImmediate(null, { signal });
  }
  return { items: reports, nextCursor };
}

/** A page of the receipts of a job's runs in a month, newest first, as text in canonical form. Throws `not_found` and `invalid_input`. */
export async function listReceipts(
  { store: { db } }: App,
  principal: Principal,
  jobId: string,
  { month: { from, until }, limit, cursor }: Omit<ReportRequest, 'selector'>,
): Promise<Page<string>> {
  const { id } = await requireJob(db, principal, jobId);
  const list = `${id} receipts`;
  const end: RunPosition = { scheduledFor: until, source: 'manual' };
  const before = cursor === null ? end : parseRunCursor(list, cursor);
  const runs = await listReceiptTexts(db, id, { from, before, limit: limit + 1 });
  const page = pageOf(runs, limit, (last) => runCursor(list, last));
  return { ...page, items: page.items.flatMap(({ text }) => text ?? []) };
}
