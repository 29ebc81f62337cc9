/**
 * Follow-up: what the end of a run starts, in the transaction that records it, so that a crash neither loses nor doubles
 * it. Its job's callback gets the run, and jobs that run after its job get a run of their own. Nothing is asked for runs
 * that nobody waits for.
 */

import { hasExpired } from '../../domain/accounts/account.ts';
import { newId } from '../../domain/id.ts';
import { conditionsMet } from '../../domain/runs/chained.ts';
import { findTerms } from '../../store/accounts/expiry.ts';
import { postResults } from '../../store/alerts/callbacks.ts';
import type { DroppedResults } from '../../store/alerts/callbacks.ts';
import { findStarted, insertChainedRuns } from '../../store/jobs/chains.ts';
import type { ChainedRun } from '../../store/jobs/chains.ts';
import type { Db } from '../../store/database/store.ts';
import type { EndedRun } from '../../store/runs/results.ts';

/** What follows from runs that ended. */
export interface FollowUp {
  /** Results that wait to be delivered now. */
  posted: number;
  /** Results that were given up, as their targets take none. */
  dropped: readonly DroppedResults[];
  /** Runs that wait to be started now. */
  queued: readonly ChainedRun[];
}

const nothing: FollowUp = { posted: 0, dropped: [], queued: [] };

/** Writes what follows from the end of these runs, which somebody waits for. */
export async function followUp(tx: Db, ended: readonly EndedRun[]): Promise<FollowUp> {
  if (ended.length === 0) return nothing;
  const now = ended.reduce((latest, { finishedAt }) => Math.max(latest, finishedAt), 0);
  const queued = await startFollowers(tx, ended, now);
  const runIds = ended.map(({ runId }) => runId);
  return { queued, ...(await postResults(tx, runIds, now)) };
}

/** Queues a run of each job that runs after one of these, unless its account has expired. */
async function startFollowers(
  tx: Db,
  ended: readonly EndedRun[],
  now: number,
): Promise<ChainedRun[]> {
  const causes = ended.map(({ jobId, runId, status, finishedAt }) => ({
    jobId,
    runId,
    conditions: conditionsMet(status),
    endedAt: finishedAt,
  }));
  const started = await findStarted(tx, causes);
  if (started.length === 0) return [];
  const terms = await findTerms(tx, [...new Set(started.map(({ workspaceId }) => workspaceId))]);
  const queued = started
    .filter(({ workspaceId }) => {
      const its = terms.get(workspaceId);
      return its !== undefined && !hasExpired(its, now);
    })
    .map((run) => ({ ...run, id: newId(now) }));
  if (queued.length > 0) await insertChainedRuns(tx, queued);
  return queued;
}
