/**
 * Compares a data directory with the requests that the target saw: every due time is accounted for,
 * none is called twice, and no run claims what did not happen. It reads the file itself, with or
 * without a running daemon, and changes nothing.
 */

import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Arrival } from '../fakes/witness.ts';

export interface JobBooks {
  id: string;
  name: string;
  schedule_type: 'cron' | 'period';
  cron_expr: string | null;
  period_seconds: number | null;
  anchor_at: number;
  adjustments: string | null;
  paused: number;
  notes: string;
  active_run_id: string | null;
  next_run_at: number | null;
  created_at: number;
  deleted_at: number | null;
  total_success: number;
  total_failed: number;
  total_interrupted: number;
  total_missed: number;
}

export interface RunBooks {
  id: string;
  job_id: string;
  source: 'scheduled' | 'manual';
  status: 'queued' | 'running' | 'success' | 'failed' | 'interrupted' | 'missed';
  scheduled_for: number;
  started_at: number | null;
  error: string | null;
  idempotency_key: string | null;
}

export interface Books {
  jobs: JobBooks[];
  runs: RunBooks[];
  /** Errors found by SQLite itself. */
  damage: string[];
}

/** All runs, also those whose calls are in flight: these have a row only if they had one before. */
export const everyRun = `
  select id, job_id, source, status, scheduled_for, started_at, last_due_at, missed_count,
    detail, idempotency_key from runs
  union all
  select active_run_id, id, 'scheduled', 'running', active_for, active_since, null, null, null,
    null
  from jobs where active_run_id is not null and active_run_id not in (select id from runs)`;

export interface RunRecord extends Omit<RunBooks, 'error'> {
  last_due_at: number | null;
  missed_count: number | null;
  detail: string | null;
}

/** What it says. A missed run says which due times it stands for. */
export function runBooks({
  last_due_at: last,
  missed_count: count,
  detail,
  ...run
}: RunRecord): RunBooks {
  const times = [run.scheduled_for, last ?? 0].map((at) => new Date(at).toISOString());
  const error = count === null ? detail : `missed: ${count} due times from ${times.join(' to ')}`;
  return { ...run, error };
}

/** Reads a data directory in one snapshot. */
export function readBooks(dataDir: string): Books {
  const database = new Database(join(dataDir, 'jobd.db'), { readonly: true });
  try {
    return database.transaction(() => ({
      jobs: database.prepare<[], JobBooks>('select * from jobs').all(),
      runs: database.prepare<[], RunRecord>(everyRun).all().map(runBooks),
      damage: [
        ...(database.pragma('integrity_check') as { integrity_check: string }[])
          .map((row) => row.integrity_check)
          .filter((finding) => finding !== 'ok'),
        ...(database.pragma('foreign_key_check') as object[]).map((row) => JSON.stringify(row)),
      ],
    }))();
  } finally {
    database.close();
  }
}

/** All errors, as sentences; none if the promise is kept. */
export function audit(books: Books, arrivals: readonly Arrival[]): string[] {
  const runsOf = Map.groupBy(books.runs, (run) => run.job_id);
  return [
    ...books.damage,
    ...books.jobs.flatMap((job) => auditJob(job, runsOf.get(job.id) ?? [])),
    ...auditCalls(books, arrivals),
  ];
}

function auditJob(job: JobBooks, runs: readonly RunBooks[]): string[] {
  const of = `job ${job.name}`;
  const count = (status: RunBooks['status']) => runs.filter((run) => run.status === status).length;
  const totals = (['success', 'failed', 'interrupted', 'missed'] as const)
    .filter((status) => count(status) !== job[`total_${status}`])
    .map(
      (status) =>
        `${of}: ${count(status)} runs are ${status}, its total says ${job[`total_${status}`]}`,
    );
  const running = runs.filter(({ status }) => status === 'running').map(({ id }) => id);
  const active = job.active_run_id === null ? [] : [job.active_run_id];
  const executing =
    running.join() === active.join()
      ? []
      : [`${of}: runs ${running.join()}, active ${active.join()}`];
  // Deleted rows are removed step by step, and a paused job is not due.
  const isScheduled = job.deleted_at === null && job.paused === 0;
  return [
    ...(job.deleted_at === null ? totals : []),
    ...executing,
    ...(isScheduled ? auditDueTimes(job, runs) : []),
  ];
}

/**
 * Each due time before the next one has exactly one run of its own, or is in exactly one missed
 * run.
 */
