import { setImmediate } from 'node:timers/promises';
import { checkPlanLimits } from '../../domain/accounts/plan-limits.ts';
import { plans, type PlanName } from '../../domain/accounts/plan.ts';
import { JobdError } from '../../domain/errors.ts';
import { checkDistinct, type Action } from '../../domain/fields.ts';
import { afterAction, isOver, type ActedJob } from '../../domain/jobs/actions.ts';
import { followersFirst } from '../../domain/jobs/after.ts';
import { findActedJobs, keepScheduleStates } from '../../store/jobs/actions.ts';
import { dropChainedRuns } from '../../store/jobs/chains.ts';
import type { Db } from '../../store/database/store.ts';
import { requirePaid } from '../accounts/account-limits.ts';
import type { Ground, JobsApp, Principal, Wakes } from '../app.ts';
import { changeBy, type ChangeParts, type NoteChange } from '../change.ts';
import { refuseFollowed } from './chains.ts';
import { isExecuting } from './idle.ts';
import { noJob, removeJob } from './keep-job.ts';

/** What became of one job. */
export interface ActionResult {
  id: string;
  /** Why nothing was done to it; null if it is as the action wants it. */
  refusal: JobdError | null;
  /** Whether it was left as it is because it is over (docs/behavior.md#once-8). */
  isOver?: true;
  /** The run that was queued. */
  runId?: string;
}

/** Jobs of one transaction, which counts as one request. A job with a long body takes 0.5 ms to write, and no run is claimed meanwhile. */
export const jobsPerStep = 20;

/**
 * Changes many jobs of a workspace, some in each transaction. `work` says in the result of a job why it is refused; `refused` is the result
 * of one whose transaction failed after others were kept, and of the jobs after it. Throws what the first transaction throws.
 */
export async function changeInSteps<Item, Result>(
  app: ChangeParts & Wakes,
  principal: Principal,
  items: readonly Item[],
  work: (tx: Db, step: readonly Item[], note: NoteChange) => Promise<Result[]>,
  refused: (item: Item, refusal: JobdError) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < items.length) {
    const step = items.slice(results.length, results.length + jobsPerStep);
    try {
      results.push(...(await changeBy(app, principal, (tx, note) => work(tx, step, note))));
    } catch (error) {
      if (results.length === 0 || !(error instanceof JobdError)) throw error;
      results.push(...items.slice(results.length).map((item) => refused(item, error)));
    }
    await setImmediate();
  }
  app.wake('claim');
  return results;
}

/**
 * Pauses, resumes or deletes jobs, some in each transaction. A job that is refused does not affect the others. Nothing
 * waits for a run: a job that executes one can be paused and resumed, and not deleted. Throws `invalid_input` for an id
 * that is there twice, and `payment_required` unless it deletes. A later transaction that fails is in the rows of its jobs
 * and of the following ones.
 */
export async function actOnJobs(
  app: JobsApp,
  principal: Principal,
  { action, ids }: { action: Action | 'delete'; ids: readonly string[] },
): Promise<ActionResult[]> {
  checkDistinct(ids, (index) => `ids.${index}`);
  if (action === 'resume') await prepareToResume(app, principal, ids);
  const ordered = action === 'delete' ? await inOrderOfDeletion(app, principal, ids) : ids;
  const results = await changeInSteps<string, ActionResult>(
    app,
    principal,
    ordered,
    (tx, step, note) =>
      action === 'delete'
        ? deleteJobs(app, principal, tx, step, note)
        : pauseOrResume(app, principal, tx, { action, ids: step }, note),
    (id, refusal) => ({ id, refusal }),
  );
  const resultOf = new Map(results.map((result) => [result.id, result]));
  return ids.flatMap((id) => resultOf.get(id) ?? []);
}

/** A job that others run after is deleted after them: if one of them stays, it stays too. */
async function inOrderOfDeletion(
  { store }: Ground,
  { workspaceId }: Principal,
  ids: readonly string[],
): Promise<string[]> {
  return followersFirst(ids, await findActedJobs(store.db, workspaceId, ids));
}

