/** Free pages of the database file, made while the disk has space: new rows use them later, and no other program can take them. */

import { sql } from 'kysely';
import type { Db } from '../database/store.ts';
import { checkpoint, giveBackPages, readSpace } from './space.ts';

/** The number of pieces in which they are made: of a quarter of the reserve, each fits into the log. */
const pieces = 4;

/**
 * Moves the log into the file, and lets that grow until it has free pages of this many bytes. Returns false if the disk is too
 * full; the file is then as large as before.
 */
export async function makeFreePages(db: Db, bytes: number): Promise<boolean> {
  await dropFilling(db);
  const before = await readSpace(db);
  try {
    await checkpoint(db);
    const missing = bytes - before.freePages * before.pageBytes;
    if (missing <= 0) return true;
    await sql.raw('create table filling (bytes blob)').execute(db);
    for (let piece = 0; piece < pieces; piece += 1) {
      // Zeros would not take space on each file system.
      const random = sql`randomblob(${Math.ceil(missing / pieces)})`;
      await sql`insert into filling values (${random})`.execute(db);
      // Only this makes the file larger.
      await checkpoint(db);
    }
    await sql.raw('drop table filling').execute(db);
    return true;
  } catch {
    await dropFilling(db);
    const { pages } = await readSpace(db);
    await giveBackPages(db, pages - before.pages).catch(() => {});
    return false;
  }
}

/** Removes what is left if the process ended meanwhile. On a full disk that may have to wait for the next time. */
export async function dropFilling(db: Db): Promise<void> {
  const drop = sql.raw('drop table if exists filling');
  await drop.execute(db).catch(() => {});
}
