/** Receipts, and the keys they are signed with. */

import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** Makes the tables, and says of every run whether its receipt is still to be signed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // The private keys are files, so that a copy of the database cannot sign.
  `create table signing_keys (
     key_id text not null primary key,
     public_key text not null,
     created_at bigint not null,
     retired_at bigint
   )`,
  // One key signs at a time.
  `create unique index signing_keys_active on signing_keys ((retired_at is null))
     where retired_at is null`,

  // As they are handed out: in canonical form, to the byte.
  `create table receipts (
     run_id text not null primary key references runs (id) on delete cascade,
     receipt text not null
   )`,
  // What the next receipt of the job points back to.
  `alter table jobs add column last_receipt_sha256 text`,
  `alter table runs add column receipt_due smallint not null default 0
     check (receipt_due in (0, 1))`,
  // Runs without their receipt, in the order in which a job's receipts are signed.
  `create index runs_unsigned on runs (job_id, started_at, id) where receipt_due = 1`,
];
