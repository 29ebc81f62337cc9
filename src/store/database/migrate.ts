/**
 * Brings a database to the newest schema. Migrations are numbered, go forward only, are never edited once released, and are
 * compiled in. The table `schema_migrations` lists those that were applied, with the SHA-256 of their text: two builds may have
 * given one number to different schemas. Migrations make no triggers and no views.
 */

import { hash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { JobdError } from '../../domain/errors.ts';
import { activeObjects, lockSetup, tableNames } from './dialect.ts';
import * as first from './migrations/0001_first.ts';
import type { Db } from './schema.ts';

interface Migration {
  /** Its text as it is written, before a dialect changes it. */
  readonly statements: readonly string[];
  up(db: Kysely<unknown>): Promise<void>;
}

const migrations: readonly Migration[] = [first];

/** How many migrations there are: what `schemaVersion` says of a store that is up to date. */
export const newestVersion = migrations.length;

/** What a migration is applied to. */
export interface Unmigrated {
  readonly db: Db;
  write<T>(work: (tx: Db) => Promise<T>): Promise<T>;
}

/**
 * Applies what is missing in one transaction, so that a database is never between two versions of jobd; one that is up to date is
 * not written. `beforeUpgrade` is called before a database in use changes, with its version; what it throws ends it. Throws
 * `unavailable` if this jobd must not use the database.
 */
export async function migrate(
  store: Unmigrated,
  beforeUpgrade: (version: number) => Promise<void> | void = refuseUpgrade,
): Promise<void> {
  await refuseActive(store.db);
  const version = await schemaVersion(store.db);
  if (version > newestVersion) throw newer(version);
  if (version === newestVersion) return;
  if (version > 0) await beforeUpgrade(version);
  await store.write((tx) => makeSchema(tx as Kysely<unknown>, newestVersion));
}

/** A server that runs would meet tables it does not know, so no other command changes them. Throws `conflict`. */
export function refuseUpgrade(version: number): never {
  throw new JobdError(
    'conflict',
    `the database has schema ${version}, this jobd needs ${newestVersion}: start (or restart) jobd serve of this version, ` +
      'which brings it up to date, or use the jobd that serves it',
  );
}

/** Makes the schema of a version: in a database of an earlier one, what is missing. */
export async function makeSchema(db: Kysely<unknown>, version: number): Promise<void> {
  for (let next = 0; next < version; next += 1) await apply(db, next);
}

/** The table of a store that is being copied from another database (`store/move`). */
export const copyMark = 'unfinished_copy';
/** The table of a store that was copied to another database, which is served from then on. */
export const movedMark = 'moved_store';

/** The names of all tables of a database. */
export async function tablesIn<Tables>(db: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`${tableNames}`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/**
 * How many migrations were applied; 0 if the database is empty. Throws an Error if other migrations made its tables, those of
 * another build, or another program did, and if it is not to be used because of a move.
 */
export async function schemaVersion<Tables>(db: Kysely<Tables>): Promise<number> {
  const tables = await tablesIn(db);
  if (tables.size === 0) return 0;
  if (tables.has(copyMark)) throw new Error(unfinishedCopy);
  if (tables.has(movedMark)) throw new Error(await whereMoved(db));
  if (tables.has('schema_migrations')) return await appliedVersion(db);
  const isOld = tables.has('migrations') && tables.has('workspaces');
  throw new Error(isOld ? ofOtherBuild : ofOtherProgram);
}

const unfinishedCopy =
  'it is the unfinished copy of another store: run the same jobd migrate-store again, which continues with it';

/** Where a store was moved to, in a sentence; null if it was not. */
export async function findMove<Tables>(db: Kysely<Tables>): Promise<string | null> {
  return (await tablesIn(db)).has(movedMark) ? await whereMoved(db) : null;
}

async function whereMoved<Tables>(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ to: string; at: string }>`
    select moved_to as "to", moved_at as "at" from ${sql.table(movedMark)}`.execute(db);
  const [moved] = rows;
  return (
    `it was moved to ${moved?.to ?? 'another database'} at ${moved?.at ?? 'an unknown time'}, so serve that one; ` +
    'to use this one again, without what happened since: jobd migrate-store --reopen PLACE'
  );
}

const ofOtherProgram =
  'it is not a database of jobd: it has tables of another program, so give jobd one of its own';
const ofOtherBuild =
  'another build of jobd made it, with other tables: export its jobs with that build (jobd export), then start this jobd ' +
  'with another database and apply them';

/** The highest number applied, where a store is known to be. Throws an Error unless all that this jobd knows have that text. */
export async function appliedVersion<Tables>(db: Kysely<Tables>): Promise<number> {
  // An earlier build has fewer columns.
  const { rows } = await sql<{ version: number; sha256?: string }>`
    select * from schema_migrations order by version`.execute(db);
  const isOther = rows.some(({ version, sha256 }) => {
    const known = migrations[version - 1];
    return known !== undefined && sha256 !== sha256Of(known);
  });
  if (isOther) throw new Error(ofOtherBuild);
  return rows.at(-1)?.version ?? 0;
}

function sha256Of({ statements }: Migration): string {
  return hash('sha256', statements.join(';'));
}

/** The error for a database of a newer jobd. */
export function newer(version: number): JobdError {
  return new JobdError(
    'unavailable',
    `the database has schema ${version}, this jobd knows up to ${newestVersion}: ` +
      'it was written by a newer jobd, so update this executable to that version, or restore a backup',
  );
}

/**
 * Refuses triggers and views. jobd makes none: somebody else added it, and it would act with each statement of jobd. A trigger
 * can undo the revocation of a key.
 */
async function refuseActive(db: Db): Promise<void> {
  const found = await sql<{ type: string; name: string }>`
    select type, name from (${activeObjects}) as active limit 1`.execute(db);
  const [active] = found.rows;
  if (active === undefined) return;
  const { type, name } = active;
  throw new JobdError(
    'unavailable',
    `the database has a ${type} ${JSON.stringify(name)}, which jobd did not make: find out who changed the database, ` +
      'and restore a backup, or remove it with sqlite3 or psql',
  );
}

async function apply(tx: Kysely<unknown>, index: number): Promise<void> {
  // Of several first starts, one makes it. The others wait for that, are refused, and begin again.
  await sql`create table if not exists schema_migrations (
    version bigint not null primary key,
    sha256 text not null,
    applied_at text not null default current_timestamp
  )`.execute(tx);
  await sql`${lockSetup}`.execute(tx);
  // Another process may have been faster.
  if ((await appliedVersion(tx)) > index) return;
  const migration = migrations[index];
  if (migration === undefined) return;
  await migration.up(tx);
  const row = sql.join([index + 1, sha256Of(migration)]);
  await sql`insert into schema_migrations (version, sha256) values (${row})`.execute(tx);
}
