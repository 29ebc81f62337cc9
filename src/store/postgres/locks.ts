/** Sessions of others that hold locks on what jobd changes. */

import { sql } from 'kysely';
import type { Db } from '../database/schema.ts';
import { schemaName } from './own-schema.ts';

/** A session that has held a lock for long. */
export interface LockHolder {
  pid: number;
  role: string | null;
  /** What the program calls itself; it may be empty. */
  program: string;
  /** A table that it has locked, or rows of it. */
  table: string;
  /** When its transaction began, in epoch milliseconds; null if this role may not see that. */
  since: number | null;
}

/** jobd's own transactions hold theirs for 5 s at most, even where a process hangs. */
const longMs = 5_000;

/** The sessions that hold locks others have to wait for, the longest first. Only catalogs are asked: no lock holds this up. */
export async function findLockHolders(db: Db): Promise<LockHolder[]> {
  const { rows } = await sql<LockHolder>`
    select pg_locks.pid, usename as role, coalesce(application_name, '') as program,
      min(relname) as "table", (extract(epoch from min(xact_start)) * 1000)::bigint as since
    from pg_locks
      join pg_class on pg_class.oid = relation and relnamespace = to_regnamespace(${schemaName})
      left join pg_stat_activity on pg_stat_activity.pid = pg_locks.pid
    where locktype = 'relation' and granted and mode <> 'AccessShareLock' and relkind = 'r'
      and pg_locks.database = (select oid from pg_database where datname = current_database())
      and usename is not null
      and (xact_start is null or xact_start < clock_timestamp() - ${longMs} * interval '1 ms')
    group by 1, 2, 3
    order by since nulls last limit 5`.execute(db);
  return rows;
}
