/** Alerts: the outbox, channels, and deliveries. */

import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** Makes the tables. Jobs that are down count one failure; nobody was told of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table jobs add column failures bigint not null default 0`,
  `update jobs set failures = 1 where health = 'down'`,

  // The outbox: edges in the order they were recorded, until they have become deliveries. They refer to
  // nothing, so that no missing row can keep a run from being recorded.
  `create table edges (
     id text not null primary key,
     type text not null check (type in
       ('job.failed', 'job.recovered', 'monitor.down', 'monitor.up')),
     workspace_id text not null,
     subject_id text not null,
     run_id text,
     failures bigint not null,
     data text,
     at bigint not null
   )`,

  `create table channels (
     id text not null primary key,
     workspace_id text not null references workspaces (id),
     name text not null,
     type text not null check (type in
       ('webhook', 'email', 'slack', 'discord', 'telegram', 'ntfy')),
     sealed text not null,
     enabled smallint not null check (enabled in (0, 1)),
     job_ids text,
     after_failures bigint not null check (after_failures >= 1),
     created_at bigint not null,
     next_delivery_at bigint
   )`,
  `create index channels_by_workspace on channels (workspace_id, id)`,
  // What recording looks at when a job fails again: whether anybody waits for that.
  `create index channels_by_threshold on channels (after_failures) where after_failures > 1`,
  // Channels with something to deliver, in the order in which it becomes due.
  `create index channels_by_due_time on channels (next_delivery_at)
     where next_delivery_at is not null`,

  `create table deliveries (
     id text not null primary key,
     channel_id text not null references channels (id),
     event text not null check (event in
       ('job.failed', 'job.recovered', 'monitor.down', 'monitor.up', 'test')),
     subject_id text not null,
     payload text not null,
     status text not null check (status in ('pending', 'delivered', 'failed')),
     attempts bigint not null default 0,
     next_attempt_at bigint,
     last_attempt_at bigint,
     last_error text,
     created_at bigint not null,
     check ((status = 'pending') = (next_attempt_at is not null))
   )`,
  `create index deliveries_by_channel on deliveries (channel_id, id)`,
  // Of one job's alerts to one channel the first goes first.
  `create index deliveries_open on deliveries (channel_id, subject_id, id)
     where status = 'pending'`,
  `create index deliveries_by_age on deliveries (created_at)`,

  // Which channels were told that a job or monitor is down: only those hear of its recovery.
  `create table told (
     subject_id text not null,
     channel_id text not null references channels (id),
     primary key (subject_id, channel_id)
   )`,
  `create index told_by_channel on told (channel_id)`,
];
