/** Very many jobs and runs in a demo, for tests of speed. */

import type { Insertable } from 'kysely';
import { newId } from '../../../src/domain/id.ts';
import type { RunRow } from '../../../src/store/database/schema.ts';
import type { Db, Store } from '../../../src/store/database/store.ts';
import { minuteMs } from './world.ts';

/** Rows of one statement: SQLite takes 32,766 parameters. */
const rowsAtOnce = 1_000;
/** Runs of each added job. */
const runsOfEach = 10;

/** Adds copies of a job that is not due soon, each with some runs. */
export async function addJobs(
  store: Store,
  jobId: string,
  { count, nowMs }: { count: number; nowMs: number },
): Promise<void> {
  await store.write(async (tx) => {
    const template = await tx
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', jobId)
      .executeTakeFirstOrThrow();
    const { name_lower: _, ...row } = template;
    const total_success = runsOfEach;
    for (let number = 1; number <= count; number += 1) {
      const id = newId(nowMs);
      const own = { id, name: `Report for customer ${number}`, managed_key: null, total_success };
      await tx
        .insertInto('jobs')
        .values({ ...row, ...own })
        .execute();
      await addSuccesses(tx, id, { count: runsOfEach, everyMs: 60 * minuteMs, nowMs });
    }
  });
}

/** Adds runs to a job, one a minute until now; one in fifty failed. */
export async function addRuns(
  store: Store,
  jobId: string,
  { count, nowMs }: { count: number; nowMs: number },
): Promise<void> {
  await store.write(async (tx) => {
    const rows = Array.from({ length: count }, (_, index) => {
      const row = successAt(jobId, nowMs - (count - index) * minuteMs, index);
      if (index % 50 !== 7) return row;
      const failure = { status: 'failed', http_status: 503, reason: 'http' } as const;
      return { ...row, ...failure };
    });
    await insertRows(tx, jobId, rows);
    const failed = rows.filter(({ status }) => status === 'failed').length;
    await tx
      .updateTable('jobs')
      .set({ total_success: count - failed, total_failed: failed, health: 'up' })
      .where('id', '=', jobId)
      .execute();
  });
}

async function addSuccesses(
  tx: Db,
  jobId: string,
  { count, everyMs, nowMs }: { count: number; everyMs: number; nowMs: number },
): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) =>
    successAt(jobId, nowMs - (count - index) * everyMs, index),
  );
  await insertRows(tx, jobId, rows);
}

function successAt(jobId: string, at: number, index: number): JobRun {
  const duration = 40 + ((index * 7919) % 90);
  return {
    id: newId(at),
    job_id: jobId,
    source: 'scheduled',
    status: 'success',
    scheduled_for: at,
    started_at: at + 3,
    finished_at: at + 3 + duration,
    attempts: 1,
    http_status: 200,
    duration_ms: duration,
    idempotency_key: null,
    response_body: 'ok',
  };
}

type JobRun = Omit<Insertable<RunRow>, 'workspace_id'>;

async function insertRows(tx: Db, jobId: string, rows: readonly JobRun[]): Promise<void> {
  const { workspace_id } = await tx
    .selectFrom('jobs')
    .select('workspace_id')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    await tx
      .insertInto('runs')
      .values(
        rows.slice(from, from + rowsAtOnce).map((row) => Object.assign(row, { workspace_id })),
      )
      .execute();
  }
}
