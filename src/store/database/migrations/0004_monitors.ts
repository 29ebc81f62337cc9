/** Monitors and their pings. */

import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** Makes the tables. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table monitors (
     id text not null primary key,
     workspace_id text not null references workspaces (id),
     name text not null,
     ping_id text not null unique,
     schedule_type text not null check (schedule_type in ('cron', 'period')),
     cron_expr text,
     timezone text not null,
     period_seconds bigint,
     grace_seconds bigint not null,
     notes text not null,
     paused smallint not null check (paused in (0, 1)),
     health text not null check (health in ('new', 'up', 'down')),
     next_due_at bigint,
     next_check_at bigint,
     started_at bigint,
     last_ping_at bigint,
     last_duration_ms bigint,
     created_at bigint not null,
     deleted_at bigint,
     ping_count bigint not null default 0,
     check (schedule_type = 'period' or cron_expr is not null),
     check (schedule_type = 'cron' or period_seconds is not null),
     check (next_check_at is null
       or (next_due_at is not null and paused = 0 and health <> 'down' and deleted_at is null)),
     check (paused = 0 or next_due_at is null)
   )`,
  `create index monitors_by_workspace on monitors (workspace_id, id)`,
  // Monitors that count towards the quota, counted without reading them.
  `create index monitors_counted on monitors (workspace_id) where deleted_at is null`,
  // Only monitors that a ping can be missing of are in it, in the order in which that is looked at.
  `create index monitors_by_check on monitors (next_check_at) where next_check_at is not null`,
  // Monitors that people have deleted and whose pings are still being removed.
  `create index monitors_deleted on monitors (deleted_at) where deleted_at is not null`,

  `create table pings (
     monitor_id text not null references monitors (id),
     number bigint not null,
     id text not null,
     kind text not null check (kind in ('start', 'success', 'fail')),
     exit_code bigint,
     method text not null,
     received_at bigint not null,
     duration_ms bigint,
     body text,
     truncated smallint not null default 0 check (truncated in (0, 1)),
     primary key (monitor_id, number)
   )`,
];
