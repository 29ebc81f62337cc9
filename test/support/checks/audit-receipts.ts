/**
 * The receipts of a data directory: one for each answered run, with a valid signature, in a chain
 * for each job.
 */

import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Receipt } from '../../../src/domain/proof/receipt.ts';
import { canonicalJson } from '../../../src/receipt/canonical.ts';
import { nativeSha256 } from '../../../src/receipt/sign.ts';

interface Row {
  run_id: string;
  job_id: string;
  http_status: number | null;
  status: string;
  receipt: string | null;
  receipt_due: number;
}

/** The number of receipts still to be signed. */
export function unsignedIn(dataDir: string): number {
  using books = open(dataDir);
  const counted = books.database
    .prepare<[], number>('select count(*) from runs where receipt_due = 1')
    .pluck();
  return counted.get() ?? 0;
}

/**
 * All errors, as sentences. Receipts that a stop left to be signed after the next start are not
 * errors.
 */
export function auditReceipts(dataDir: string): string[] {
  using books = open(dataDir);
  const rows = books.database
    .prepare<[], Row>(
      `select runs.id as run_id, job_id, http_status, status, receipt, receipt_due
       from runs left join receipts on receipts.run_id = runs.id
       order by job_id, started_at, runs.id`,
    )
    .all();
  const lastOf = new Map(
    books.database
      .prepare<[], { id: string; last: string | null }>(
        'select id, last_receipt_sha256 as last from jobs where deleted_at is null',
      )
      .all()
      .map(({ id, last }) => [id, last]),
  );
  const keys = new Map<string, KeyObject>();
  const wrong: string[] = [];
  const chains = new Map<string, string | null>();
  for (const row of rows) {
    const isAnswered = row.http_status !== null && row.status !== 'interrupted';
    if (isAnswered !== (row.receipt !== null || row.receipt_due === 1)) {
      wrong.push(`run ${row.run_id} is ${row.status}, its receipt ${row.receipt}`);
    }
    if (row.receipt === null) continue;
    wrong.push(...auditOne(row, row.receipt, chains.get(row.job_id) ?? null, keys));
    chains.set(row.job_id, nativeSha256(Buffer.from(row.receipt)));
  }
  for (const [jobId, last] of lastOf) {
    if ((chains.get(jobId) ?? null) !== last) wrong.push(`job ${jobId} has another last receipt`);
  }
  return wrong;
}

function auditOne(
  row: Row,
  text: string,
  previous: string | null,
  keys: Map<string, KeyObject>,
): string[] {
  const receipt = JSON.parse(text) as Receipt;
  const { signature, ...signed } = receipt;
  const x = receipt.publicKey ?? '';
  const key =
    keys.get(x) ?? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  keys.set(x, key);
  const { payload } = receipt;
  const facts: [string, boolean][] = [
    ['is not canonical', canonicalJson(receipt) === text],
    ['is of another run', payload.runId === row.run_id && payload.jobId === row.job_id],
    ['says another outcome', payload.status === row.status],
    ['says another status', payload.httpStatus === row.http_status],
    ['follows another receipt', payload.previousReceiptSha256 === previous],
    [
      'is not signed',
      verify(null, Buffer.from(canonicalJson(signed)), key, Buffer.from(signature, 'base64url')),
    ],
  ];
  return facts.filter(([, holds]) => !holds).map(([what]) => `receipt of ${row.run_id} ${what}`);
}

function open(dataDir: string): Disposable & { database: Database.Database } {
  const database = new Database(join(dataDir, 'jobd.db'), { readonly: true });
  return { database, [Symbol.dispose]: () => database.close() };
}
