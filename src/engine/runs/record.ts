/**
 * Record: writes how runs ended, with everything that follows from it, inside one transaction. Doing it twice changes
 * nothing.
 */

import { keepAttempts, recordEndedRuns } from '../../store/runs/results.ts';
import type { Attempt } from '../../store/runs/results.ts';
import type { Db } from '../../store/database/store.ts';
import { gatherRuns } from '../alerts/digests.ts';
import { recordHealthChanges } from '../alerts/health-changes.ts';
import type { EndedClaim } from '../alerts/health-changes.ts';
import { interruptedBecause } from './execution.ts';

/** The result of a record. */
export interface Recorded {
  /** Ids of the runs that were `running` until now. */
  recorded: ReadonlySet<string>;
  /** Ids of the runs with a further attempt that are still `running`: those attempts may be sent. */
  retried: ReadonlySet<string>;
  /** Alerts put into the outbox. */
  alerts: number;
}

/** Writes a batch: attempts, runs and the health of their jobs, alerts. `receipts` marks runs for signing. */
export async function recordBatch(
  tx: Db,
  batch: { executions: readonly EndedClaim[]; attempts: readonly Attempt[] },
  { receipts }: { receipts: boolean },
): Promise<Recorded> {
  const retried = await keepAttempts(tx, batch.attempts);
  const ended = batch.executions.map((execution) => execution.ended);
  const recorded = await recordEndedRuns(tx, ended, { receipts });
  const kept = batch.executions.filter((execution) => recorded.has(execution.ended.runId));
  await gatherInterrupted(tx, kept);
  return { recorded, retried, alerts: await recordHealthChanges(tx, kept) };
}

/** Gathers the interrupted runs among these for the channels that ask for them. */
export async function gatherInterrupted(
  tx: Db,
  runs: readonly {
    ended: EndedClaim['ended'];
    claimed: Pick<EndedClaim['claimed'], 'workspaceId' | 'scheduledFor'>;
  }[],
): Promise<void> {
  const interrupted = runs.filter(({ ended }) => ended.status === 'interrupted');
  const reported = interrupted.map(({ ended, claimed: { workspaceId, scheduledFor } }) => {
    const { runId: id, jobId } = ended;
    const reason = interruptedBecause(ended);
    return { id, jobId, workspaceId, scheduledFor, lastDueAt: scheduledFor, reason };
  });
  const now = interrupted.reduce((latest, { ended }) => Math.max(latest, ended.finishedAt), 0);
  await gatherRuns(tx, 'interrupted', { runs: reported, now });
}
