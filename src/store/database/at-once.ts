/**
 * The way past kysely for statements that are compiled already. kysely lets one ask at a time, and each waits for
 * several promises; but SQLite answers at once, and only a transaction of others has to be waited for.
 */

import type { Kysely } from 'kysely';
import type { SqliteConnection } from './connection.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;

interface Way {
  readonly connection: () => SqliteConnection | undefined;
  isTransaction: boolean;
}

const ways = new WeakMap<Db, Way>();

/** Opens the way for a database, or for a transaction of it until it is closed again. */
export function openWay(db: Db, way: Way): Disposable {
  ways.set(db, way);
  return { [Symbol.dispose]: () => void ways.delete(db) };
}

/** The connection that may be asked at once for `db`, or undefined: then kysely is to be asked, which waits. */
export function atOnce(db: Db): SqliteConnection | undefined {
  const way = ways.get(db);
  const connection = way?.connection();
  return connection?.isWriting === way?.isTransaction ? connection : undefined;
}
