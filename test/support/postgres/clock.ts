/** The clock of a server, as one database of it shows it. Its owner is a superuser. */

import { onServer } from './database.ts';

/** Sets it ahead of the right time, or back (less than 0). */
export async function setServerClock(database: string, aheadMs: number): Promise<void> {
  await onServer(
    database,
    `create or replace function public.right_clock() returns timestamptz
       language internal volatile as 'clock_timestamp';
     create or replace function pg_catalog.clock_timestamp() returns timestamptz
       language sql volatile as $$ select public.right_clock() + interval '${aheadMs} ms' $$`,
  );
}
