/** Freezes processes that use a PostgreSQL server. */

import type { Process } from '../running/executable.ts';
import { until } from '../until.ts';
import { onServer } from './database.ts';

/** Stops processes at a moment at which no transaction is open in the database: its locks would be held as long as they are stopped. */
export async function freezeBetweenTransactions(
  database: string,
  nodes: readonly Process[],
): Promise<void> {
  const open = `select 1 from pg_stat_activity
    where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`;
  await until('a moment without a transaction', async () => {
    for (const { pid } of nodes) process.kill(pid, 'SIGSTOP');
    if ((await onServer(database, open)).length === 0) return true;
    for (const { pid } of nodes) process.kill(pid, 'SIGCONT');
    return false;
  });
}
