/** Jobs: what people may ask about them. */

import { hasExpired } from '../domain/account.ts';
import { JobdError } from '../domain/errors.ts';
import { newId } from '../domain/id.ts';
import { changeJob, defineJob } from '../domain/job-input.ts';
import type { JobInput, JobUpdate } from '../domain/job-input.ts';
import type { Job } from '../domain/job.ts';
import { checkPlanLimits } from '../domain/plan-limits.ts';
import { defaultTimeoutSeconds, plans } from '../domain/plan.ts';
import { openForPeople, openJob, sealJob } from '../domain/sealed-job.ts';
import type { SealedJob } from '../domain/sealed-job.ts';
import type { Vault } from '../domain/vault.ts';
import * as jobs from '../store/jobs.ts';
import { activeMasterKeyId } from '../store/master-keys.ts';
import type { Db } from '../store/open.ts';
import { requireAccount, requirePaid, requireRoom } from './account-limits.ts';
import type { App, Principal } from './app.ts';
import { whenIdle } from './idle.ts';
import { idCursor, pageOf, parseIdCursor } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import { requireJob } from './require-job.ts';

/**
 * Makes a job. Throws `invalid_input`, `too_large`, `payment_required`, and `forbidden` for another workspace
 * and for what the plan does not allow.
 */
export async function createJob(
  app: App,
  principal: Principal,
  input: JobInput & { workspaceId?: string },
): Promise<Job> {
  const { workspaceId } = principal;
  if (input.workspaceId !== undefined && input.workspaceId !== workspaceId) {
    throw new JobdError('forbidden', "workspaceId must be the key's own workspace");
  }
  const { store, clock, allowTargets, wake } = app;
  const { workspaceId: _, ...fields } = input;
  const now = clock.now();
  const { plan } = await requirePaid(store.db, principal, now);
  const job = defineJob(
    { timeoutSeconds: defaultTimeoutSeconds(plans[plan]), ...fields },
    { id: newId(now), workspaceId, now, allowTargets },
  );
  await store.write(async (tx) => {
    // By the time of the transaction: schedules that the engine has stopped before it must not begin again.
    const account = await requirePaid(tx, principal, clock.now());
    checkPlanLimits(plans[account.plan], job, null);
    await requireRoom(tx, account);
    await jobs.insertJob(tx, await sealed(app, tx, job));
  });
  wake();
  return job;
}

/** A page of the workspace's jobs, newest first. */
export async function listJobs(
  { store, clock, vault }: App,
  principal: Principal,
  { limit, cursor }: PageRequest,
): Promise<Page<Job>> {
  const before = cursor === null ? null : parseIdCursor(cursor);
  const page = { limit: limit + 1, before };
  const found = await jobs.listJobs(store.db, principal.workspaceId, page);
  const { items, nextCursor } = pageOf(found, limit, (job) => idCursor(job.id));
  const account = await requireAccount(store.db, principal);
  const isExpired = hasExpired(account, clock.now());
  return { items: items.map((job) => shown(openForPeople(job, vault), isExpired)), nextCursor };
}

/** A job of the workspace. Throws `not_found`. */
export async function getJob(
  { store, clock, vault }: App,
  principal: Principal,
  id: string,
): Promise<Job> {
  const job = openForPeople(await requireJob(store.db, principal, id), vault);
  const account = await requireAccount(store.db, principal);
  return shown(job, hasExpired(account, clock.now()));
}

/** Of an expired account no job is due, though the engine may not have written that down yet. */
function shown(job: Job, isExpired: boolean): Job {
  return isExpired ? { ...job, nextRunAt: null } : job;
}

/**
 * Changes a job. A pause or a resumption alone is taken at once; all else waits for the run that
 * executes. Throws `not_found`, `invalid_input`, `too_large`, `conflict`, `payment_required`, `forbidden`
 * for what the plan does not allow, and `unavailable` where what is sealed is needed and was damaged.
 */
export async function updateJob(
  app: App,
  principal: Principal,
  id: string,
  update: JobUpdate,
): Promise<Job> {
  const { store, vault, clock, allowTargets, wake } = app;
  const change = async (tx: Db, job: SealedJob): Promise<Job> => {
    const now = clock.now();
    const { plan } = await requirePaid(tx, principal, now);
    const before = opened(job, update, vault);
    const changed = changeJob(before, update, { now, allowTargets });
    checkPlanLimits(plans[plan], changed, before);
    const kept = { ...changed, sealed: job.sealed };
    await jobs.updateJob(tx, isOfRequest(update) ? await sealed(app, tx, changed) : kept);
    return changed;
  };
  // Whoever may not edit need not wait for the run that executes to learn it.
  await requireJob(store.db, principal, id);
  await requirePaid(store.db, principal, clock.now());
  const atOnce = Object.keys(update).every((field) => field === 'action');
  const job = atOnce
    ? await store.write(async (tx) => change(tx, await requireJob(tx, principal, id)))
    : await whenIdle(app, principal, id, change);
  wake();
  return job;
}

/**
 * Deletes a job with its history, after the run that executes. It is gone at once; its history is
 * removed in small steps behind it. Throws `not_found`, `conflict`.
 */
export async function deleteJob(app: App, principal: Principal, id: string): Promise<void> {
  const { clock, wake } = app;
  await whenIdle(app, principal, id, (tx, job) => jobs.markJobDeleted(tx, job.id, clock.now()));
  wake();
}

/** A job as an update needs it: what is sealed must be opened only for a change of a part of it. */
function opened(job: SealedJob, update: JobUpdate, vault: Vault): Job {
  const { headers, body } = update;
  // With new headers and a new body nothing of the old ones is needed.
  if (headers !== undefined && body !== undefined) return openJob({ ...job, sealed: null }, vault);
  return isOfRequest(update) ? openJob(job, vault) : openForPeople(job, vault);
}

/** Whether an update is about what is sealed; the method decides whether there may be a body. */
function isOfRequest({ headers, body, method }: JobUpdate): boolean {
  return headers !== undefined || body !== undefined || method !== undefined;
}

async function sealed({ vault }: App, tx: Db, job: Job): Promise<SealedJob> {
  return await sealJob(job, vault, () => activeMasterKeyId(tx));
}
