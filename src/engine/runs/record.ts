/**
 * Record: writes how runs ended, with everything that follows from it, inside one transaction. Doing it twice changes
 * nothing.
 */

import { keepAttempts, recordEndedRuns } from '../../store/runs/results.ts';
import type { Attempt } from '../../store/runs/results.ts';
import { beginWaits } from '../../store/runs/completions.ts';
import type { BegunWait } from '../../store/runs/completions.ts';
import type { Db } from '../../store/database/store.ts';
import { gatherRuns } from '../alerts/digests.ts';
import { recordHealthChanges } from '../alerts/health-changes.ts';
import type { EndedClaim } from '../alerts/health-changes.ts';
import { interruptedBecause } from './execution.ts';
import type { EndedExecution, Execution } from './execution.ts';
import { followUp } from './follow-up.ts';
import type { FollowUp } from './follow-up.ts';

/** The result of a record. */
export interface Recorded {
  /** Ids of the runs that were `running` until now. */
  recorded: ReadonlySet<string>;
  /** Ids of the runs with a further attempt that are still `running`: those attempts may be sent. */
  retried: ReadonlySet<string>;
  /** Ids of the runs that wait for a report from now on. */
  awaiting: ReadonlySet<string>;
  /** Alerts put into the outbox. */
  alerts: number;
  followUp: FollowUp;
}

/** A run that ended, with what is known of it since its claim. */
interface RecordedClaim extends EndedClaim {
  claimed: EndedClaim['claimed'] & { isFollowed?: Execution['isFollowed'] | number };
}

/**
 * Writes a batch: attempts, waits, runs and the health of their jobs, alerts, and what
 * follows. `receipts` marks runs for signing.
 */
export async function recordBatch(
  tx: Db,
  { executions, attempts, waits = [] }: RecordedBatch,
  { receipts }: { receipts: boolean },
): Promise<Recorded> {
  const retried = await keepAttempts(tx, attempts);
  const awaiting = await beginWaits(tx, waits.map(begunWait));
  const ended = executions.map((execution) => execution.ended);
  const recorded = await recordEndedRuns(tx, ended, { receipts });
  const kept = executions.filter((execution) => recorded.has(execution.ended.runId));
  await gatherInterrupted(tx, kept);
  const alerts = await recordHealthChanges(tx, kept);
  const followed = kept.filter(({ claimed }) => Boolean(claimed.isFollowed));
  const ends = followed.map((execution) => execution.ended);
  return { recorded, retried, awaiting, alerts, followUp: await followUp(tx, ends) };
}

/** What a record writes. */
interface RecordedBatch {
  executions: readonly RecordedClaim[];
  attempts: readonly Attempt[];
  /** Runs that do not end yet: their targets report later. */
  waits?: readonly EndedExecution[];
}

function begunWait({ claimed, ended }: EndedExecution): BegunWait {
  const { runId, attempts, httpStatus, responseBody, finishedAt } = ended;
  const expiresAt = finishedAt + (claimed.request.awaitSeconds ?? 0) * 1_000;
  const answer = { httpStatus, responseBody: responseBody && responseBody.toWellFormed() };
  const truncated = Number(ended.truncated);
  return { runId, attempts, ...answer, truncated, acceptedAt: finishedAt, expiresAt };
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
