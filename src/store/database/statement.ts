/**
 * Frequent statements: built and compiled once, then executed with different parameters. kysely would compile them each
 * time, which costs more than most of them do.
 *
 *     const jobById = statement((db: Db, of: Parameters<{ id: string }>) =>
 *       db.selectFrom('jobs').selectAll().where('id', '=', of('id')).compile());
 *     const [row] = await jobById(db, { id });
 */

import { sql } from 'kysely';
import type { CompiledQuery, RawBuilder } from 'kysely';
import { directConnection } from './connection.ts';
import type { Changed, Repeated } from './connection.ts';
import type { Db } from './schema.ts';

/** Makes the placeholder of a named parameter. */
export interface Parameters<Values> {
  <Name extends keyof Values & string>(name: Name): RawBuilder<Values[Name]>;
}

/** Builds a statement. It is called once, with the first values, which show their names. */
type Build<Values, Row> = (
  db: Db,
  parameter: Parameters<Values>,
  first: Values,
) => CompiledQuery<Row>;

/** The placeholder of a named parameter. */
class Named {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
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
    const { rows } = await db.executeQuery<Row>({ ...query, parameters });
    return rows;
  };
}

/**
 * Makes a statement that writes, and runs once for each of `values`. It returns for each whether a row changed. This
 * is faster than many rows as one JSON parameter, which SQLite would have to parse.
 */
export function statementForEach<Values extends object>(
  build: Build<Values, unknown>,
): (db: Db, values: readonly Values[]) => Promise<boolean[]> {
  const compiled = compileOnce(build);
  return async (db, values) => {
    const [first] = values;
    if (first === undefined) return [];
    const { query, listOf } = compiled(db, first);
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
  query: CompiledQuery<Row>;
  /** The parameters in the order of the text. */
  readonly listOf: (values: Values) => unknown[];
}

function compileOnce<Values extends object, Row>(
  build: Build<Values, Row>,
): (db: Db, first: Values) => Compiled<Values, Row> {
  let known: Compiled<Values, Row> | undefined;
  return (db, first) => (known ??= compiledOf(build(db, (name) => sql`${new Named(name)}`, first)));
}

function compiledOf<Values extends object, Row>(query: CompiledQuery<Row>): Compiled<Values, Row> {
  const { parameters } = query;
  return {
    query,
    listOf: (values) =>
      parameters.map((one) => (one instanceof Named ? values[one.name as keyof Values] : one)),
  };
}
