import { hasExpired } from '../../domain/accounts/account.ts';
import { JobdError } from '../../domain/errors.ts';
import { newId } from '../../domain/id.ts';
import { copyOfJob, type JobInput, type JobUpdate } from '../../domain/jobs/job-input.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { dueTimesOf, type DueTimesOfJob } from '../../domain/runs/due-times.ts';
import type { Repeatable } from '../../domain/repeatable.ts';
import { openForPeople, openJob, type SealedJob } from '../../domain/secrets/sealed-job.ts';
import { wasUpdated } from '../../store/accounts/audit.ts';
import { findHolds } from '../../store/accounts/windows.ts';
import { dropChainedRuns } from '../../store/jobs/chains.ts';
import * as jobs from '../../store/jobs/jobs.ts';
import type { Db } from '../../store/database/store.ts';
import { findStop } from '../../store/overview/jobs.ts';
import { requirePaid } from '../accounts/account-limits.ts';
import type { Ground, JobsApp, Principal } from '../app.ts';
import { changeBy, type NoteChange } from '../change.ts';
import { makeOnce } from '../make-once.ts';
import { labelledPage, type LabelledRequest, type Page } from '../page.ts';
import { callbackSecret } from './callbacks.ts';
import { refuseFollowed } from './chains.ts';
import { whenIdle } from './idle.ts';
import {
  changedJob,
  changesNoField,
  keepChangedJob,
  keepNewJob,
  newJob,
  removeJob,
  requireJob,
  shownJob,
  shownJobs,
  shownKept,
  withSecret,
} from './keep-job.ts';
import type { KeptJob, ShownJob } from './keep-job.ts';

/**
 * Creates a job, once for each key of a repeatable request. Throws `invalid_input`, `too_large`, `payment_required`, `conflict` for
 * another request with the same key, and `forbidden` for another workspace and for what the plan does not allow.
 */
export async function createJob(
  app: JobsApp,
  principal: Principal,
  { workspaceId, ...input }: JobInput & { workspaceId?: string },
  repeatable: Repeatable | null = null,
): Promise<KeptJob> {
  if (workspaceId !== undefined && workspaceId !== principal.workspaceId) {
    throw new JobdError('forbidden', "workspaceId must be the key's own workspace");
  }
  const { store, clock, wake } = app;
  const account = await requirePaid(store.db, principal, clock.now());
  const job = newJob(app, account, principal, input);
  const { onResult = null, onResultSecret } = input;
  const made = await makeOnce(app, principal, {
    id: job.id,
    repeatable,
    make: async (tx, note) =>
      withSecret(job, await keepNewJob(app, principal, tx, job, note, { secret: onResultSecret })),
    async find(tx, id) {
      const found = await shownKept(app, principal, tx, await requireJob(tx, principal, id));
      const isMade = onResult !== null && onResultSecret === undefined;
      return withSecret(found, isMade ? await secretAsMade(app, tx, found) : null);
    },
  });
  wake('claim');
  return await shownJob(app, principal, store.db, made);
}

/** The secret that was made for the `onResult` of a new job; null if it was changed since, or no key can open it. */
async function secretAsMade(
  app: JobsApp,
  tx: Db,
  { id: subjectId, workspaceId }: Job,
): Promise<string | null> {
  const fields = ['onResult', 'onResultSecret'];
  if (await wasUpdated(tx, { workspaceId, subjectId }, fields)) return null;
  return (await callbackSecret(app, tx, subjectId)) ?? null;
}

/**
 * Copies a job under another name, once for each key of a repeatable request, with its sealed headers and body. The copy is paused, has no history, and no
 * definition manages it. Throws `not_found`, `invalid_input`, `payment_required`, `forbidden` for what the plan does not
 * allow, and `unavailable` if the sealed part or the secret of `onResult` is damaged.
 */
export async function copyJob(
  app: JobsApp,
  principal: Principal,
  id: string,
  name: string,
  repeatable: Repeatable | null = null,
): Promise<ShownJob> {
  const { store, vault, clock, allowTargets } = app;
  const now = clock.now();
  const copyId = newId(now);
  const made = await makeOnce(app, principal, {
    id: copyId,
    repeatable,
    async make(tx, note) {
      const job = openJob(await requireJob(tx, principal, id), vault);
      const copy = copyOfJob(job, name, { id: copyId, now, allowTargets });
      const secret = await callbackSecret(app, tx, job.id);
      // A new one would be shown to nobody: the target could not check what the copy posts.
      if (copy.onResult !== null && secret === undefined) throw secretLost();
      await keepNewJob(app, principal, tx, copy, note, { secret });
      return copy;
    },
    find: async (tx, found) => openForPeople(await requireJob(tx, principal, found), vault),
  });
  return await shownJob(app, principal, store.db, made);
}

