/**
 * Statements outside of transactions, with jobd's search path. A path that is set for a connection would be lost behind a
 * pooler, and left to others. So each statement is sent together with another that sets the path until both are over: what is
 * sent before one Sync is one transaction. That takes no answer to wait for.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */

import { Query, type PoolClient, type QueryConfig, type QueryResult, type Submittable } from 'pg';
import type { Names } from './names.ts';
import { searchPath } from '../own-schema.ts';

/** Nothing in it is looked up by a path. */
const setPath = `select pg_catalog.set_config('search_path'::pg_catalog.text, '${searchPath}'::pg_catalog.text, true)`;

type Done = (error: Error | null, answer: QueryResult) => void;

/** What `pg` has to send messages. */
interface Messages {
  readonly parsedStatements: Record<string, string>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string }): void;
  execute(message: object): void;
}

/** What `pg` has, which its types do not show. */
interface Statement extends Submittable {
  prepare(connection: Messages): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: unknown): void;
}
const StatementOfPg = Query as unknown as new (
  config: QueryConfig & { queryMode: 'extended' },
  values: undefined,
  done: Done,
) => Statement;

class PinnedStatement extends StatementOfPg {
  readonly #pathName: string;
  #isPathSet = false;

  constructor(config: QueryConfig, pathName: string, done: Done) {
    super({ ...config, queryMode: 'extended' }, undefined, done);
    this.#pathName = pathName;
  }

  override prepare(connection: Messages): void {
    const statement = this.#pathName;
    if (statement === '' || connection.parsedStatements[statement] === undefined) {
      connection.parse({ name: statement, text: setPath });
      if (statement !== '') connection.parsedStatements[statement] = setPath;
    }
    connection.bind({ statement });
    connection.execute({});
    super.prepare(connection);
  }

  /** The first row, and the first end of a statement, are those of the path. */
  override handleDataRow(message: unknown): void {
    if (this.#isPathSet) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: unknown): void {
    if (this.#isPathSet) super.handleCommandComplete(message, connection);
    this.#isPathSet = true;
  }
}

/** Asks it. Throws what `pg` does. */
export async function askPinned(
  client: PoolClient,
  names: Names,
  config: QueryConfig,
): Promise<QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
  const done: Done = (error, answer) => (error === null ? resolve(answer) : reject(error));
  client.query(new PinnedStatement(config, names.of(setPath) ?? '', done));
  return await promise;
}
