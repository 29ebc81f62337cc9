/** The connections of this process to a database: to the server of its URL that can be written. */

import { Socket } from 'node:net';
import { Client, Pool, types, type ClientConfig, type PoolClient } from 'pg';
import { storeUnusable } from '../../../domain/errors.ts';
import { readOnlyError, wordsOf } from '../errors.ts';
import { Names } from './names.ts';
import { passwordInFile } from './password-file.ts';
import { guardPassword } from './plain-password.ts';
import { nameOfServer, type DatabaseUrl, type Server } from './url.ts';

/** How long a connection and an answer may take. */
const connectMs = 5_000;
const answerMs = 10_000;
const idleMs = 60_000;
/** How long a connection of its own waits for its end, and for traffic before the system asks whether the server is there. */
const goodbyeMs = 500;
const silenceMs = 30_000;

/** What the pool says when it has no connection left. */
const poolIsEmpty = 'timeout exceeded when trying to connect';

export interface Connections {
  /** A connection to a server that can be written. Throws `unavailable`. */
  connect(): Promise<PoolClient>;
  /** The server of this connection can only be read: no connection made until now is lent again, and the next server is tried. */
  leave(client: PoolClient): void;
  /** A connection beside the pool to the server that is current, not connected yet. */
  own(): OwnConnection;
  /** The names of statements on them. */
  readonly names: Names;
  end(): Promise<void>;
}

/** A connection that is not lent. Disposing of it closes it. */
export interface OwnConnection extends AsyncDisposable {
  readonly client: Client;
  /** Breaks it, whatever it does. */
  cut(): void;
}

/** Makes it. Nothing is connected yet. */
export function connectionsTo({ servers, pool: max, ...login }: DatabaseUrl): Connections {
  let current = 0;
  /** How often a server was left. Older connections are of no use. */
  let leaves = 0;
  const sockets = new Set<Socket>();

  function newSocket(): Socket {
    const socket = new Socket();
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket));
  }

  /** A connection to the server that is current when it is made. */
  class ClientOfServer extends Client {
    readonly leavesBefore = leaves;
    constructor(config: ClientConfig) {
      // Of its options, the pool does not pass the password on.
      super({
        stream: newSocket,
        ...config,
        password: login.password,
        ...servers[current],
      });
      // `pg` has looked into PGPASSWORD. It asks for more only if the server does.
      this.password ||= passwordInFile(this) as unknown as string;
      // Without a listener, a server that restarts would end this process.
      this.on('error', () => {});
      guardPassword(this, login.ssl);
    }
  }

  const settings = {
    ...login,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  };
  const pool = new Pool({
    ...settings,
    max,
    // Its type has no arguments, but the pool passes its options.
    Client: ClientOfServer as never,
    // The pool waits for it, unlike its type.
    onConnect: (client) =>
      (servers.length > 1 ? requireWritable(client as PoolClient) : undefined) as never,
    idleTimeoutMillis: idleMs,
    application_name: 'jobd',
  });
  pool.on('error', () => {});

  const isOfUse = (client: PoolClient): boolean =>
    (client as unknown as ClientOfServer).leavesBefore === leaves;
  const moveOn = (): void => void (current = (current + 1) % servers.length);

  /** A connection that was made since the last server was left. */
  async function lend(): Promise<PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (isOfUse(client)) return client;
      client.release(true);
    }
  }

  return {
    async connect() {
      const failures: string[] = [];
      for (;;) {
        const tried = current;
        try {
          return await lend();
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          if (error.message === poolIsEmpty) throw storeUnusable(busy(max), error);
          if (servers.length === 1) throw storeUnusable(wordsOf(error), error);
          failures.push(failureOf(servers[tried] ?? servers[0], error));
          if (failures.length >= servers.length) throw storeUnusable(failures.join('; '), error);
          if (current === tried) moveOn();
        }
      }
    },
    leave(client) {
      if (!isOfUse(client)) return;
      leaves += 1;
      moveOn();
    },
    own() {
      const socket = newSocket();
      const client = new ClientOfServer({
        ...settings,
        keepAliveInitialDelayMillis: silenceMs,
        application_name: 'jobd hints',
        stream: () => socket,
      });
      return {
        client,
        cut: () => void socket.destroy(),
        async [Symbol.asyncDispose]() {
          const timer = setTimeout(() => socket.destroy(), goodbyeMs);
          await client.end();
          clearTimeout(timer);
          socket.destroy();
        },
      };
    },
    names: new Names(),
    async end() {
      await pool.end();
      // A server that cannot be reached any more does not answer, and the process need not wait for that.
      for (const socket of sockets) socket.unref();
    },
  };
}

function busy(max: number): string {
  return `all ${max} connections to the database were in use for ${connectMs / 1_000} seconds: if another session holds a lock, jobd doctor names it`;
}

/** It names the server once. */
function failureOf(server: Server, error: Error): string {
  const [name, words] = [nameOfServer(server), wordsOf(error)];
  return words.includes(name) ? words : `${name}: ${words}`;
}

/** Throws what a write would. */
async function requireWritable(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>(
    'show transaction_read_only',
  );
  if (rows[0]?.transaction_read_only === 'on') throw readOnlyError();
}

/** Conditions (0 or 1, as in SQLite), `bigint`, `numeric` (sums) and `bytea` (any text), on jobd's own connections alone. */
const parsers = new Map<number, (text: string) => unknown>([
  [16, (text) => Number(text === 't')],
  [20, Number],
  [1700, Number],
  // Of both formats: bytea_output may be `escape`.
  [17, (text) => (types.getTypeParser(17) as (text: string) => Buffer)(text).toString()],
]);

function parserOf(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  return parsers.get(oid) ?? (types.getTypeParser(oid, format) as (text: string) => unknown);
}
