/**
 * Frequent statements: built and compiled once, then executed with different parameters. kysely would compile them each
 * time, which costs more than most of them do.
 *
 *     const jobById = statement((db: Db, of: Parameters<{ id: string }>) =>
 *       db.selectFrom('jobs').selectAll().where('id', '=', of('id')).compile());
 *     const [row] = await jobById(db, { id });
 */

import { sql } from 'kysely';
import type { CompiledQuery, DialectAdapter, RawBuilder, RootOperationNode } from 'kysely';
import { directConnection, type Changed, type Repeated } from './direct.ts';
import type { Db } from './schema.ts';

/** Makes the placeholder of a named parameter. */
export interface Parameters<Values> {
  <Name extends keyof Values & string>(name: Name): RawBuilder<Values[Name]>;
  /** For a column that keeps any text byte for byte: PostgreSQL's own texts hold no U+0000. */
  bytes<Name extends keyof Values & string>(name: Name): RawBuilder<Values[Name]>;
}

/** Builds a statement. It is called once, with the first values, which show their names. */
type Build<Values, Row> = (
  db: Db,
  parameter: Parameters<Values>,
  first: Values,
) => CompiledQuery<Row>;

/** The placeholder of a named parameter. */
export class Named {
  readonly name: string;
  readonly isBytes: boolean;
  constructor(name: string, isBytes: boolean) {
    this.name = name;
    this.isBytes = isBytes;
  }
}

/** A statement of `statement` or `statementForEach`: a database may keep it prepared. */
export interface Frequent {
  readonly isFrequent: true;
}

/** A statement for all rows of a batch. */
export interface RowsAtOnce extends CompiledQuery, Frequent {
  /** For each row of the batch whether it changed something, by what the statement returned. */
  readonly changedIn: (found: readonly unknown[]) => boolean[];
}

/** What the adapter of a database has that runs a statement once for all values. */
export interface BatchAdapter extends DialectAdapter {
  /** Makes one statement for all rows of a batch from that for one. */
  forRows(query: RootOperationNode, rows: readonly object[]): RowsAtOnce;
}

/** Whether others may write while a transaction of this process is open. */
export function isShared(db: Db): boolean {
  return 'forRows' in db.getExecutor().adapter;
}

/** Makes a statement that is compiled at its first use. It returns its rows. */
export function statement<Values extends object, Row>(
  build: Build<Values, Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  const compiled = compileOnce(build);
  return async (db, values) => {
    const { query, listOf } = compiled(db, values);
    const parameters = listOf(values);
    const connection = directConnection(db);
    if (connection !== undefined) return connection.ask(query.sql, parameters) as Row[];
    const asked: CompiledQuery<Row> & Frequent = { ...query, parameters, isFrequent: true };
    const { rows } = await db.executeQuery<Row>(asked);
    return rows;
  };
}

/**
 * Makes a statement that writes, and runs once for each of `values`. It returns for each whether a row changed.
 *
 * SQLite runs it as often as there are values, which is faster than many rows as one JSON parameter. A database that has to
 * be reached through a network runs it once, with all values as one parameter. So no row may be changed by two of them.
 */
export function statementForEach<Values extends object>(
  build: Build<Values, unknown>,
): (db: Db, values: readonly Values[]) => Promise<boolean[]> {
  const compiled = compileOnce(build);
  return async (db, values) => {
    const [first] = values;
    if (first === undefined) return [];
    const { query, listOf, adapter } = compiled(db, first);
    if ('forRows' in adapter) {
      const batch = (adapter as BatchAdapter).forRows(query.query, values);
      const { rows } = await db.executeQuery(batch);
      return batch.changedIn(rows);
    }
    const parameterLists = values.map(listOf);
    const repeated: Repeated = { ...query, parameters: parameterLists[0] ?? [], parameterLists };
    const connection = directConnection(db);
    const changed = connection?.runForEach(repeated) ?? (await db.executeQuery(repeated)).rows;
    return (changed as Changed[]).map(({ changes }) => changes > 0);
  };
}

/** The values of a row to insert or update: each column from the parameter of the same name. */
export function columnsOf<Values, Name extends keyof Values & string>(
  parameter: Parameters<Values>,
  names: readonly Name[],
): { [Column in Name]: RawBuilder<Values[Column]> } {
  const entries = names.map((name) => [name, parameter(name)]);
  return Object.fromEntries(entries) as { [Column in Name]: RawBuilder<Values[Column]> };
}

interface Compiled<Values, Row> {
  adapter: DialectAdapter;
  mayLock: boolean;
  query: CompiledQuery<Row>;
  /** The parameters in the order of the text. */
  readonly listOf: (values: Values) => unknown[];
}

/** Once for each database, and once more for transactions in which rows may be locked. */
function compileOnce<Values extends object, Row>(
  build: Build<Values, Row>,
): (db: Db, first: Values) => Compiled<Values, Row> {
  const known: Compiled<Values, Row>[] = [];
  return (db, first) => {
    const { adapter } = db.getExecutor();
    const mayLock = db.isTransaction && 'forRows' in adapter;
    for (const one of known) {
      if (one.adapter === adapter && one.mayLock === mayLock) return one;
    }
    const query = build(db, placeholders, first);
    const { parameters } = query;
    const names = parameters.map((one) => (one instanceof Named ? one.name : null));
    const listOf = (values: Values): unknown[] =>
      names.map((name, at) => (name === null ? parameters[at] : values[name as keyof Values]));
    const compiled = { adapter, mayLock, query, listOf };
    known.push(compiled);
    return compiled;
  };
}

/** Makes placeholders by their names. */
const placeholders = Object.assign((name: string) => sql<never>`${new Named(name, false)}`, {
  bytes: (name: string) => sql<never>`${new Named(name, true)}`,
});
