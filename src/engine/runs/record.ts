/** Record: writes ended executions inside a transaction, with what follows from them. Doing it twice changes nothing. */

import { keepAttempts, recordEndedRuns } from '../../store/runs/results.ts';
import type { Attempt } from '../../store/runs/results.ts';
import type { Db } from '../../store/database/open.ts';
import { keepEdges } from '../alerts/edges.ts';
import type { EndedClaim } from '../alerts/edges.ts';

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
  { executions, attempts }: { executions: readonly EndedClaim[]; attempts: readonly Attempt[] },
  { receipts }: { receipts: boolean },
): Promise<Recorded> {
  await keepAttempts(tx, attempts);
  const ended = executions.map((execution) => execution.ended);
  const recorded = await recordEndedRuns(tx, ended, { receipts });
  const kept = executions.filter((execution) => recorded.has(execution.ended.runId));
  return { recorded, alerts: await keepEdges(tx, kept) };
}
