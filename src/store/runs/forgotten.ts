/** Which runs a database does not know as it confirmed them: a server that lost commits, or a copy that was behind. */

import type { RunStatus } from '../../domain/runs/run.ts';
import { idList } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { everyRun } from './runs.ts';

/** A run as the database confirmed it. */
export interface ConfirmedRun {
  id: string;
  jobId: string;
  /** Its due time, or when it was asked for, in epoch milliseconds. */
  scheduledFor: number;
  status: RunStatus;
}

/** Ids of runs: those whose call is not on record, and those whose outcome is not. */
export interface Forgotten {
  calls: string[];
  outcomes: string[];
}

/** Runs that one statement asks for. */
const largestBatch = 1_000;

/** Compares them. What people deleted with its job, or retention removed, is left out: nobody can tell. */
export async function findForgotten(db: Db, runs: readonly ConfirmedRun[]): Promise<Forgotten> {
  const found: Forgotten = { calls: [], outcomes: [] };
  for (let first = 0; first < runs.length; first += largestBatch) {
    const batch = runs.slice(first, first + largestBatch);
    const statuses = await statusesOf(db, batch);
    const historyFrom = await findHistories(db, batch);
    for (const { id, jobId, scheduledFor, status } of batch) {
      const known = statuses.get(id) ?? 'queued';
      // A run that was asked for waits again.
      if (known === 'queued') {
        if (scheduledFor > (historyFrom.get(jobId) ?? Infinity)) found.calls.push(id);
      } else if (status !== 'running' && known !== status) found.outcomes.push(id);
    }
  }
  return found;
}

async function statusesOf(
  db: Db,
  runs: readonly ConfirmedRun[],
): Promise<ReadonlyMap<string, RunStatus>> {
  const ids = idList(runs.map(({ id }) => id));
  const rows = await db
    .selectFrom(everyRun)
    .select(['id', 'status'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** The last due time that retention removed of each job that is left, in epoch milliseconds. */
async function findHistories(
  db: Db,
  runs: readonly ConfirmedRun[],
): Promise<ReadonlyMap<string, number>> {
  const ids = idList([...new Set(runs.map(({ jobId }) => jobId))]);
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'history_from'])
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute();
  return new Map(rows.map(({ id, history_from: from }) => [id, from]));
}
