/** Receipts: the runs whose receipts are still to be signed, and the signed ones. */

import { sql } from 'kysely';
import type { Run } from '../../domain/runs/run.ts';
import type { Db } from '../database/open.ts';
import { runOf } from '../runs/runs.ts';
import { statementForEach } from '../database/statement.ts';
import type { Parameters } from '../database/statement.ts';

/** A run whose receipt is to be signed, with the hash of its job's last receipt. */
export interface UnsignedRun {
  run: Run;
  previousReceiptSha256: string | null;
}

/** Runs whose receipts are to be signed, of one job or of all; each job's in their order. */
export async function findUnsignedRuns(
  db: Db,
  { jobId, limit }: { jobId?: string; limit: number },
): Promise<UnsignedRun[]> {
  let query = db
    .selectFrom('runs')
    .innerJoin('jobs', 'jobs.id', 'runs.job_id')
    .selectAll('runs')
    .select('last_receipt_sha256')
    .where('receipt_due', '=', sql.lit<1>(1))
    .orderBy('job_id')
    .orderBy('started_at')
    .orderBy('runs.id')
    .limit(limit);
  if (jobId !== undefined) query = query.where('job_id', '=', jobId);
  const rows = await query.execute();
  return rows.map((row) => ({ run: runOf(row), previousReceiptSha256: row.last_receipt_sha256 }));
}

/** A signed receipt: its text in canonical form, and the hash of that in hexadecimal. */
export interface SignedReceipt {
  runId: string;
  jobId: string;
  text: string;
  sha256: string;
}

const insertReceipt = statementForEach((db: Db, of: Parameters<SignedReceipt>) =>
  db
    .insertInto('receipts')
    .columns(['run_id', 'receipt'])
    .expression((from) =>
      from
        .selectFrom('runs')
        .select(['id', of('text').as('receipt')])
        .where('id', '=', of('runId'))
        .where('receipt_due', '=', 1),
    )
    .compile(),
);

const markSigned = statementForEach((db: Db, of: Parameters<SignedReceipt>) =>
  db.updateTable('runs').set({ receipt_due: 0 }).where('id', '=', of('runId')).compile(),
);

const setLastReceipt = statementForEach((db: Db, of: Parameters<SignedReceipt>) =>
  db
    .updateTable('jobs')
    .set({ last_receipt_sha256: of('sha256') })
    .where('id', '=', of('jobId'))
    .compile(),
);

/** Keeps receipts, each job's in their order. Runs that were removed meanwhile get none. */
export async function keepReceipts(db: Db, receipts: readonly SignedReceipt[]): Promise<void> {
  await insertReceipt(db, receipts);
  await markSigned(db, receipts);
  const last = new Map(receipts.map((receipt) => [receipt.jobId, receipt]));
  await setLastReceipt(db, [...last.values()]);
}

/** The receipt of a run, as text in canonical form, or undefined. */
export async function findReceipt(db: Db, runId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('receipts')
    .select('receipt')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row?.receipt;
}
