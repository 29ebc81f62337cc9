/** Calls of a workspace that were in flight at a moment. */

import { idList } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { isLive } from '../nodes/nodes.ts';
import { everyRun } from './runs.ts';

/** Runs that are looked at. */
const mostRead = 2_000;

/** Calls that were in flight. */
export interface InFlight {
  all: number;
  /** To one host. */
  toHost: number;
  /** Whether runs were left out, because there are too many. */
  isPartial: boolean;
}

/**
 * Counts those of a workspace at `at` (epoch milliseconds), without the run `except`: among the newest of the runs that were due
 * after `since`, before which no call in flight began. When the call of a node that does not answer ended, nobody knows: it does not
 * count.
 */
export async function countInFlight(
  db: Db,
  workspaceId: string,
  { at, since, host, except }: { at: number; since: number; host: string; except: string | null },
): Promise<InFlight> {
  const rows = await db
    .selectFrom(everyRun)
    .select(['runs.id', 'job_id as jobId', 'scheduled_for'])
    .select(['started_at as startedAt', 'finished_at as finishedAt'])
    // The call of a run that was answered 202 ended then, whenever its target reported.
    .select((of) =>
      of
        .selectFrom('completions')
        .select('accepted_at')
        .whereRef('run_id', '=', 'runs.id')
        .as('acceptedAt'),
    )
    .where('workspace_id', '=', workspaceId)
    .where('scheduled_for', '>', since)
    .where('scheduled_for', '<=', at)
    .orderBy('scheduled_for', 'desc')
    .limit(mostRead)
    .execute();
  const begun = rows.filter(({ id, startedAt, acceptedAt, finishedAt }) => {
    const endedAt = acceptedAt ?? finishedAt;
    const isBegun = startedAt !== null && startedAt <= at;
    return id !== except && isBegun && (endedAt === null || endedAt > at);
  });
  const ids = begun.map(({ jobId }) => jobId);
  const jobs = await jobsOf(db, ids);
  const inFlight = begun.filter(({ id, jobId }) => {
    const job = jobs.get(jobId);
    return job?.runId !== id || Boolean(job.isHeard);
  });
  const toHost = inFlight.filter(({ jobId }) => jobs.get(jobId)?.host === host).length;
  return { all: inFlight.length, toHost, isPartial: rows.length === mostRead };
}

/** The host of each job, its run under way, and whether the node that executes that answers. */
async function jobsOf(db: Db, jobIds: readonly string[]) {
  const rows = await db
    .selectFrom('jobs')
    .leftJoin('nodes', 'nodes.id', 'active_node_id')
    .select(['jobs.id', 'jobs.host', 'active_run_id as runId'])
    .select((of) => {
      const isServing = of.and([of('ended_at', 'is', null), isLive]);
      return of.or([of('active_node_id', 'is', null), isServing]).as('isHeard');
    })
    .where('jobs.id', 'in', idList([...new Set(jobIds)]))
    .execute();
  return new Map(rows.map(({ id, ...job }) => [id, job]));
}
