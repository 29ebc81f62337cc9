/** What must not be read in the file is kept sealed, and it is known which master keys sealed it. */

import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** Makes the columns and tables; what is there in plain text is sealed by the next start. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // The keys themselves are elsewhere.
  `create table master_keys (
     key_id text not null primary key,
     created_at bigint not null,
     retired_at bigint
   )`,
  // One key seals at a time; a retired one is here until nothing is left that it sealed.
  `create unique index master_keys_active on master_keys ((retired_at is null))
     where retired_at is null`,
  // From now on nothing is written to headers and body any more.
  `alter table jobs add column sealed text`,
  `alter table signing_keys add column sealed text`,
  // What the next start has to do once, until it is done.
  `create table chores (name text not null primary key)`,
  `insert into chores (name)
     select 'seal' where exists (select 1 from workspaces)`,
];
