/** Every attempt to deliver an alert, and channels that are deleted in small steps. */

import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** Makes the table and the column. Of attempts made before only their number is known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table delivery_attempts (
     delivery_id text not null references deliveries (id) on delete cascade,
     number bigint not null,
     started_at bigint not null,
     duration_ms bigint not null,
     http_status bigint,
     error text,
     primary key (delivery_id, number)
   )`,

  `alter table channels add column deleted_at bigint`,
  // Channels that are gone for people, whose deliveries are still to be removed.
  `create index channels_deleted on channels (deleted_at) where deleted_at is not null`,
];
