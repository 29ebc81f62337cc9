/** Runs: requested by hand, and read back. */

import { JobdError, tooSoon } from '../../domain/errors.ts';
import { checkDistinct } from '../../domain/fields.ts';
import { manualIntervalMs } from '../../domain/jobs/actions.ts';
import { isId, newId } from '../../domain/id.ts';
import { activeWords } from '../../domain/runs/active.ts';
import { queuedRun, type Run, type RunTotals } from '../../domain/runs/run.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import type { Db } from '../../store/database/store.ts';
import * as runs from '../../store/runs/runs.ts';
import { requirePaid } from '../accounts/account-limits.ts';
import type { Ground, Principal, RunsApp } from '../app.ts';
import { changeBy, type NoteChange } from '../change.ts';
import { changeInSteps, refusalOf, type ActionResult } from '../jobs/actions.ts';
import { pageOf, parseRunCursor, runCursor, type Page, type PageRequest } from '../page.ts';
import { requireJob } from '../jobs/keep-job.ts';

/**
 * Queues a run; the schedule stays as it is. The same idempotency key returns the run of the first request. Throws
 * `not_found`, `payment_required`, `conflict` while a run executes or waits for its report, `rate_limited` within a minute of the last manual
 * run. `dueAtFor` chooses the due time that it stands for, and may refuse: as that is not now, such a run waits for the end of another.
 */
export async function runJob(
  app: RunsApp,
  principal: Principal,
  jobId: string,
  idempotencyKey: string | null,
  dueAtFor?: AskedRun['dueAtFor'],
): Promise<Run> {
  const known = async (db: Db): Promise<Run | undefined> => {
    if (idempotencyKey === null || !isId(jobId)) return undefined;
    const first = await runs.findRunByIdempotencyKey(db, jobId, idempotencyKey);
    if (first !== undefined) await requireJob(db, principal, jobId);
    return first;
  };
  const queue = async (tx: Db, note: NoteChange): Promise<Run> => {
    const first = await known(tx);
    if (first !== undefined) return first;
    const job = await requireJob(tx, principal, jobId);
    await requirePaid(tx, principal, app.clock.now());
    return await queueRun(app, tx, note, { job, idempotencyKey, dueAtFor });
  };
  const run = await changeBy(app, principal, queue, known);
  app.wake('claim');
  const { id, status } = run;
  app.events.publish(principal.workspaceId, { runs: [{ id, jobId: run.jobId, status }] });
  return run;
}

/** A run that somebody asks for. */
interface AskedRun {
  job: SealedJob;
  idempotencyKey?: string | null;
  dueAtFor?: ((tx: Db, job: SealedJob) => Promise<number>) | undefined;
}

/** Queues a run in a transaction. Throws as `runJob` does. */
async function queueRun(
  { clock }: Pick<Ground, 'clock'>,
  tx: Db,
  note: NoteChange,
  { job, idempotencyKey = null, dueAtFor }: AskedRun,
): Promise<Run> {
  const now = clock.now();
  if (dueAtFor === undefined) await refuseWhileRunning(tx, job);
  const dueAt = await dueAtFor?.(tx, job);
  const last = await runs.findManualRunIn(tx, job.id, now - manualIntervalMs, now);
  if (last !== undefined) {
    throw tooSoon('a job can be run by hand once a minute', manualIntervalMs, now - last);
  }
  const queued = { ...queuedRun(newId(now), job.id, now), ...(dueAt !== undefined && { dueAt }) };
  await runs.insertQueuedRun(tx, queued, idempotencyKey);
  const action = dueAt === undefined ? 'job.run' : 'job.replay';
  note({ action, subject: job, runId: queued.id });
  return queued;
}

/**
 * Queues a run of each job as `runJob` does, some in each transaction. A job that is refused does not affect the others. Throws
 * `invalid_input` for an id that is there twice, and `payment_required`.
 */
export async function runJobs(
  app: RunsApp,
  principal: Principal,
  ids: readonly string[],
): Promise<ActionResult[]> {
  checkDistinct(ids, (index) => `ids.${index}`);
  const results = await changeInSteps<string, ActionResult>(
    app,
    principal,
    ids,
    async (tx, step, note) => {
      const rows: ActionResult[] = [];
      await requirePaid(tx, principal, app.clock.now());
      for (const jobId of step) {
        try {
          const job = await requireJob(tx, principal, jobId);
          const { id: runId } = await queueRun(app, tx, note, { job });
          rows.push({ id: jobId, refusal: null, runId });
        } catch (error) {
          rows.push({ id: jobId, refusal: refusalOf(error) });
        }
      }
      return rows;
    },
    (id, refusal) => ({ id, refusal }),
  );
  const queued = results.flatMap(({ id: jobId, runId: id }) =>
    id === undefined ? [] : [{ id, jobId, status: 'queued' } as const],
  );
  if (queued.length > 0) app.events.publish(principal.workspaceId, { runs: queued });
  return results;
}

async function refuseWhileRunning(tx: Db, { id, activeRunId, timezone }: SealedJob): Promise<void> {
  if (activeRunId === null) return;
  const active = (await runs.findRun(tx, id, activeRunId)) ?? null;
  const words =
    active?.report === undefined
      ? `run ${activeRunId} of this job is executing, wait for it`
      : `${activeWords(active, timezone)}: wait for it, or end the wait`;
  throw new JobdError('conflict', words);
}

/** A page of a job's runs, newest first, and how many of them are in each state. */
export async function listRuns(
  { store }: Ground,
  principal: Principal,
  jobId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Run> & { totals: RunTotals }> {
  const job = await requireJob(store.db, principal, jobId);
  const before = cursor === null ? null : parseRunCursor(job.id, cursor);
  const found = await runs.listRuns(store.db, job.id, { limit: limit + 1, before });
  const totals = await runs.countRuns(store.db, job.id);
  return { ...pageOf(found, limit, (run) => runCursor(job.id, run)), totals };
}

/** A run of a job of the workspace. Throws `not_found`. */
export async function getRun(
  { store }: Ground,
  principal: Principal,
  jobId: string,
  runId: string,
): Promise<Run> {
  const job = await requireJob(store.db, principal, jobId);
  const run = isId(runId) ? await runs.findRun(store.db, job.id, runId) : undefined;
  if (run === undefined) throw new JobdError('not_found', `there is no run with id ${runId}`);
  return run;
}
