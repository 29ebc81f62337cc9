/** Record: writes how runs ended, with all that follows, in one transaction. Doing it twice changes nothing. */

import type { RunStatus } from '../../domain/runs/run.ts';
import { findOtherEnds, keepAttempts, recordEndedRuns } from '../../store/runs/ended.ts';
import type { Attempt } from '../../store/runs/ended.ts';
import { beginWaits, type BegunWait } from '../../store/runs/reports.ts';
import type { Db } from '../../store/database/store.ts';
import { healthAfter } from '../alerts/health-changes.ts';
import type { EndedExecution } from './execution.ts';
import { follow, type EndedFact, type FollowUp } from './follow.ts';

/** The result of a record. */
export interface Recorded<Ended extends EndedFact = EndedFact> {
  /** The runs that were `running` until now. */
  ended: readonly Ended[];
  /** Ids of the runs with a further attempt that are still `running`: those attempts may be sent. */
  retried: ReadonlySet<string>;
  /** Ids of the runs that wait for a report from now on. */
  waiting: ReadonlySet<string>;
  /** The status on record of the runs that others had closed, by their ids. */
  closed: ReadonlyMap<string, RunStatus | null>;
  followUp: FollowUp;
}

/** Writes a batch: attempts, waits, ends of runs, and what follows. `receipts` marks runs for signing. */
export async function recordBatch<Ended extends EndedFact>(
  tx: Db,
  { executions, attempts = [], waits = [] }: RecordedBatch<Ended>,
  { receipts }: { receipts: boolean },
): Promise<Recorded<Ended>> {
  const retried = await keepAttempts(tx, attempts);
  const waiting = await beginWaits(tx, waits);
  const ends = executions.map((execution) => execution.ended);
  const recorded = await recordEndedRuns(tx, ends, { receipts, health: healthAfter(executions) });
  const ended = executions.filter((execution) => recorded.has(execution.ended.runId));
  const written = new Set([...recorded, ...waiting]);
  const late = [...ends, ...waits].filter(({ runId }) => !written.has(runId));
  const closed = await findOtherEnds(tx, late);
  return { ended, retried, waiting, closed, followUp: await follow(tx, { ended }) };
}

/** What a record writes. */
interface RecordedBatch<Ended extends EndedFact> {
  executions: readonly Ended[];
  attempts?: readonly Attempt[];
  /** Runs that do not end yet: their targets report later. */
  waits?: readonly BegunWait[];
}

/** The wait of a run that was answered 202. It begins now, in epoch milliseconds: the clock may have been set meanwhile. */
export function begunWait({ claimed, ended }: EndedExecution, now: number): BegunWait {
  const { runId, attempts, httpStatus, responseBody } = ended;
  const expiresAt = now + (claimed.request.reportWithinSeconds ?? 0) * 1_000;
  const answer = { httpStatus, responseBody: responseBody && responseBody.toWellFormed() };
  const truncated = Number(ended.truncated);
  return { runId, attempts, ...answer, truncated, acceptedAt: now, expiresAt };
}
