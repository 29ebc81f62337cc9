/** Jobs: what people may ask about them. */

import { JobdError } from '../domain/errors.ts';
import { isId, newId } from '../domain/id.ts';
import { defineJob } from '../domain/job.ts';
import type { Job, JobInput } from '../domain/job.ts';
import * as jobs from '../store/jobs.ts';
import type { Db } from '../store/open.ts';
import type { App, Principal } from './app.ts';
import { idCursor, pageOf, parseIdCursor } from './page.ts';
import type { Page, PageRequest } from './page.ts';

/** Makes a job. Throws `invalid_input`, `too_large`, or `forbidden` for another workspace. */
export async function createJob(
  { store, clock, allowTargets, wake }: App,
  { workspaceId }: Principal,
  input: JobInput & { workspaceId?: string },
): Promise<Job> {
  if (input.workspaceId !== undefined && input.workspaceId !== workspaceId) {
    throw new JobdError('forbidden', "workspaceId must be the key's own workspace");
  }
  const now = clock.now();
  const job = defineJob(input, { id: newId(now), workspaceId, now, allowTargets });
  await jobs.insertJob(store.db, job);
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

/** The job, if it is there and the principal's own; else throws `not_found`. */
export async function requireJob(db: Db, { workspaceId }: Principal, id: string): Promise<Job> {
  const job = isId(id) ? await jobs.findJob(db, workspaceId, id) : undefined;
  if (job === undefined) throw new JobdError('not_found', `there is no job with id ${id}`);
  return job;
}
