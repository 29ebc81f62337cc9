/** Reads and writes the rows of any table, a page at a time in the order of its primary key. */

import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Db } from '../../store/database/schema.ts';
import { statementForEach, type Parameters } from '../../store/database/statement.ts';
import type { MovedTable } from './tables.ts';

/** The values of a row by its columns. */
export type Row = Record<string, string | number | null>;

/** The values of a primary key, in the order of its columns. */
export type Key = (string | number)[];

/** A database whose tables are known by their names only. */
type AnyTables = Record<string, Row>;

/** The rows after a key, or the first ones. */
export async function readPage(
  db: Db,
  { name, columns, key }: MovedTable,
  after: Key | null,
  limit: number,
): Promise<Row[]> {
  let query = (db as unknown as Kysely<AnyTables>).selectFrom(name).select(columns).limit(limit);
  for (const column of key) query = query.orderBy(column);
  if (after !== null) {
    const [left, right] = [sql.join(key.map((column) => sql.ref(column))), sql.join(after)];
    query = query.where(sql<boolean>`(${left}) > (${right})`);
  }
  return await query.execute();
}

/** The key of a row. */
export function keyOf({ key }: MovedTable, row: Row): Key {
  return key.map((column) => row[column] ?? '');
}

/** How many rows a table has. */
export async function countRows(db: Db, { name }: MovedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(name)}`.execute(db);
  return Number(rows[0]?.count);
}

/** Makes a function that adds rows to a table. */
export function createPageWriter(
  table: MovedTable,
): (tx: Db, rows: readonly Row[]) => Promise<unknown> {
  return statementForEach((db: Db, parameter: Parameters<Row>) =>
    (db as unknown as Kysely<AnyTables>)
      .insertInto(table.name)
      .values(Object.fromEntries(table.columns.map((name) => [name, placeOf(parameter, name)])))
      .compile(),
  );
}

function placeOf(parameter: Parameters<Row>, name: string): RawBuilder<string | number | null> {
  return isBytes(name) ? parameter.bytes(name) : parameter(name);
}

/** PostgreSQL keeps these columns as bytes, since what a target answered may hold any character; its texts hold no U+0000. */
function isBytes(name: string): boolean {
  return /^(?:response_)?body$/.test(name);
}

/** A row as text, the same for both databases if they hold the same. */
export function textOf({ columns }: MovedTable, row: Row): string {
  return JSON.stringify(
    columns.map((name) => {
      const value = row[name] ?? null;
      return typeof value === 'string' && !isBytes(name) ? value.replaceAll('\0', '\uFFFD') : value;
    }),
  );
}
