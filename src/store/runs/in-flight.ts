/** Calls of a workspace that were in flight at a moment. */

import { idList } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { isLive } from '../nodes/nodes.ts';
import { everyRun } from './runs.ts';

/** Runs that are looked at. */
const mostRead = 2_000;

export interface InFlight {
  all: number;
  /** To one host. */
  toHost: number;
  /** Whether runs were left out, because there are too many. */
  isPartial: boolean;
}

/**
 * Counts those of a workspace at `at` (epoch milliseconds), without the run `except`: among the newest of the runs that were due
 * after `since`, before which no call in flight began.
 */
export async function countInFlight(
  db: Db,
  workspaceId: string,
  { at, since, host, except }: { at: number; since: number; host: string; except: string | null },
): Promise<InFlight> {
  const rows = await db
    .selectFrom(everyRun)
    .select(['runs.id', 'job_id as jobId', 'scheduled_for', 'status'])
    .select(['started_at as startedAt', 'finished_at as finishedAt'])
    // The call of a run that was answered 202 ended then, whenever its target reported.
    .select((of) =>
      of
        .selectFrom('reports')
        .select('accepted_at')
        .whereRef('run_id', '=', 'runs.id')
        .as('acceptedAt'),
    )
    // When the call of a node that does not answer ended, nobody knows; nor when that of an interrupted run did.
    .select((of) =>
      of
        .selectFrom('jobs as executed')
        .innerJoin('nodes', 'nodes.id', 'executed.active_node_id')
        .select('nodes.id')
        .whereRef('executed.id', '=', 'job_id')
        .whereRef('executed.active_run_id', '=', 'runs.id')
        .where((node) => node.not(isLive))
        .as('silentNodeId'),
    )
    .where('workspace_id', '=', workspaceId)
    .where('scheduled_for', '>', since)
    .where('scheduled_for', '<=', at)
    .orderBy('scheduled_for', 'desc')
    .limit(mostRead)
    .execute();
  const inFlight = rows.filter(
    ({ id, status, startedAt, acceptedAt, finishedAt, silentNodeId }) => {
      const endedAt = acceptedAt ?? finishedAt;
      const isBegun = startedAt !== null && startedAt <= at;
      if (id === except || silentNodeId !== null || status === 'interrupted') return false;
      return isBegun && (endedAt === null || endedAt > at);
    },
  );
  const jobIds = inFlight.map(({ jobId }) => jobId);
  const hosts = await hostsOf(db, jobIds);
  const toHost = inFlight.filter(({ jobId }) => hosts.get(jobId) === host).length;
  return { all: inFlight.length, toHost, isPartial: rows.length === mostRead };
}

async function hostsOf(db: Db, jobIds: readonly string[]): Promise<Map<string, string>> {
  const jobs = db.selectFrom('jobs').select(['id', 'host']);
  const rows = await jobs.where('id', 'in', idList([...new Set(jobIds)])).execute();
  return new Map(rows.map(({ id, host }) => [id, host]));
}
