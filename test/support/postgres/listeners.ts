/** The connections that listen to the hints of a database. */

import { Client } from 'pg';
import { onServer } from './database.ts';

/** Their ids on the server. */
export async function listenersOf(url: string): Promise<number[]> {
  return await ask(url, 'pid');
}

/** Ends them, as the server may. */
export async function endListeners(url: string): Promise<void> {
  await ask(url, 'pid, pg_terminate_backend(pid)');
}

/** The channel on which they listen. */
export async function channelOf(url: string): Promise<string> {
  const [row] = await onServer<{ name: string }>(url, 'select name from hint_channel');
  return row?.name ?? '';
}

async function ask(url: string, what: string): Promise<number[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      `select ${what} from pg_stat_activity
        where application_name = 'jobd hints' and datname = current_database() and query like 'listen %'`,
    );
    return rows.map(({ pid }) => pid);
  } finally {
    await client.end();
  }
}