function secretLost(): JobdError {
  return new JobdError(
    'unavailable',
    'the secret of onResult cannot be opened with the master key in use: set onResultSecret of the job, then copy it',
  );
}

/** The next due times of a job, with its schedule in words. Throws `not_found`. */
export async function getDueTimes(
  { store, clock }: Ground,
  principal: Principal,
  id: string,
  count: number,
): Promise<DueTimesOfJob> {
  const job = await requireJob(store.db, principal, id);
  const now = clock.now();
  const isExpired = hasExpired({ expiresAt: principal.accountExpiresAt }, now);
  const holds = (await findHolds(store.db, [job])).get(id);
  return dueTimesOf(job, { now, count, isExpired, holds });
}

/** A page of the workspace's jobs, newest first. */
export async function listJobs(
  app: JobsApp,
  principal: Principal,
  request: LabelledRequest,
): Promise<Page<ShownJob>> {
  const { db } = app.store;
  const { workspaceId } = principal;
  const { items, nextCursor } = await labelledPage(
    'jobs',
    request,
    (page) => jobs.listJobs(db, workspaceId, page),
    async ({ before, rows }) => {
      const after = before === null ? null : { id: before, nameLower: '', nextRunAt: null };
      return (await findStop(db, workspaceId, 'newest', { state: null, after, rows }))?.id;
    },
  );
  const opened = items.map((job) => openForPeople(job, app.vault));
  return { items: await shownJobs(app, principal, db, opened), nextCursor };
}

/** A job of the workspace. Throws `not_found`. */
export async function getJob(app: JobsApp, principal: Principal, id: string): Promise<ShownJob> {
  const { db } = app.store;
  return await shownKept(app, principal, db, await requireJob(db, principal, id));
}

/**
 * Changes a job. An update that changes no field is applied at once: a pause, a resumption, or nothing at all, which is
 * not written. Any other update waits for the run that is executing. Throws `not_found`, `invalid_input`, `too_large`,
 * `conflict`, `payment_required`, `forbidden` if the plan does not allow it, and `unavailable` if it needs the sealed
 * part and that is damaged.
 */
export async function updateJob(
  app: JobsApp,
  principal: Principal,
  id: string,
  update: JobUpdate,
): Promise<KeptJob> {
  const { store, clock, wake } = app;
  const { action } = update;
  // Checked before waiting for a run: a refusal should not take 5 s.
  const seen = await requireJob(store.db, principal, id);
  await requirePaid(store.db, principal, clock.now());
  const isAtOnce = changesNoField(app, seen, update);
  if (isAtOnce && action === undefined) return await shownKept(app, principal, store.db, seen);
  const needed = isAtOnce && action !== undefined ? { action } : update;
  const change = async (tx: Db, kept: SealedJob, note: NoteChange): Promise<KeptJob> => {
    const changed = changedJob(app, kept, needed);
    // It is over, but what waits to make up for its due time would still be called.
    if (action === 'pause' && !changed.after.paused) await dropChainedRuns(tx, [id]);
    return await keepChangedJob(app, principal, tx, changed, note);
  };
  const job = isAtOnce
    ? await changeBy(app, principal, async (tx, note) =>
        change(tx, await requireJob(tx, principal, id), note),
      )
    : await whenIdle(app, principal, id, change);
  wake('claim');
  return await shownJob(app, principal, store.db, job);
}

/**
 * Deletes a job with its history, after the run that is executing. It disappears at once; its history is removed in
 * small steps afterwards. Throws `not_found`, and `conflict` also if others run after it.
 */
export async function deleteJob(app: JobsApp, principal: Principal, id: string): Promise<void> {
  const { wake } = app;
  await whenIdle(app, principal, id, async (tx, job, note) => {
    await refuseFollowed(tx, job);
    await removeJob(app, tx, job, note);
  });
  wake('claim');
}
