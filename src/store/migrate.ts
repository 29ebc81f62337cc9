/**
 * Brings a database to the newest schema. Migrations are numbered, go forward only, are never
 * edited once released, and are compiled in.
 */

import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { JobdError } from '../domain/errors.ts';
import * as first from './migrations/0001_first.ts';

const migrations: readonly { up(db: Kysely<unknown>): Promise<void> }[] = [first];

/**
 * Applies what is missing, each migration in a transaction of its own. Throws `JobdError`
 * `unavailable` when the database was written by a newer jobd.
 */
export async function migrate<Tables>(database: Kysely<Tables>): Promise<void> {
  const db = database as Kysely<unknown>;
  await sql`create table if not exists migrations (
    version bigint not null primary key,
    applied_at text not null default current_timestamp
  )`.execute(db);
  for (const [index, migration] of migrations.entries()) {
    await db.transaction().execute(async (tx) => {
      if ((await version(tx)) > index) return;
      await migration.up(tx);
      await sql`insert into migrations (version) values (${index + 1})`.execute(tx);
    });
  }
  await refuseNewer(db);
}

async function refuseNewer(db: Kysely<unknown>): Promise<void> {
  const found = await version(db);
  if (found <= migrations.length) return;
  throw new JobdError(
    'unavailable',
    `the database has schema ${found}, this jobd knows up to ${migrations.length}: ` +
      `it was written by a newer jobd, run that one or restore a backup`,
  );
}

async function version(db: Kysely<unknown>): Promise<number> {
  const found = await sql<{ version: number | null }>`
    select max(version) as version from migrations`.execute(db);
  return found.rows[0]?.version ?? 0;
}
