/** A connection that answers at once: compiled statements use it without kysely's queue. */

import type { CompiledQuery } from 'kysely';
import type { Db } from './schema.ts';

export interface Changed {
  changes: number;
}

/** A statement that is run once for each list of parameters. */
export interface Repeated extends CompiledQuery {
  readonly parameterLists: readonly (readonly unknown[])[];
}

export interface DirectConnection {
  /** Whether a writing transaction is open. */
  readonly isWriting: boolean;
  /** Returns the rows of a query. Throws `unavailable` if the database cannot be used now. */
  ask(sql: string, parameters: readonly unknown[]): unknown[];
  /** Runs a statement for each list of parameters. Returns how many rows each run changed. */
  runForEach(repeated: Repeated): Changed[];
}

const direct = new WeakMap<Db, DirectConnection>();

/** Lets compiled statements use the connection of a database, or of a transaction until this is disposed of. */
export function allowDirect(db: Db, connection: DirectConnection): Disposable {
  direct.set(db, connection);
  return { [Symbol.dispose]: () => void direct.delete(db) };
}

/** The connection to use now for `db`; undefined if kysely must be asked, which waits for the transaction that is open. */
export function directConnection(db: Db): DirectConnection | undefined {
  const connection = direct.get(db);
  return connection?.isWriting === db.isTransaction ? connection : undefined;
}
