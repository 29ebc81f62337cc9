/** Histories of jobs, long ones too, and a check of their totals. */

import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { newId } from '../../../src/domain/id.ts';
import type { RunStatus } from '../../../src/domain/runs/run.ts';
import type { Db, Store } from '../../../src/store/database/store.ts';
import { listOldestRuns, removeRuns, type OldRun } from '../../../src/store/runs/retention.ts';
import { countRuns, everyRun, workspaceOf } from '../../../src/store/runs/runs.ts';

/** A run of a history; it has a receipt if it got an answer. */
export interface PastRun {
  status: Exclude<RunStatus, 'queued'>;
  /** When it was due, in epoch milliseconds. */
  at: number;
  responseBody?: string;
}

const reasons = {
  running: null,
  success: null,
  failed: 'http',
  interrupted: 'cut_off',
  missed: 'late',
} as const;

/** Stores runs of a job and counts them. */
export async function keepHistory(store: Store, jobId: string, runs: readonly PastRun[]) {
  const rows = runs.map(({ status, at, responseBody = 'ok' }) => {
    const answered = status === 'success' || status === 'failed';
    return {
      id: newId(at),
      job_id: jobId,
      workspace_id: workspaceOf(sql.val(jobId)),
      source: 'scheduled' as const,
      status,
      scheduled_for: at,
      started_at: status === 'missed' ? null : at,
      finished_at: answered || status === 'interrupted' ? at + 1 : null,
      http_status: answered ? 200 : null,
      response_body: answered ? responseBody : null,
      reason: reasons[status],
      ...(status === 'missed' && { last_due_at: at, missed_count: 1 }),
    };
  });
  const count = (status: RunStatus): number => runs.filter((run) => run.status === status).length;
  await store.write(async (tx) => {
    for (const row of rows) {
      await tx.insertInto('runs').values(row).execute();
      if (row.http_status !== null) {
        await tx.insertInto('receipts').values({ run_id: row.id, receipt: '{}' }).execute();
      }
    }
    const active = rows.find((row) => row.status === 'running');
    await tx
      .updateTable('jobs')
      .set((of) => ({
        ...(active && {
          active_run_id: active.id,
          active_for: active.started_at,
          active_since: active.started_at,
        }),
        total_success: of('total_success', '+', count('success')),
        total_failed: of('total_failed', '+', count('failed')),
        total_interrupted: of('total_interrupted', '+', count('interrupted')),
        total_missed: of('total_missed', '+', count('missed')),
      }))
      .where('id', '=', jobId)
      .execute();
  });
  return rows.map(({ id }) => id);
}

/** A success each minute: `count` of them, the last one due at `until` (epoch milliseconds). */
export function successes(count: number, until: number, responseBody = 'ok'): PastRun[] {
  return Array.from({ length: count }, (_, index) => ({
    status: 'success',
    at: until - (count - 1 - index) * 60_000,
    responseBody,
  }));
}

/** The due times of the runs of all these jobs, in order. */
export async function dueTimesOf(store: Store, jobIds: readonly string[]): Promise<number[]> {
  const rows = await store.db
    .selectFrom(everyRun)
    .select('scheduled_for')
    .where('job_id', 'in', jobIds)
    .orderBy('scheduled_for')
    .execute();
  return rows.map((row) => row.scheduled_for);
}

/** Every job's totals equal its counted rows, and every receipt has its run. */
export async function assertTotalsCounted(store: Store): Promise<void> {
  const jobs = await store.db.selectFrom('jobs').select('id').execute();
  for (const { id } of jobs) {
    const rows = await store.db
      .selectFrom(everyRun)
      .select((of) => ['status', of.fn.countAll<number>().as('count')])
      .where('job_id', '=', id)
      .groupBy('status')
      .execute();
    const counted = Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    const totals = Object.entries(await countRuns(store.db, id)).filter(([, count]) => count !== 0);
    assert.deepEqual(Object.fromEntries(totals), counted);
  }
  const { rows } = await sql`
    select run_id from receipts where run_id not in (select id from runs)`.execute(store.db);
  assert.deepEqual(rows, []);
}

/** Removes a job's runs that are over and were due by then, of those due at one moment the ones by hand first. Returns how many. */
export async function removeUpTo(
  tx: Db,
  { jobId, scheduledFor, source = 'scheduled' }: RemovedTo,
): Promise<number> {
  const oldest = await listOldestRuns(tx, jobId, { after: null, limit: 100_000 });
  const isLater = (run: OldRun): boolean =>
    run.scheduledFor > scheduledFor || (run.scheduledFor === scheduledFor && run.source > source);
  return await removeRuns(
    tx,
    oldest.filter((run) => !isLater(run)),
  );
}

interface RemovedTo {
  jobId: string;
  /** Epoch milliseconds. */
  scheduledFor: number;
  source?: 'scheduled' | 'manual';
}