function auditDueTimes(job: JobBooks, runs: readonly RunBooks[]): string[] {
  const of = `job ${job.name}`;
  const scheduled = runs.filter(({ source }) => source === 'scheduled');
  const wrong: string[] = [];
  const accounts = new Map<number, number>();
  const due = dueTimes(job);
  const account = (at: number) => accounts.set(at, (accounts.get(at) ?? 0) + 1);
  for (const run of scheduled) {
    if (run.status !== 'missed') {
      account(run.scheduled_for);
      continue;
    }
    const { first, last, count } = missedTimes(run);
    const covered = due.filter((at) => at >= first && at <= last);
    if (first !== run.scheduled_for || covered.length !== count) {
      wrong.push(`${of}: ${run.error}, but ${covered.length} from ${run.scheduled_for}`);
    }
    covered.forEach(account);
  }
  for (const at of due) {
    const times = accounts.get(at) ?? 0;
    if (times !== 1) wrong.push(`${of}: due time ${at} is accounted for ${times} times`);
    accounts.delete(at);
  }
  for (const at of accounts.keys()) wrong.push(`${of}: was not due at ${at}`);
  return wrong;
}

/** The due times from a job's start up to and excluding the next one, by plain counting. One that is called once is due at `runAt`. */
function dueTimes(job: JobBooks): number[] {
  const { runAt } = JSON.parse(job.adjustments ?? '{}') as { runAt?: string };
  if (runAt !== undefined) return job.next_run_at === null ? [Date.parse(runAt)] : [];
  const end = job.next_run_at ?? 0;
  if (job.schedule_type === 'cron' && job.cron_expr !== '* * * * *') return [];
  const stepMs = job.schedule_type === 'cron' ? 60_000 : (job.period_seconds ?? 0) * 1_000;
  const origin =
    job.schedule_type === 'cron' ? Math.floor(job.anchor_at / stepMs) * stepMs : job.anchor_at;
  const times: number[] = [];
  for (let at = origin + stepMs; at < end; at += stepMs) times.push(at);
  return times;
}

function missedTimes({ error }: RunBooks): { first: number; last: number; count: number } {
  const times = [...(error ?? '').matchAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g)].map(([iso]) =>
    Date.parse(iso),
  );
  const count = Number(/^missed: (\d+) due time/.exec(error ?? '')?.[1]);
  return { first: times[0] ?? NaN, last: times[1] ?? times[0] ?? NaN, count };
}

/** How late a call may begin, and the maximum difference of two clocks in one machine. */
const latestStartMs = 60_000;

function auditCalls({ jobs, runs }: Books, arrivals: readonly Arrival[]): string[] {
  const wrong: string[] = [];
  const runOf = new Map(runs.map((run) => [run.id, run]));
  const jobOf = new Map(jobs.map((job) => [job.id, job]));
  const seen = Map.groupBy(arrivals, ({ runId }) => runId);
  const calledTimes = new Set<string>();
  for (const [runId, requests] of seen) {
    const run = runOf.get(runId);
    if (run === undefined) {
      wrong.push(`request ${runId} ${requests[0]?.path} belongs to no run`);
      continue;
    }
    if (requests.length > 1) wrong.push(`run ${runId} was sent ${requests.length} times`);
    const dueTime = `${run.job_id} ${run.source} ${run.scheduled_for}`;
    if (calledTimes.has(dueTime)) wrong.push(`${dueTime} was called twice`);
    calledTimes.add(dueTime);
    if (run.status === 'queued' || run.status === 'missed')
      wrong.push(`run ${runId} is ${run.status}, yet was sent`);
    const job = jobOf.get(run.job_id);
    if (job !== undefined && requests.some(({ path }) => !path.endsWith(`/${job.name}`))) {
      wrong.push(`run ${runId} of ${job.name} was sent to ${requests[0]?.path}`);
    }
  }
  for (const run of runs) {
    if (run.status === 'success' && !seen.has(run.id))
      wrong.push(`run ${run.id} is success, yet was never sent`);
    const lateMs = run.started_at === null ? 0 : run.started_at - run.scheduled_for;
    const isOnTime = lateMs >= 0 && (run.source === 'manual' || lateMs <= latestStartMs);
    if (!isOnTime) wrong.push(`run ${run.id} was started ${lateMs} ms after its due time`);
  }
  return wrong;
}

/** Watches which runs are `running`, from another process. */
export interface RunningRuns extends Disposable {
  ids(): string[];
}

/** Opens a connection for it, which must be disposed. */
export function readRunning(dataDir: string): RunningRuns {
  const database = new Database(join(dataDir, 'jobd.db'), { readonly: true });
  const question = database.prepare<[], string>(
    'select active_run_id from jobs where active_run_id is not null',
  );
  return {
    ids: () => question.pluck().all(),
    [Symbol.dispose]: () => database.close(),
  };
}
