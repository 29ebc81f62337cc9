/**
 * Where the hints of a database are heard. PostgreSQL lets every role that may connect listen to any channel and notify it, so
 * the name of this one is random, in a table that other roles cannot read. A new name there is used by the next hint, and
 * by whoever listens once hints do not come back.
 */

import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Db } from '../database/schema.ts';
import { askPinned } from './connections/pinned.ts';

/** Sends a text to all who listen. */
export async function notify(db: Db, text: string): Promise<void> {
  await sql`select pg_notify(name, ${text}) from hint_channel`.execute(db);
}

/** Lets a connection hear what is sent. */
export async function listenOn(client: ClientBase): Promise<void> {
  const { rows } = await askPinned(client, { text: 'select name from hint_channel' });
  const [channel] = rows as { name: string }[];
  if (channel === undefined) throw new Error('the table hint_channel is empty');
  await client.query(`listen ${client.escapeIdentifier(channel.name)}`);
}
