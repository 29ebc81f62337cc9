/** Replays: runs by hand that stand for the due time of an earlier run (docs/behavior.md#replay-1). */

import { requirePaid } from '../../app/accounts/account-limits.ts';
import type { Principal, RunsApp } from '../../app/app.ts';
import type { PartialPage } from '../../app/page.ts';
import { requireJob } from '../../app/jobs/keep-job.ts';
import { listAllRuns, type ListedRun, type RunsRequest } from '../../app/runs/all-runs.ts';
import { listHistory } from '../../app/runs/history.ts';
import { runJob } from '../../app/runs/runs.ts';
import { isoTime } from '../../domain/clock.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import { fits } from '../../domain/labels.ts';
import { againRemedy } from '../../domain/runs/replays.ts';
import type { Run, RunStatus, RunSummary } from '../../domain/runs/run.ts';
import { dueBetween } from '../../domain/schedule/next.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import type { Db } from '../../store/database/store.ts';
import { findSpansAround } from '../../store/jobs/listed-spans.ts';
import { findDoneFor } from '../../store/runs/history.ts';
import { findRun } from '../../store/runs/runs.ts';

export interface Replay {
  jobId: string;
  runId: string;
  /** Of a missed run, one of its due times, in epoch milliseconds; null for the last one. */
  dueAt: number | null;
  /** Whether to call for a due time that has succeeded. */
  again: boolean;
}

/**
 * Queues a run for the due time of an earlier one. Throws as `runJob` does, `invalid_input` for another due time than those of the
 * run, and `conflict` if it has none, or a run has succeeded for it, waits to be called or is.
 */
export async function replayRun(
  app: RunsApp,
  principal: Principal,
  { jobId, ...chosen }: Replay,
  idempotencyKey: string | null,
): Promise<Run> {
  return await runJob(app, principal, jobId, idempotencyKey, (tx, { id }) =>
    dueTimeOf(tx, id, chosen),
  );
}

/** The due time for which a replay would call. Throws as `replayRun` does, but for the limit of runs by hand, which passes. */
export async function checkReplay(
  { store: { db }, clock }: RunsApp,
  principal: Principal,
  { jobId, ...chosen }: Replay,
): Promise<number> {
  const job = await requireJob(db, principal, jobId);
  await requirePaid(db, principal, clock.now());
  return await dueTimeOf(db, job.id, chosen);
}

async function dueTimeOf(
  tx: Db,
  jobId: string,
  { runId, dueAt, again }: Omit<Replay, 'jobId'>,
): Promise<number> {
  const run = isId(runId) ? await findRun(tx, jobId, runId) : undefined;
  if (run === undefined) throw new JobdError('not_found', `there is no run with id ${runId}`);
  const chosen = await chosenDueTime(tx, run, dueAt);
  await refuseDone(tx, jobId, chosen, again);
  return chosen;
}

/** What became of a due time that went wrong. */
export interface Replayable extends ListedRun {
  dueAt: number;
  /** The status of a later run for it; null if it is left to replay. */
  done: RunStatus | null;
}

/** The due times of runs with these statuses, of one job or all: newest first; of a missed run, the last one. Throws `not_found`. */
export async function listReplayable(
  app: RunsApp,
  principal: Principal,
  { jobId, ...request }: RunsRequest & { jobId: string | null },
): Promise<PartialPage<Replayable>> {
  const { items: runs, ...rest } =
    jobId === null
      ? await listAllRuns(app, principal, request)
      : await listRunsOf(app, principal, jobId, request);
  const items: Replayable[] = [];
  // Each search reads all runs for a due time, which may have been replayed a thousand times.
  const found = new Map<string, RunStatus | null>();
  for (const run of runs) {
    const dueAt = ownDueTime(run);
    if (dueAt === null) continue;
    const name = `${run.jobId} ${dueAt}`;
    if (!found.has(name)) {
      found.set(name, (await findDoneFor(app.store.db, run.jobId, dueAt))?.status ?? null);
    }
    items.push({ ...run, dueAt, done: found.get(name) ?? null });
  }
  return { items, ...rest };
}

/** Those of one job, along its own index. */
async function listRunsOf(
  app: RunsApp,
  principal: Principal,
  asked: string,
  { since, until, selector, ...request }: RunsRequest,
): Promise<PartialPage<ListedRun>> {
  const { id: jobId, name: jobName, labels } = await requireJob(app.store.db, principal, asked);
  const page = await listHistory(app, principal, jobId, { ...request, before: until });
  const isIn = fits(labels, selector ?? []);
  const runs = isIn ? page.items.filter((run) => run.scheduledFor >= (since ?? 0)) : [];
  const items = runs.map((run) => ({ ...run, jobId, jobName }));
  return items.length === page.items.length
    ? { ...page, items }
    : { items, nextCursor: null, isPartial: false };
}

/** The due time that a run stands for, of a missed one the last; null for one by hand, which has none. */
function ownDueTime({ source, scheduledFor, missed, dueAt }: RunSummary): number | null {
  return dueAt ?? missed?.last ?? (source === 'scheduled' ? scheduledFor : null);
}

async function chosenDueTime(tx: Db, run: Run, asked: number | null): Promise<number> {
  const { id, jobId, missed } = run;
  const own = ownDueTime(run);
  if (own === null) {
    const why = 'was asked for by hand and stands for no due time';
    throw new JobdError('conflict', `run ${id} ${why}: run the job instead`);
  }
  if (asked === null || asked === own) return own;
  const { first, last } = missed ?? { first: own, last: own };
  const span =
    asked < first || asked > last ? null : (await findSpansAround(tx, jobId, asked)).last;
  if (span !== null && dueBetween(scheduleOf(span), asked - 1, asked) !== null) return asked;
  const range = `one from ${isoTime(first)} to ${isoTime(last)} by its schedule`;
  throw invalidInput(`dueAt must be a due time of run ${id}: ${range}, got ${isoTime(asked)}`);
}

async function refuseDone(tx: Db, jobId: string, dueAt: number, again: boolean): Promise<void> {
  const done = await findDoneFor(tx, jobId, dueAt);
  if (done === undefined || (again && done.status === 'success')) return;
  const { status, finishedAt } = done;
  throw new JobdError(
    'conflict',
    status === 'success'
      ? `this due time succeeded already, at ${isoTime(finishedAt ?? 0)}: ${againRemedy}`
      : `a run for this due time ${status === 'queued' ? 'waits to be called' : 'is executing'}: wait for it`,
  );
}
