/**
 * Brings a database to the newest schema. Migrations are numbered, go forward only, are never
 * edited once released, and are compiled in.
 */

import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { JobdError } from '../../domain/errors.ts';
import { hasTable } from './dialect.ts';
import * as first from './migrations/0001_first.ts';
import * as receipts from './migrations/0002_receipts.ts';
import * as accounts from './migrations/0003_accounts.ts';
import * as monitors from './migrations/0004_monitors.ts';
import * as secrets from './migrations/0005_secrets.ts';
import * as alerts from './migrations/0006_alerts.ts';
import * as jobKeys from './migrations/0007_job_keys.ts';
import * as deliveryAttempts from './migrations/0008_delivery_attempts.ts';
import type { Schema } from './schema.ts';

const migrations: readonly { up(db: Kysely<unknown>): Promise<void> }[] = [
  first,
  receipts,
  accounts,
  monitors,
  secrets,
  alerts,
  jobKeys,
  deliveryAttempts,
];

/** What a migration is applied to: a store whose tables are not there yet. */
interface Unmigrated {
  readonly db: Kysely<Schema>;
  write<T>(work: (tx: Kysely<Schema>) => Promise<T>): Promise<T>;
}

/**
 * Applies what is missing, each migration in a transaction of its own; a database that lacks nothing
 * is not written. Throws `JobdError` `unavailable` when it was written by a newer jobd.
 */
export async function migrate(store: Unmigrated): Promise<void> {
  await refuseActive(store.db);
  for (let next = await schemaVersion(store.db); next < newestVersion; next += 1) {
    await store.write((tx) => apply(tx as Kysely<unknown>, next));
  }
  await refuseNewer(store.db);
}

/** Makes the schema of a version in an empty database. */
export async function makeSchema(db: Kysely<unknown>, version: number): Promise<void> {
  for (let next = 0; next < version; next += 1) await apply(db, next);
}

/**
 * jobd makes no triggers and no views. One in the file was put there by somebody else, and would act with each statement of
 * jobd: a trigger can undo the revocation of a key.
 */
async function refuseActive<Tables>(db: Kysely<Tables>): Promise<void> {
  const found = await sql<{ type: string; name: string }>`
    select type, name from sqlite_master where type in ('trigger', 'view') limit 1`.execute(db);
  const [active] = found.rows;
  if (active === undefined) return;
  const { type, name } = active;
  throw new JobdError(
    'unavailable',
    `the database has a ${type} ${JSON.stringify(name)}, which is none of jobd's: find out who changed the file, ` +
      'and restore a backup or remove it with sqlite3',
  );
}

/** Another process may have been faster, so it is looked again. */
async function apply(tx: Kysely<unknown>, index: number): Promise<void> {
  if ((await schemaVersion(tx)) > index) return;
  await sql`create table if not exists migrations (
    version bigint not null primary key,
    applied_at text not null default current_timestamp
  )`.execute(tx);
  await migrations[index]?.up(tx);
  await sql`insert into migrations (version) values (${index + 1})`.execute(tx);
}

async function refuseNewer<Tables>(db: Kysely<Tables>): Promise<void> {
  const found = await schemaVersion(db);
  if (found <= newestVersion) return;
  throw new JobdError(
    'unavailable',
    `the database has schema ${found}, this jobd knows up to ${newestVersion}: ` +
      `it was written by a newer jobd, run that one or restore a backup`,
  );
}

/** How many migrations there are: what `schemaVersion` says of a store that is up to date. */
export const newestVersion = migrations.length;

/** How many migrations were applied to a database; 0 if it is none of jobd's. */
export async function schemaVersion<Tables>(db: Kysely<Tables>): Promise<number> {
  if (!(await hasTable(db, 'migrations'))) return 0;
  const found = await sql<{ version: number | null }>`
    select max(version) as version from migrations`.execute(db);
  return found.rows[0]?.version ?? 0;
}
