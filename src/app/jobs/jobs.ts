/** Jobs: what people may ask about them. */

import { hasExpired } from '../../domain/accounts/account.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { JobdError } from '../../domain/errors.ts';
import { newId } from '../../domain/id.ts';
import { upcomingDueTime } from '../../domain/runs/due.ts';
import { defineJob } from '../../domain/jobs/job-input.ts';
import type { JobInput, JobUpdate } from '../../domain/jobs/job-input.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { defaultTimeoutSeconds, plans } from '../../domain/accounts/plan.ts';
import { openForPeople } from '../../domain/secrets/sealed-job.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import * as jobs from '../../store/jobs/jobs.ts';
import type { Db } from '../../store/database/open.ts';
import { requirePaid } from '../accounts/account-limits.ts';
import type { App, Principal } from '../app.ts';
import { whenIdle } from './idle.ts';
import { changesNoField, keepChangedJob, keepNewJob } from './keep-job.ts';
import { idCursor, pageOf, parseIdCursor } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
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
  const { store, clock, wake } = app;
  const account = await requirePaid(store.db, principal, clock.now());
  const { workspaceId: _, ...fields } = input;
  const job = newJob(app, account, principal, fields);
  await store.write((tx) => keepNewJob(app, principal, tx, job));
  wake();
  return job;
}

/** A job as it begins; the plan of the account gives the default of its timeout. Throws as `defineJob` does. */
export function newJob(
  { clock, allowTargets }: App,
  { plan }: Account,
  { workspaceId }: Principal,
  input: JobInput,
): Job {
  const now = clock.now();
  return defineJob(
    { timeoutSeconds: defaultTimeoutSeconds(plans[plan]), ...input },
    { id: newId(now), workspaceId, now, allowTargets },
  );
}

/** A page of the workspace's jobs, newest first. */
export async function listJobs(
  { store, clock, vault }: App,
  principal: Principal,
  { limit, cursor }: PageRequest,
): Promise<Page<Job>> {
  const before = cursor === null ? null : parseIdCursor('jobs', cursor);
  const page = { limit: limit + 1, before };
  const found = await jobs.listJobs(store.db, principal.workspaceId, page);
  const { items, nextCursor } = pageOf(found, limit, (job) => idCursor('jobs', job.id));
  const now = clock.now();
  const isExpired = hasAccountExpired(principal, now);
  const shown = items.map((job) => shownJob(openForPeople(job, vault), isExpired, now));
  return { items: shown, nextCursor };
}

/** A job of the workspace. Throws `not_found`. */
export async function getJob(
  { store, clock, vault }: App,
  principal: Principal,
  id: string,
): Promise<Job> {
  const job = openForPeople(await requireJob(store.db, principal, id), vault);
  const now = clock.now();
  return shownJob(job, hasAccountExpired(principal, now), now);
}

/** Whether the account of the workspace has expired, as known since the key was looked up. */
export function hasAccountExpired(
  { accountExpiresAt: expiresAt }: Principal,
  now: number,
): boolean {
  return hasExpired({ expiresAt }, now);
}

/** A job as people see it: of an expired account none is due, whatever due time is kept. */
export function shownJob(job: Job, isExpired: boolean, now: number): Job {
  const nextRunAt = isExpired ? null : upcomingDueTime(job, now);
  return nextRunAt === job.nextRunAt ? job : { ...job, nextRunAt };
}

/**
 * Changes a job. An update that changes no field is taken at once: a pause or a resumption, or nothing at all, which
 * is not written; every other one waits for the run that executes. Throws `not_found`, `invalid_input`, `too_large`,
 * `conflict`, `payment_required`, `forbidden` for what the plan does not allow, and `unavailable` where what is sealed
 * is needed and was damaged.
 */
export async function updateJob(
  app: App,
  principal: Principal,
  id: string,
  update: JobUpdate,
): Promise<Job> {
  const { store, clock, vault, wake } = app;
  const { action } = update;
  // Whoever may not edit need not wait for the run that executes to learn it.
  const seen = await requireJob(store.db, principal, id);
  await requirePaid(store.db, principal, clock.now());
  const atOnce = changesNoField(app, seen, update);
  if (atOnce && action === undefined) {
    return shownJob(openForPeople(seen, vault), false, clock.now());
  }
  const needed = atOnce && action !== undefined ? { action } : update;
  const change = (tx: Db, current: SealedJob): Promise<Job> =>
    keepChangedJob(app, principal, tx, { job: current, update: needed });
  const job = atOnce
    ? await store.write(async (tx) => change(tx, await requireJob(tx, principal, id)))
    : await whenIdle(app, principal, id, change);
  wake();
  return shownJob(job, false, clock.now());
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
