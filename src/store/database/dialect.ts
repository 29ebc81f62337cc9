/** What differs between databases in the text of a statement, and nothing else. */

import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

/** A row of `rowsOf`: the element itself, as JSON. */
export interface JsonRow {
  value: string;
}

/**
 * A table with one row, `value`, per element: how a batch of any size goes to the database as one
 * statement with one parameter, so that the statement is prepared once and cached.
 */
export function rowsOf(elements: readonly object[]): RawBuilder<JsonRow> {
  return sql<JsonRow>`json_each(${JSON.stringify(elements)})`;
}

/** A field of a JSON row as text. */
export function textOf(name: string, row = 'value'): RawBuilder<string> {
  return sql<string>`cast(${sql.ref(row)} ->> ${sql.lit(name)} as text)`;
}

/** Ids for `in`: as many as there are, as one parameter. */
export function idList(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`(select ${textOf('id')} from ${rowsOf(ids.map((id) => ({ id })))})`;
}

/**
 * Whether a column contains a text. Upper and lower case are the same for ASCII letters: SQLite's `lower` knows no others.
 * Not `like`, which backtracks: its time grows with the length of the column times that of the text. (PostgreSQL: `strpos`.)
 */
export function contains(column: string, text: string): RawBuilder<boolean> {
  return sql<boolean>`instr(lower(${sql.ref(column)}), lower(${text})) > 0`;
}

/** What orders rows of a table whose indexed columns are equal: in SQLite every index ends with it. */
export const tieBreak = sql<number>`rowid`;

/** A column in a condition or order for which no index is to be used. */
export function withoutIndex(column: string): RawBuilder<string> {
  return sql<string>`+${sql.ref(column)}`;
}

/** A field of a JSON row as a whole number. */
export function numberOf(name: string, row = 'value'): RawBuilder<number> {
  return sql<number>`cast(${sql.ref(row)} ->> ${sql.lit(name)} as bigint)`;
}