async function deleteJobs(
  app: JobsApp,
  { workspaceId }: Principal,
  tx: Db,
  ids: readonly string[],
  note: NoteChange,
): Promise<ActionResult[]> {
  const found = await findActedJobs(tx, workspaceId, ids);
  const jobs = new Map(found.map((job) => [job.id, job]));
  const results: ActionResult[] = [];
  for (const id of ids) {
    const job = jobs.get(id);
    const refusal = job === undefined ? noJob(id) : await refusalToDelete(tx, job);
    if (job !== undefined && refusal === null) await removeJob(app, tx, job, note);
    results.push({ id, refusal });
  }
  return results;
}

async function refusalToDelete(tx: Db, job: ActedJob): Promise<JobdError | null> {
  if (await isExecuting(tx, job)) return executing(job.activeRunId);
  try {
    await refuseFollowed(tx, job);
    return null;
  } catch (error) {
    return refusalOf(error);
  }
}

/** Why one job is refused. Any other error fails the whole request. */
export function refusalOf(error: unknown): JobdError {
  if (error instanceof JobdError && error.httpStatus < 500) return error;
  throw error;
}

async function pauseOrResume(
  { clock }: Ground,
  principal: Principal,
  tx: Db,
  { action, ids }: { action: Action; ids: readonly string[] },
  note: NoteChange,
): Promise<ActionResult[]> {
  const now = clock.now();
  const { plan } = await requirePaid(tx, principal, now);
  const found = await findActedJobs(tx, principal.workspaceId, ids);
  const { results, done } = decide(ids, found, (job) => allowedAfter(job, action, plan, now));
  const over = found.filter((job) => job.paused === (action === 'resume') && isOver(job, now));
  const overIds = new Set(over.map(({ id }) => id));
  // What waits to make up for its due time would still be called.
  if (action === 'pause') await dropChainedRuns(tx, [...overIds]);
  const foundById = new Map(found.map((job) => [job.id, job]));
  const changed = done.flatMap((after) => {
    const before = foundById.get(after.id);
    return before === undefined || before === after ? [] : [{ before, after }];
  });
  await keepScheduleStates(tx, changed, now);
  for (const { after } of changed) note({ action: `job.${action}`, subject: after });
  return results.map((result) => (overIds.has(result.id) ? { ...result, isOver: true } : result));
}

/** A job after an action. Throws `forbidden` if the plan does not allow it. */
function allowedAfter(job: ActedJob, action: Action, plan: PlanName, now: number): ActedJob {
  const after = afterAction(job, action, now);
  checkPlanLimits(plans[plan], after, job);
  return after;
}

/**
 * Reads the expressions and zones of schedules before the transactions, one in each turn of the event loop: 100 that were
 * never used take 100 ms, and 4 ms once they were read.
 */
async function prepareToResume(
  { store, clock }: Ground,
  principal: Principal,
  ids: readonly string[],
): Promise<void> {
  const now = clock.now();
  const { plan } = await requirePaid(store.db, principal, now);
  for (const job of await findActedJobs(store.db, principal.workspaceId, ids)) {
    if (!job.paused) continue;
    decide([job.id], [job], () => allowedAfter(job, 'resume', plan, now));
    await setImmediate();
  }
}

/** Applies `change` to each job. */
function decide(
  ids: readonly string[],
  found: readonly ActedJob[],
  change: (job: ActedJob) => ActedJob,
): { results: ActionResult[]; done: ActedJob[] } {
  const jobs = new Map(found.map((job) => [job.id, job]));
  const done: ActedJob[] = [];
  const results = ids.map((id): ActionResult => {
    const job = jobs.get(id);
    if (job === undefined) return { id, refusal: noJob(id) };
    try {
      done.push(change(job));
      return { id, refusal: null };
    } catch (error) {
      return { id, refusal: refusalOf(error) };
    }
  });
  return { results, done };
}

function executing(runId: string | null): JobdError {
  return new JobdError(
    'conflict',
    `run ${runId} of this job is executing: delete the job when it has ended`,
  );
}
