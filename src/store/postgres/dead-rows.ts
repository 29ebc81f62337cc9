/** Rows that nobody needs any more and the server cannot remove yet. */

import { sql } from 'kysely';
import type { Db } from '../database/schema.ts';
import { schemaName } from './own-schema.ts';

/** A table with many more dead rows than others. */
export interface SwollenTable {
  name: string;
  dead: number;
  live: number;
}

/** What is usual between two runs of autovacuum: this number of rows, or this multiple of the live ones. */
const usualRows = 10_000;
const usualShare = 5;

/**
 * The table with the most dead rows, if they are many more than autovacuum leaves: then something keeps them, and each look at the
 * table takes longer. Every role may see these figures, unlike who keeps them.
 */
export async function findSwollenTable(db: Db): Promise<SwollenTable | null> {
  const { rows } = await sql<SwollenTable>`
    select relname as name, n_dead_tup as dead, n_live_tup as live from pg_stat_user_tables
    where schemaname = ${schemaName} and n_dead_tup > ${usualRows}
      and n_dead_tup > ${usualShare} * n_live_tup
    order by n_dead_tup desc limit 1`.execute(db);
  return rows[0] ?? null;
}
