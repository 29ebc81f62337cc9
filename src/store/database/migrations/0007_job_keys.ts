/** The key by which files of definitions know a job. */

import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** Makes the column. Jobs that are there were made by hand: they have no key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table jobs add column job_key text`,
  // A deleted job gives its key free at once, though its rows are there for a while.
  `create unique index jobs_by_key on jobs (workspace_id, job_key)
     where job_key is not null and deleted_at is null`,
];
