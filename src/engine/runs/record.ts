/**
 * Record: writes how runs ended, with everything that follows from it, inside one transaction. Doing it twice changes
 * nothing.
 */

import type { Clock } from '../../domain/clock.ts';
import { findRunningRuns, keepAttempts, recordEndedRuns } from '../../store/runs/results.ts';
import type { Attempt, EndedRun, RunningRun } from '../../store/runs/results.ts';
import type { Db, Store } from '../../store/database/store.ts';
import { gatherRuns } from '../alerts/digests.ts';
import { recordHealthChanges } from '../alerts/health-changes.ts';
import type { EndedClaim } from '../alerts/health-changes.ts';
import { interruptedBecause, interruptedRun } from './execution.ts';

/** The result of a record. */
export interface Recorded {
  /** Ids of the runs that were `running` until now. */
  recorded: ReadonlySet<string>;
  /** Alerts put into the outbox. */
  alerts: number;
}

/** Writes a batch: attempts, runs and the health of their jobs, alerts. `receipts` marks runs for signing. */
export async function recordBatch(
  tx: Db,
  batch: { executions: readonly EndedClaim[]; attempts: readonly Attempt[] },
  { receipts }: { receipts: boolean },
): Promise<Recorded> {
  await keepAttempts(tx, batch.attempts);
  const ended = batch.executions.map((execution) => execution.ended);
  const recorded = await recordEndedRuns(tx, ended, { receipts });
  const kept = batch.executions.filter((execution) => recorded.has(execution.ended.runId));
  await gatherInterrupted(tx, kept);
  return { recorded, alerts: await recordHealthChanges(tx, kept) };
}

/** Gathers the interrupted runs among these for the channels that ask for them. */
async function gatherInterrupted(
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

/** A run of a process that is gone. */
export interface RescuedRun {
  claimed: Omit<RunningRun, 'attempts'>;
  ended: EndedRun;
}

/**
 * Closes the runs that are `running` at the start: their process is gone. Nobody knows whether their targets were reached,
 * so they are interrupted and never sent again (docs/behavior.md#run-3). Returns them.
 */
export async function rescueRuns(store: Store, clock: Clock): Promise<RescuedRun[]> {
  return await store.write(async (tx) => {
    const now = clock.now();
    const running = await findRunningRuns(tx);
    const why = 'the process that executed it ended before the outcome was known';
    const rescued = running.map(({ startedAt, attempts, ...claimed }) => {
      // The wall clock may have been set back.
      const finishedAt = Math.max(now, startedAt);
      const ended = interruptedRun(claimed, { why, attempts, finishedAt });
      return { claimed: { ...claimed, startedAt }, ended };
    });
    await recordEndedRuns(
      tx,
      rescued.map(({ ended }) => ended),
    );
    await gatherInterrupted(tx, rescued);
    return rescued;
  });
}
