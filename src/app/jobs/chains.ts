/** Chained jobs: a job that runs after another one of its workspace. They form no circle, and no chain is long. */

import { longestChain } from '../../domain/jobs/after-words.ts';
import { followedWords, sameAfter, tooLong } from '../../domain/jobs/after.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { got, invalidInput, JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import { countChainAfter, findChainBefore, findFollowers } from '../../store/jobs/chains.ts';
import { findJob } from '../../store/jobs/jobs.ts';
import type { Db } from '../../store/database/store.ts';
import type { Principal } from '../app.ts';

/** Followers that are looked at. */
const mostFollowers = 1_000;

/**
 * Checks the place of a job in its chain, in the transaction that writes it. Throws `invalid_input` if it names no job of the
 * workspace, would close a circle, or makes a chain too long.
 */
export async function requireChain(
  tx: Db,
  { workspaceId }: Principal,
  job: Pick<Job, 'id' | 'name' | 'after'>,
  before: Pick<Job, 'after'> | null,
): Promise<void> {
  const { after } = job;
  if (after === null || (before !== null && sameAfter(after, before.after))) return;
  const { jobId } = after;
  if (!isId(jobId) || (await findJob(tx, workspaceId, jobId)) === undefined) {
    throw invalidInput(`after.jobId must be the id of a job of the workspace, ${got(jobId)}`);
  }
  const chain = await findChainBefore(tx, jobId, longestChain + 1);
  const place = chain.findIndex(({ id }) => id === job.id);
  if (place >= 0) {
    const circle = chain.slice(0, place + 1).toReversed();
    const names = [...circle.map(({ name }) => name), job.name].join(', then ');
    throw invalidInput(`after must not close a circle: ${names}`);
  }
  const length = chain.length + 1 + (await countChainAfter(tx, job.id, longestChain));
  if (length <= longestChain) return;
  throw invalidInput(tooLong);
}

/** Refuses to delete a job that others run after: they would never run again. Throws `conflict` with their names. */
export async function refuseFollowed(tx: Db, job: Pick<Job, 'id'>): Promise<void> {
  const left = await findFollowers(tx, job.id, mostFollowers);
  if (left.length === 0) return;
  throw new JobdError('conflict', followedWords(left.map(({ name }) => name)));
}
