/**
 * Connections to PostgreSQL, and how kysely uses them. Each has a listener for errors: without one, a server that restarts
 * would end this process. A connection that did not answer in time, or whose transaction did not end, is thrown away.
 */

import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { PoolClient, QueryResult as Answer } from 'pg';
import { noteAnswer } from '../../../base/outage.ts';
import { madeStorable } from '../../../domain/characters.ts';
import { JobdError, storeInDoubt } from '../../../domain/errors.ts';
import type { Frequent } from '../../database/statement.ts';
import { isLockWait, isNameTrouble, isReadOnly, isWorthRetrying, tellable } from '../errors.ts';
import { askPinned, setLocal } from './pinned.ts';
import type { Connections } from './pool.ts';

/** The first statement of a transaction. One whose process hangs gives its rows back. */
const begin = `begin; ${setLocal}; set local idle_in_transaction_session_timeout = '5s'`;

/** A connection while one asker has it. */
class Connection implements DatabaseConnection {
  readonly #connections: Connections;
  readonly #client: PoolClient;
  #isInTransaction = false;
  #isBroken = false;

  constructor(connections: Connections, client: PoolClient) {
    this.#connections = connections;
    this.#client = client;
  }

  async executeQuery<Row>(
    query: CompiledQuery | (CompiledQuery & Frequent),
  ): Promise<QueryResult<Row>> {
    const { sql, parameters } = query;
    const name = 'isFrequent' in query ? this.#connections.names.of(sql) : undefined;
    const { rows, rowCount } = await this.#ask(sql, parameters, name);
    return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  // oxlint-disable-next-line require-yield -- nothing here reads more rows than fit in memory
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('streaming is not supported');
  }

  async begin(): Promise<void> {
    this.#isInTransaction = true;
    await this.#ask(begin);
  }

  async commit(): Promise<void> {
    const { command } = await this.#ask('commit').catch((error: unknown) => {
      throw this.#isBroken && error instanceof JobdError ? storeInDoubt(error) : error;
    });
    this.#isInTransaction = false;
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
  }

  async rollback(): Promise<void> {
    if (this.#isBroken) return;
    await this.#ask('rollback');
    this.#isInTransaction = false;
  }

  /** Throws `unavailable` if the database cannot be used now. */
  async #ask(text: string, values: readonly unknown[] = [], name?: string): Promise<Answer> {
    const { names } = this.#connections;
    // Others may give names up before the answer is here.
    const hasNames = names.areUsed;
    const config = { text, values: values.map(storable), ...(name !== undefined && { name }) };
    try {
      // What begins and ends a transaction names nothing that is looked up.
      const answer = await (this.#isInTransaction
        ? this.#client.query(config)
        : askPinned(this.#client, config, names));
      noteAnswer();
      return answer;
    } catch (error) {
      if (hasNames && isNameTrouble(error)) {
        names.giveUp();
        // A transaction is over with its first error: it has to start again.
        if (!this.#isInTransaction) return await this.#ask(text, values);
      }
      if (isReadOnly(error)) this.#connections.leave(this.#client);
      const told = tellable(error);
      const isUsable = told === error || isWorthRetrying(error) || isLockWait(error);
      this.#isBroken ||= !isUsable;
      throw told;
    }
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }
}

/** PostgreSQL's texts hold no U+0000, and UTF-8 no half of a surrogate pair. */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? madeStorable(value) : value;
}

/** A driver on these connections. */
export function driverOf(connections: Connections): Driver {
  return {
    init: async () => {},
    acquireConnection: async () => new Connection(connections, await connections.connect()),
    beginTransaction: (connection) => (connection as Connection).begin(),
    commitTransaction: (connection) => (connection as Connection).commit(),
    rollbackTransaction: (connection) => (connection as Connection).rollback(),
    releaseConnection: async (connection) => (connection as Connection).release(),
    destroy: () => connections.end(),
  };
}
