/**
 * Judges a jobd by what can be observed from outside: the requests that its target got, the alerts that came, and what its API
 * says. It knows nothing of the store.
 */

import type { ReceiptPayload } from '../../../src/domain/proof/receipt.ts';
import { judge, wordsOf } from '../../../src/receipt/judge.ts';
import { readTrustedKeys } from '../../../src/receipt/trusted-keys.ts';
import type { RunDocument, RunTotals } from '../../../src/domain/runs/run.ts';
import type { Job } from '../../../src/api/jobs/contract.ts';
import type { Arrival } from '../fakes/witness.ts';
import { changesIn, wrongIn, type Heard } from './alert-truth.ts';
import { audit, type Books, type JobBooks } from './audit.ts';

/** All that was observed, when nothing was under way any more. */
export interface Observed {
  /** As they were listed at `listedAt`, before they were paused. */
  jobs: readonly Job[];
  /** Epoch milliseconds. */
  listedAt: number;
  /** Jobs that were edited: when they were due is not known, only that nothing is called twice. */
  edited: ReadonlySet<string>;
  runs: readonly RunDocument[];
  /** What the API counts, by job. */
  totals: ReadonlyMap<string, RunTotals>;
  /** Receipts as downloaded, by run; those that there are. */
  receipts: ReadonlyMap<string, Uint8Array>;
  keys: Uint8Array;
  arrivals: readonly Arrival[];
  alerts: readonly Heard[];
}

/** From when to when, in epoch milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/** A due time that is older than this is called or missed. */
const longestOpenMs = 90_000;
/** How long a node that is left in peace takes at most to close the runs of those that are lost. */
const longestLostMs = 20_000;

/** All errors, as sentences; none if every promise was kept. `peace`: spans in which nothing happened to a node. */
export function auditObserved(observed: Observed & { peace: readonly Span[] }): string[] {
  return [
    ...audit(booksOf(observed), observed.arrivals),
    ...auditEndings(observed),
    ...auditReceipts(observed),
    ...auditAlerts(observed),
  ];
}

/** What the API says, in the form in which it is compared with the calls. */
function booksOf({ jobs, listedAt, edited, runs, totals }: Observed): Books {
  const ofJobs = Map.groupBy(runs, ({ jobId }) => jobId);
  const dueUntil = ({ id, nextRunAt }: Job): number => {
    const due = (ofJobs.get(id) ?? []).filter(({ source }) => source === 'scheduled');
    const after = due.map(({ scheduledFor }) => Date.parse(scheduledFor) + 1);
    return Math.max(Date.parse(nextRunAt ?? ''), listedAt - longestOpenMs, ...after);
  };
  const jobBooks = (job: Job): JobBooks => {
    const { id, name, notes, scheduleType, cronExpr, periodSeconds } = job;
    const createdAt = Date.parse(job.createdAt);
    const counted = totals.get(id);
    return {
      id,
      name,
      notes,
      schedule_type: scheduleType,
      cron_expr: cronExpr,
      adjustments: null,
      period_seconds: periodSeconds,
      anchor_at: Math.floor(createdAt / 1_000) * 1_000,
      paused: edited.has(id) ? 1 : 0,
      active_run_id: null,
      next_run_at: edited.has(id) ? null : dueUntil(job),
      created_at: createdAt,
      deleted_at: null,
      total_success: counted?.success ?? 0,
      total_failed: counted?.failed ?? 0,
      total_interrupted: counted?.interrupted ?? 0,
      total_missed: counted?.missed ?? 0,
    };
  };
  return {
    damage: [],
    jobs: jobs.map(jobBooks),
    runs: runs.map(({ id, jobId, source, status, scheduledFor, startedAt, error }) => ({
      id,
      job_id: jobId,
      source,
      status,
      scheduled_for: Date.parse(scheduledFor),
      started_at: startedAt === null ? null : Date.parse(startedAt),
      error,
      idempotency_key: null,
    })),
  };
}

/** Every run has ended; one whose node was lost, by the next node that could close it. */
function auditEndings({ jobs, runs, peace }: Parameters<typeof auditObserved>[0]): string[] {
  const timeoutOf = new Map(jobs.map(({ id, timeoutSeconds }) => [id, timeoutSeconds * 1_000]));
  return runs.flatMap(({ id, jobId, status, startedAt, finishedAt }) => {
    if (status === 'queued' || status === 'running') return [`run ${id} is ${status} for ever`];
    if (status !== 'interrupted') return [];
    const closedAt = Date.parse(finishedAt ?? '');
    // Its node was lost before that, or it would have ended.
    const lostBy = Date.parse(startedAt ?? '') + (timeoutOf.get(jobId) ?? 0);
    const wasLeft = ({ from, to }: Span): boolean =>
      Math.min(to, closedAt) - Math.max(from, lostBy) > longestLostMs;
    const lateMs = closedAt - lostBy;
    return peace.some(wasLeft) ? [`run ${id} was interrupted ${lateMs} ms after its timeout`] : [];
  });
}

/** What a receipt repeats of its run. */
const attested = [
  'jobId',
  'source',
  'status',
  'scheduledFor',
  'startedAt',
  'finishedAt',
  'attempts',
  'httpStatus',
  'durationMs',
  'truncated',
] as const satisfies (keyof ReceiptPayload & keyof RunDocument)[];

/** Each answered run has a valid receipt that says the same, and each job's receipts are one whole chain. */
function auditReceipts({ runs, receipts, keys }: Observed): string[] {
  const given = Array.from(receipts, ([source, bytes]) => ({ source, bytes }));
  const judgement = judge(given, false, readTrustedKeys([keys]));
  const wrong = judgement.verdict === 'valid' ? [] : wordsOf(judgement);
  for (const { jobId, follows } of judgement.chains) {
    if (follows !== null) wrong.push(`the first receipt of job ${jobId} is missing`);
  }
  const valid = judgement.receipts.filter((one) => one.verdict === 'valid');
  const payloadOf = new Map(valid.map(({ source, receipt }) => [source, receipt.payload]));
  for (const run of runs) {
    const payload = payloadOf.get(run.id);
    if (isAnswered(run) !== receipts.has(run.id)) {
      wrong.push(`run ${run.id} is ${run.status}, its receipt ${payload?.status ?? 'missing'}`);
    }
    if (payload === undefined) continue;
    const isSame = payload.runId === run.id && attested.every((key) => payload[key] === run[key]);
    if (!isSame) wrong.push(`the receipt of run ${run.id} says something else`);
  }
  return wrong;
}

/** Whether a run must have a receipt. */
export function isAnswered({ status, httpStatus }: RunDocument): boolean {
  return (status === 'success' || status === 'failed') && httpStatus !== null;
}

/** Each health change was alerted, under one id, and nothing else was. */
export function auditAlerts({ runs, alerts }: Pick<Observed, 'runs' | 'alerts'>): string[] {
  const ended = runs
    .filter(({ status }) => status === 'success' || status === 'failed')
    .toSorted((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? -1 : 1))
    .map(({ id, jobId, status }) => ({ id, jobId, status: status as 'success' | 'failed' }));
  return wrongIn(changesIn(ended, 1), alerts);
}
