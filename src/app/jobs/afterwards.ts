/** What follows from the runs of a job, for people: its neighbours in its chain, and what became of its results. */

import type { PostedResult } from '../../domain/alerts/delivery.ts';
import type { After } from '../../domain/jobs/after.ts';
import { findCallback, listResults } from '../../store/alerts/callbacks.ts';
import { findFollowers, type ChainedJob } from '../../store/jobs/chains.ts';
import { findJob } from '../../store/jobs/jobs.ts';
import type { Ground, Principal } from '../app.ts';
import { idPage, type Page, type PageRequest } from '../page.ts';
import { requireJob } from './keep-job.ts';

/** Followers that people see of a job. */
const mostShown = 100;

/** What a job runs after, and what runs after it. */
export interface Chain {
  /** The name is null if that job is gone. */
  after: (After & { name: string | null }) | null;
  /** The first hundred. */
  followers: ChainedJob[];
}

/** The neighbours of a job in its chain. Throws `not_found`. */
export async function getChain(
  { store }: Ground,
  principal: Principal,
  id: string,
): Promise<Chain> {
  const { after } = await requireJob(store.db, principal, id);
  const followers = await findFollowers(store.db, id, mostShown);
  if (after === null) return { after, followers };
  const before = await findJob(store.db, principal.workspaceId, after.jobId);
  return { after: { ...after, name: before?.name ?? null }, followers };
}

/** A page of what became of a job's results, newest first. Throws `not_found`. */
export async function listCallbacks(
  { store }: Ground,
  principal: Principal,
  id: string,
  request: PageRequest,
): Promise<Page<PostedResult>> {
  const job = await requireJob(store.db, principal, id);
  const callback = await findCallback(store.db, job.id);
  return await idPage(job.id, { ...request, subjectId: null, idPrefix: null }, async (page) =>
    callback === undefined ? [] : await listResults(store.db, callback.id, page),
  );
}
