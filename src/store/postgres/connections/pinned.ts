/**
 * Statements outside of transactions, with jobd's search path and limits. What is set for a connection would be lost behind a
 * pooler, and left to others. So each statement is sent together with another that sets them until both are over: what is
 * sent before one Sync is one transaction. That takes no answer to wait for.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */

import { Query, type ClientBase, type QueryConfig, type QueryResult, type Submittable } from 'pg';
import type { Names } from './names.ts';
import { searchPath } from '../own-schema.ts';

/**
 * In milliseconds. A lock that is not had in time is an error, and the server gives up before jobd does: it does not notice that nobody
 * waits for its answer any more, and its process would stay as long as somebody else holds a lock.
 */
const limits = { lock_timeout: 2_000, statement_timeout: 9_000 };
const settings = Object.entries({ search_path: searchPath, ...limits });

/** Sets them until the transaction is over. It is no query: a transaction that begins with one can get no other isolation. */
export const setLocal = settings.map(([name, value]) => `set local ${name} = ${value}`).join('; ');

/** The same, as a query. Nothing in it is looked up by a path. */
const set = ([name, value]: readonly [string, string | number]): string =>
  `pg_catalog.set_config('${name}'::pg_catalog.text, '${value}'::pg_catalog.text, true)`;
const setByQuery = `select ${settings.map(set).join(', ')}`;

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
  readonly #setName: string;
  #isSet = false;

  constructor(config: QueryConfig, setName: string, done: Done) {
    super({ ...config, queryMode: 'extended' }, undefined, done);
    this.#setName = setName;
  }

  override prepare(connection: Messages): void {
    const statement = this.#setName;
    if (statement === '' || connection.parsedStatements[statement] === undefined) {
      connection.parse({ name: statement, text: setByQuery });
      if (statement !== '') connection.parsedStatements[statement] = setByQuery;
    }
    connection.bind({ statement });
    connection.execute({});
    super.prepare(connection);
  }

  /** The first row, and the first end of a statement, are those of what sets them. */
  override handleDataRow(message: unknown): void {
    if (this.#isSet) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: unknown): void {
    if (this.#isSet) super.handleCommandComplete(message, connection);
    this.#isSet = true;
  }
}

/** Asks it. Throws what `pg` does. */
export async function askPinned(
  client: ClientBase,
  config: QueryConfig,
  names?: Names,
): Promise<QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
  const done: Done = (error, answer) => (error === null ? resolve(answer) : reject(error));
  client.query(new PinnedStatement(config, names?.of(setByQuery) ?? '', done));
  return await promise;
}
