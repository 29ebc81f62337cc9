/**
 * Statements that are sent often: built and compiled once, then sent with other parameters. kysely would build
 * and compile them anew each time, which costs more than most of them do.
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

/** Stands for a parameter in the text of a statement. */
export interface Parameters<Values> {
  <Name extends keyof Values & string>(name: Name): RawBuilder<Values[Name]>;
}

/** Builds a statement; it is called once, with the first values that are sent to know their names by. */
type Build<Values, Row> = (
  db: Db,
  parameter: Parameters<Values>,
  first: Values,
) => CompiledQuery<Row>;

/** Stands in the list of parameters where that of this name goes. */
class Named {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Makes a statement that is compiled when it is first sent. Returns its rows. */
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
 * The same for a statement that writes, run for each of `values` in turn. Returns of each whether it changed
 * anything. A row costs less so than as one of many in JSON, which SQLite has to take apart.
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

/** The values of a row that is inserted or updated: each column from the parameter of its name. */
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
