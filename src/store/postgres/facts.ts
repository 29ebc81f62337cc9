/** What a server says about itself and its database. */

import { sql } from 'kysely';
import type { Db } from '../database/schema.ts';

/** The version as text, as a number such as 180004, the encoding of texts, and the size of the database in bytes. */
export interface ServerFacts {
  version: string;
  versionNumber: number;
  encoding: string;
  bytes: number;
}

/** Asks for them. */
export async function serverFacts(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::integer as "versionNumber",
      current_setting('server_encoding') as encoding,
      pg_database_size(current_database()) as bytes`.execute(db);
  const [facts] = rows;
  if (facts === undefined) throw new Error('the server says nothing about itself');
  return facts;
}
