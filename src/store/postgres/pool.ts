/** The connections of this process to a database: to the server of its URL that can be written. */

import { Client, Pool, types } from 'pg';
import type { ClientConfig, PoolClient } from 'pg';
import { JobdError } from '../../domain/errors.ts';
import { tellable } from './errors.ts';
import type { DatabaseUrl } from './url.ts';

/** How long a connection and an answer may take. */
const connectMs = 5_000;
const answerMs = 10_000;
const idleMs = 60_000;

/** Lends connections. */
export interface Connections {
  /** A connection to a server that can be written. Throws `unavailable`. */
  connect(): Promise<PoolClient>;
  end(): Promise<void>;
}

/** Makes it. Nothing is connected yet. */
export function connectionsTo({ servers, pool: max, ...login }: DatabaseUrl): Connections {
  let current = 0;

  /** A connection to the server that is current when it is made. */
  class ClientOfServer extends Client {
    constructor(config: ClientConfig) {
      super({ ...config, ...servers[current] });
      // Without a listener, a server that restarts would end this process.
      this.on('error', () => {});
    }
  }

  const pool = new Pool({
    ...login,
    max,
    // Its type has no arguments, but the pool passes its options.
    Client: ClientOfServer as never,
    // The pool waits for it, unlike its type.
    onConnect: (client) =>
      (servers.length > 1 ? requireWritable(client as PoolClient) : undefined) as never,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    application_name: 'jobd',
    types: { getTypeParser: parserOf },
  });
  pool.on('error', () => {});

  return {
    async connect() {
      for (let tries = 1; ; tries += 1) {
        const tried = current;
        try {
          return await pool.connect();
        } catch (error) {
          if (tries >= servers.length) throw tellable(error);
          if (current === tried) current = (tried + 1) % servers.length;
        }
      }
    },
    end: () => pool.end(),
  };
}

async function requireWritable(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ no: number }>('select pg_is_in_recovery() as no');
  if (rows[0]?.no === 1) throw new JobdError('unavailable', 'the database is only a copy');
}

/**
 * Conditions (0 or 1, as in SQLite), `bigint`, `numeric` (sums) and `bytea` (texts with any character), on jobd's own
 * connections alone.
 */
const parsers = new Map<number, (text: string) => unknown>([
  [16, (text) => Number(text === 't')],
  [20, Number],
  [1700, Number],
  [17, (text) => Buffer.from(text.slice(2), 'hex').toString()],
]);

function parserOf(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  return parsers.get(oid) ?? (types.getTypeParser(oid, format) as (text: string) => unknown);
}
