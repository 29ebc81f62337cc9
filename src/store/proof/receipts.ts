/** Receipts: the runs whose receipts are still to be signed, and the signed ones. */

import { sql, type RawBuilder } from 'kysely';
import type { Run } from '../../domain/runs/run.ts';
import { countOf, countRows } from '../database/count.ts';
import { isStill } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import type { SweepPage } from '../database/sweep.ts';
import { runOf, withReports } from '../runs/runs.ts';
import { statement, statementForEach, type Parameters } from '../database/statement.ts';

/** A run whose receipt is to be signed, with the hash of its job's last receipt. */
export interface UnsignedRun {
  run: Run;
  previousReceiptSha256: string | null;
}

const unsignedRuns = statement((db: Db, of: Parameters<{ limit: number }>) =>
  inOrder(db, of('limit')).compile(),
);

const unsignedRunsOf = statement((db: Db, of: Parameters<{ jobId: string; limit: number }>) =>
  inOrder(db, of('limit')).where('job_id', '=', of('jobId')).compile(),
);

function inOrder(db: Db, limit: RawBuilder<number>) {
  return db
    .selectFrom('runs')
    .innerJoin('jobs', 'jobs.id', 'runs.job_id')
    .selectAll('runs')
    .select('last_receipt_sha256')
    .where('receipt_due', '=', sql.lit<1>(1))
    .orderBy('job_id')
    .orderBy('started_at')
    .orderBy('runs.id')
    .limit(limit);
}

/** Runs whose receipts are to be signed, of one job or of all; each job's in their order. */
export async function findUnsignedRuns(
  db: Db,
  { jobId, limit }: { jobId?: string; limit: number },
): Promise<UnsignedRun[]> {
  const rows = await (jobId === undefined
    ? unsignedRuns(db, { limit })
    : unsignedRunsOf(db, { jobId, limit }));
  const runs = await withReports(db, rows.map(runOf));
  return runs.map((run, index) => ({
    run,
    previousReceiptSha256: rows[index]?.last_receipt_sha256 ?? null,
  }));
}

/** Counts runs whose receipts are to be signed, up to `limit`. */
export async function countUnsignedRuns(db: Db, limit: number): Promise<number> {
  const unsigned = db
    .selectFrom('runs')
    .select('job_id')
    .where('receipt_due', '=', sql.lit<1>(1))
    .limit(limit);
  return await countRows(db, unsigned.as('unsigned'));
}

/** A signed receipt: its text in canonical form, the hash of that in hexadecimal, and that of the receipt before it. */
export interface SignedReceipt {
  runId: string;
  jobId: string;
  text: string;
  sha256: string;
  previousSha256: string | null;
}

const markSigned = statementForEach((db: Db, of: Parameters<Pick<SignedReceipt, 'runId'>>) =>
  db
    .updateTable('runs')
    .set({ receipt_due: 0 })
    .where('id', '=', of('runId'))
    .where(isStill('receipt_due', sql.lit<1>(1)))
    .compile(),
);

const insertReceipt = statementForEach((db: Db, of: Parameters<SignedReceipt>) =>
  db
    .insertInto('receipts')
    .values({ run_id: of('runId'), receipt: of('text') })
    .compile(),
);

/** The new end of a job's chain of receipts, if its end is still the one that they continue. */
type ChainEnd = Pick<SignedReceipt, 'jobId' | 'sha256' | 'previousSha256'>;

const extendChain = statementForEach((db: Db, of: Parameters<ChainEnd>) =>
  db
    .updateTable('jobs')
    .set({ last_receipt_sha256: of('sha256') })
    .where('id', '=', of('jobId'))
    .where(isStill('last_receipt_sha256', of('previousSha256')))
    .compile(),
);

/**
 * Keeps receipts, each job's in their order. Runs that were removed meanwhile get none, and jobs that got another receipt
 * meanwhile: theirs are to be signed again.
 */
export async function keepReceipts(db: Db, receipts: readonly SignedReceipt[]): Promise<void> {
  const ends = new Map<string, ChainEnd>();
  for (const { jobId, sha256, previousSha256 } of receipts) {
    const begun = ends.get(jobId) ?? { jobId, previousSha256 };
    ends.set(jobId, { ...begun, sha256 });
  }
  const jobIds = [...ends.keys()];
  const isExtended = await extendChain(db, [...ends.values()]);
  const extended = new Set(jobIds.filter((_, index) => isExtended[index]));
  const kept = receipts.filter(({ jobId }) => extended.has(jobId));
  const ids = kept.map(({ runId }) => ({ runId }));
  const isMarked = await markSigned(db, ids);
  const marked = kept.filter((_, index) => isMarked[index]);
  await insertReceipt(db, marked);
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

/** How many receipts there are. */
export async function countReceipts(db: Db): Promise<number> {
  return await countOf(db.selectFrom('receipts'));
}

/** A job and the hash of the last receipt that it got. */
export interface ChainOfJob {
  jobId: string;
  lastSha256: string;
}

/** A page of the jobs that ever got a receipt. */
export async function findChains(db: Db, { afterId, limit }: SweepPage): Promise<ChainOfJob[]> {
  return await db
    .selectFrom('jobs')
    .select(['id as jobId', 'last_receipt_sha256 as lastSha256'])
    .where('last_receipt_sha256', 'is not', null)
    .$narrowType<{ lastSha256: string }>()
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The receipts of a job's newest runs, as text in canonical form. */
export async function findNewestReceipts(
  db: Db,
  jobId: string,
  limit: number,
): Promise<{ runId: string; text: string }[]> {
  return await db
    .selectFrom('runs')
    .innerJoin('receipts', 'receipts.run_id', 'runs.id')
    .select(['runs.id as runId', 'receipt as text'])
    .where('job_id', '=', jobId)
    .orderBy('scheduled_for', 'desc')
    .orderBy('source', 'desc')
    .limit(limit)
    .execute();
}
