/** What differs between databases in the text of a statement, and nothing else. */

import { sql, type RawBuilder } from 'kysely';
import { madeStorable } from '../../domain/characters.ts';
import { either } from './either.ts';
import type { Db, Schema } from './schema.ts';
import { isShared } from './statement.ts';

/**
 * Ends a table made of one parameter: a limit that PostgreSQL cannot plan with lets it expect 10 rows and not 100, for which it
 * would read tables of some thousand rows as a whole (docs/decisions/0049-two-databases.md#a-list-in-a-parameter-is-expected-to-be-short).
 */
export const fewRows = 'limit (select 2147483647)';

/**
 * A table `given` with one row per element, as JSON: how a batch of any size goes to the database as one statement with one
 * parameter, so that the statement is prepared once and cached.
 */
export function rowsOf(elements: readonly object[]): RawBuilder<unknown> {
  const json = JSON.stringify(elements, (_, value: unknown) =>
    typeof value === 'string' ? madeStorable(value) : value,
  );
  return either({
    sqlite: sql`json_each(${json}) as given`,
    postgres: sql`(select value from jsonb_array_elements(${json}::jsonb) ${sql.raw(fewRows)}) as given`,
  });
}

/** A field of a row of `rowsOf` as text. */
export function textOf(name: string): RawBuilder<string> {
  return sql<string>`cast(given.value ->> ${sql.lit(name)} as text)`;
}

/** A field of a row of `rowsOf` as a whole number. */
export function numberOf(name: string): RawBuilder<number> {
  return sql<number>`cast(given.value ->> ${sql.lit(name)} as bigint)`;
}

/** Ids for `in`: as many as there are, as one parameter. */
export function idList(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`(select ${textOf('id')} from ${rowsOf(ids.map((id) => ({ id })))})`;
}

/** The texts of a JSON array for `in`. */
export function textsIn(json: RawBuilder<string>): RawBuilder<string> {
  return either<string>({
    sqlite: sql`(select value from json_each(${json}))`,
    postgres: sql`(select jsonb_array_elements_text(${json}::jsonb) ${sql.raw(fewRows)})`,
  });
}

/** A text in lower case, as of ASCII letters alone: both databases know no others in jobd's columns. */
export function lowerCase(text: string): RawBuilder<string> {
  return either<string>({
    sqlite: sql`lower(${text})`,
    postgres: sql`lower(${text} collate "C")`,
  });
}

/**
 * Whether a column contains a text. Upper and lower case are the same for ASCII letters alone.
 * Not `like`, which backtracks: its time grows with the length of the column times that of the text.
 */
export function contains(column: string, text: string): RawBuilder<boolean> {
  return includes(sql`lower(${sql.ref(column)})`, lowerCase(text));
}

/** Whether a text contains another one, letter for letter. */
export function includes(all: RawBuilder<unknown>, part: RawBuilder<unknown>): RawBuilder<boolean> {
  return either<boolean>({
    sqlite: sql`instr(${all}, ${part}) > 0`,
    postgres: sql`strpos(${all}, ${part}) > 0`,
  });
}

/** What orders jobs whose indexed columns are equal: in SQLite every index ends with the number of the row. */
export const tieBreak = either<number | string>({ sqlite: sql`rowid`, postgres: sql`id` });

/** Sorts before every `tieBreak`. */
export const beforeTies = either<number | string>({ sqlite: sql`0`, postgres: sql`''` });

/** What a row is found by within one statement, without an index. */
export const rowPlace = either<unknown>({ sqlite: sql`rowid`, postgres: sql`ctid` });

/** Joins tables. In SQLite they are read in the order of the text; PostgreSQL decides by itself. */
export const joinInOrder = either<unknown>({ sqlite: sql`cross join`, postgres: sql`join` });

/**
 * Joins to each row those of a table whose ids a question finds about it. SQLite knows no `lateral`; PostgreSQL would ask again
 * for each pair of rows.
 */
export function joinFound(
  table: keyof Schema,
  alias: string,
  ids: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const joined = sql`${sql.table(table)} as ${sql.ref(alias)}`;
  const id = sql.ref(`${alias}.id`);
  return either<unknown>({
    sqlite: sql`cross join ${joined} on ${id} in (${ids})`,
    postgres: sql`cross join lateral (${ids}) as found join ${joined} on ${id} = found.id`,
  });
}

