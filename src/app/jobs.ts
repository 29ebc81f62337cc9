/** Jobs: what people may ask about them. */

import { JobdError } from '../domain/errors.ts';
import { newId } from '../domain/id.ts';
import { changeJob, defineJob } from '../domain/job-input.ts';
import type { JobInput, JobUpdate } from '../domain/job-input.ts';
import type { Job } from '../domain/job.ts';
import * as jobs from '../store/jobs.ts';
import type { Db } from '../store/open.ts';
import type { App, Principal } from './app.ts';
import { whenIdle } from './idle.ts';
import { idCursor, pageOf, parseIdCursor } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import { requireJob } from './require-job.ts';

/** Makes a job. Throws `invalid_input`, `too_large`, or `forbidden` for another workspace. */
export async function createJob(
  { store, clock, allowTargets, wake }: App,
  { workspaceId }: Principal,
  input: JobInput & { workspaceId?: string },
): Promise<Job> {
  if (input.workspaceId !== undefined && input.workspaceId !== workspaceId) {
    throw new JobdError('forbidden', "workspaceId must be the key's own workspace");
  }
  const { workspaceId: _, ...fields } = input;
  const now = clock.now();
  const job = defineJob(fields, { id: newId(now), workspaceId, now, allowTargets });
  await store.write((tx) => jobs.insertJob(tx, job));
  wake();
  return job;
}

/** A page of the workspace's jobs, newest first. */
export async function listJobs(
  { store }: App,
  { workspaceId }: Principal,
  { limit, cursor }: PageRequest,
): Promise<Page<Job>> {
  const before = cursor === null ? null : parseIdCursor(cursor);
  const found = await jobs.listJobs(store.db, workspaceId, { limit: limit + 1, before });
  return pageOf(found, limit, (job) => idCursor(job.id));
}

/** A job of the workspace. Throws `not_found`. */
export async function getJob({ store }: App, principal: Principal, id: string): Promise<Job> {
  return await requireJob(store.db, principal, id);
}

/**
 * Changes a job. A pause or a resumption alone is taken at once; all else waits for the run that
 * executes. Throws `not_found`, `invalid_input`, `too_large`, `conflict`.
 */
export async function updateJob(
  app: App,
  principal: Principal,
  id: string,
  update: JobUpdate,
): Promise<Job> {
  const { store, clock, allowTargets, wake } = app;
  const change = async (tx: Db, job: Job): Promise<Job> => {
    const changed = changeJob(job, update, { now: clock.now(), allowTargets });
    await jobs.updateJob(tx, changed);
    return changed;
  };
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
