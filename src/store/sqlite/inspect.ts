/** What SQLite knows of a file: whether others wrote, and whether it is damaged. */

import { sql } from 'kysely';
import { statement } from '../database/statement.ts';
import type { Db } from '../database/store.ts';
import { damageIn } from './connection.ts';

const version = statement((db: Db) =>
  sql<{ data_version: number }>`pragma data_version`.compile(db),
);

/**
 * A number that changes when another connection commits, in this process or another one; own writes do not change it.
 * Throws `unavailable` if the database cannot be used now.
 */
export async function dataVersion(db: Db): Promise<number> {
  const [row] = await version(db, {});
  return row?.data_version ?? NaN;
}

/** Up to a hundred descriptions of damage, in SQLite's words; none if the file is sound. */
export async function checkDatabase(db: Db): Promise<string[]> {
  try {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(100)`.execute(db);
    return rows.map((row) => row.quick_check).filter((words) => words !== 'ok');
  } catch (error) {
    // SQLite stops at some damage instead of listing it.
    const damage = damageIn(error);
    if (damage === null) throw error;
    return [damage.message];
  }
}