/**
 * A statement of a migration. In PostgreSQL texts sort by their bytes too, whatever the database's own order is. What begins
 * with `-- in PostgreSQL` is for several processes: SQLite's one keeps it in memory, or does not need it.
 */
export function definition(text: string): RawBuilder<unknown> {
  const inPostgres = text
    .replace(/^( +(?:response_)?body) text\b/gm, '$1 bytea')
    .replace(/^( +\w+ text)\b/gm, '$1 collate "C"')
    .replace(/\bvirtual\b/g, 'stored');
  const inSqlite = text.startsWith('-- in PostgreSQL') ? 'select 1' : text;
  return either({ sqlite: sql.raw(inSqlite), postgres: sql.raw(inPostgres) });
}

/** The names of all tables; in PostgreSQL without those of extensions. */
export const tableNames = either<{ name: string }>({
  sqlite: sql`select name from sqlite_master where type = 'table'`,
  postgres: sql`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not exists (
      select from pg_depend
      where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'
    )`,
});

/** What may act with statements on jobd's tables. In PostgreSQL a view, which extensions have, only shows something. */
export const activeObjects = either<{ type: string; name: string }>({
  sqlite: sql`select type, name from sqlite_master where type in ('trigger', 'view')`,
  postgres: sql`
    select 'rule' as type, rulename as name from pg_rules where schemaname = current_schema()
    union all select 'trigger', tgname from pg_trigger join pg_class on pg_class.oid = tgrelid
      where not tgisinternal and relnamespace = current_schema()::regnamespace`,
});

/**
 * Lets one process after the other change the schema, or write what a first start makes, until its transaction ends. All may
 * read meanwhile. Only a role that may change this table can take the lock. In SQLite a transaction is enough.
 */
export const lockSetup = either<unknown>({
  sqlite: sql`select 1`,
  postgres: sql`lock table schema_migrations in exclusive mode`,
});

/** The time by the clock of the database, in epoch milliseconds. */
export const databaseNow = either<number>({
  sqlite: sql`cast(unixepoch('subsec') * 1000 as integer)`,
  postgres: sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
});

/** The larger of two numbers that are not null. */
export function larger(one: RawBuilder<number>, other: RawBuilder<number>): RawBuilder<number> {
  return either<number>({
    sqlite: sql`max(${one}, ${other})`,
    postgres: sql`greatest(${one}, ${other})`,
  });
}

/** The smaller of two numbers that are not null. */
export function smaller(one: RawBuilder<number>, other: RawBuilder<number>): RawBuilder<number> {
  return either<number>({
    sqlite: sql`min(${one}, ${other})`,
    postgres: sql`least(${one}, ${other})`,
  });
}

/**
 * Whether a question is to lock the rows it finds, because others may write at the same time: in a transaction, and where
 * there may be several at once. In SQLite one writer comes after another.
 */
export function locksRows(db: Db): boolean {
  return db.isTransaction && isShared(db);
}

/** Locks the rows of a table that a question finds, until its transaction ends. */
export function rowLock(table: keyof Schema): RawBuilder<unknown> {
  return sql`for no key update of ${sql.table(table)}`;
}

/** Keeps the rows of a table that a question finds from being changed until its transaction ends. Others may do the same. */
export function sharedRowLock(table: keyof Schema): RawBuilder<unknown> {
  return sql`for share of ${sql.table(table)}`;
}

/** Locks the rows that nobody has locked, and finds no others. Those of the table named first are locked first. */
export function freeRowLock(...tables: (keyof Schema)[]): RawBuilder<unknown> {
  return sql`for no key update of ${sql.join(tables.map((table) => sql.table(table)))} skip locked`;
}

/** A column in a condition or order for which SQLite is to use no index; PostgreSQL decides by itself. */
export function withoutIndex(column: string): RawBuilder<string> {
  const name = sql<string>`${sql.ref(column)}`;
  return either<string>({ sqlite: sql`+${name}`, postgres: name });
}

/** Whether a row found by its key still has this value. With `=`, PostgreSQL may read all of an index of rows with such a value. */
export function isStill<Value>(column: string, value: RawBuilder<Value>): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} is not distinct from ${value}`;
}
