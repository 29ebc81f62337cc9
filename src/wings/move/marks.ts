/**
 * What keeps a store from being served twice: a copy is marked until it is whole, and what was copied is marked from then on.
 * Both marks are tables that no store has otherwise, so that every way to open a store finds them (`database/migrate.ts`).
 */

import { sql, type Kysely } from 'kysely';
import { JobdError } from '../../domain/errors.ts';
import {
  copyMark,
  makeSchema,
  movedMark,
  newestVersion,
  tablesIn,
} from '../../store/database/migrate.ts';
import type { Db } from '../../store/database/schema.ts';
import type { Key } from './pages.ts';

/** How far a copy has come. */
export interface Position {
  /** Which of the tables. */
  table: number;
  /** The last row that was copied; null before the first. */
  after: Key | null;
}

interface CopyRow {
  source: string;
  position: string;
}

/** Makes the tables of a store in an empty database, marked as a copy of the store with this id. */
export async function beginCopy(db: Db, source: string): Promise<void> {
  const mark = sql.table(copyMark);
  const position = JSON.stringify(first);
  await db.transaction().execute(async (tx) => {
    await makeSchema(tx as unknown as Kysely<unknown>, newestVersion);
    await sql`create table ${mark} (source text not null, position text not null)`.execute(tx);
    await sql`insert into ${mark} values (${source}, ${position})`.execute(tx);
  });
}

const first: Position = { table: 0, after: null };

/** Whose copy this is and how far it is; null if it is none. */
export async function findCopy(db: Db): Promise<{ source: string; position: Position } | null> {
  if (!(await tablesIn(db)).has(copyMark)) return null;
  const { rows } = await sql<CopyRow>`select source, position from ${sql.table(copyMark)}`.execute(
    db,
  );
  const [row] = rows;
  return row === undefined
    ? null
    : { source: row.source, position: JSON.parse(row.position) as Position };
}

/** Keeps how far a copy is. Throws `conflict` if another process continues with it, too. */
export async function advanceCopy(tx: Db, from: Position, to: Position): Promise<void> {
  const [known, next] = [JSON.stringify(from), JSON.stringify(to)];
  const { numAffectedRows } = await sql`
    update ${sql.table(copyMark)} set position = ${next} where position = ${known}`.execute(tx);
  if (numAffectedRows !== 1n) {
    throw new JobdError('conflict', 'another jobd migrate-store writes to the same database');
  }
}

/** Ends the mark: the copy is whole. */
export async function endCopy(db: Db): Promise<void> {
  await sql`drop table ${sql.table(copyMark)}`.execute(db);
}

/** Marks a store that was copied, with where it is now. */
export async function markMoved(tx: Db, to: string, at: string): Promise<void> {
  if ((await tablesIn(tx)).has(movedMark)) return;
  const mark = sql.table(movedMark);
  await sql`create table ${mark} (moved_to text not null, moved_at text not null)`.execute(tx);
  await sql`insert into ${mark} values (${to}, ${at})`.execute(tx);
}

/** Takes the mark away. Returns whether there was one. */
export async function unmarkMoved(db: Db): Promise<boolean> {
  if (!(await tablesIn(db)).has(movedMark)) return false;
  await sql`drop table ${sql.table(movedMark)}`.execute(db);
  return true;
}
