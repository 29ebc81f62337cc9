/** The tables of alerts: the outbox, channels, deliveries and what each channel was last notified of. */

import { oneOf } from '../one-of.ts';

export const alerts = [
  // The outbox. It refers to nothing, so that no missing row can keep a run from being recorded.
  `create table outbox (
     id text not null primary key,
     type text not null check ${oneOf(
       'type',
       'job.failed',
       'job.recovered',
       'monitor.down',
       'monitor.up',
     )},
     workspace_id text not null,
     subject_id text not null,
     run_id text,
     failures bigint not null,
     data text,
     at bigint not null,
     position bigint not null
   )`,
  // A subject has one row of each type and number of failures, so fast changes add no more rows.
  `create unique index outbox_by_subject on outbox (subject_id, type, failures)`,
  // Workspaces take turns. Changes of a subject keep their order whatever the clocks said: an id begins with a time.
  `create index outbox_by_workspace on outbox (workspace_id, position, id)`,

  `create table channels (
     id text not null primary key,
     workspace_id text not null references workspaces (id),
     callback_of text,
     managed_key text,
     name text not null,
     type text not null,
     sealed text not null,
     enabled smallint not null check (enabled in (0, 1)),
     job_ids text,
     monitor_ids text,
     selector text,
     after_failures bigint not null check (after_failures >= 1),
     also_on text not null default '[]',
     remind_every_seconds bigint,
     next_delivery_at bigint,
     unanswered bigint not null default 0,
     backed_off_until bigint,
     consecutive_failures bigint not null default 0,
     queue bigint not null default 0,
     ended_because text,
     created_at bigint not null,
     deleted_at bigint
   )`,
  `create index channels_by_workspace on channels (workspace_id, id)`,
  // Those of people, without the callbacks of jobs. After the one above, as SQLite takes the last one of equals.
  `create index channels_of_people on channels (workspace_id, id) where callback_of is null`,
  // A job has one callback at most. No reference: it is deleted with its job, and removed by itself.
  `create unique index channels_by_job on channels (callback_of)
     where callback_of is not null and deleted_at is null`,
  `create unique index channels_by_key on channels (workspace_id, managed_key)
     where managed_key is not null and deleted_at is null`,
  // Whether anybody waits for a second or later failure.
  `create index channels_by_threshold on channels (after_failures) where after_failures > 1`,
  // Whether anybody asks for missed or interrupted runs.
  `create index channels_by_also_on on channels (workspace_id) where also_on <> '[]'`,
  // Channels with something to deliver, in the order in which it becomes due.
  `create index channels_by_due_time on channels (next_delivery_at)
     where next_delivery_at is not null`,
  // Channels with deliveries in queues that have ended.
  `create index channels_with_ended on channels (id) where ended_because is not null`,
  // Deleted channels whose deliveries are still being removed.
  `create index channels_deleted on channels (deleted_at) where deleted_at is not null`,

  `create table deliveries (
     id text not null primary key,
     channel_id text not null references channels (id),
     event text not null check (event in
       ('job.failed', 'job.recovered', 'monitor.down', 'monitor.up', 'job.missed',
        'job.interrupted', 'run.finished', 'reminder', 'test')),
     subject_id text not null,
     about_type text check (about_type in ('job', 'monitor')),
     about_id text,
     about_name text,
     queue bigint not null,
     position bigint not null default 1,
     payload text not null,
     status text not null check ${oneOf('status', 'pending', 'delivered', 'failed')},
     attempts bigint not null default 0,
     next_attempt_at bigint,
     last_attempt_at bigint,
     last_error text,
     created_at bigint not null,
     check (status = 'pending' or next_attempt_at is null)
   )`,
  `create index deliveries_by_channel on deliveries (channel_id, id)`,
  `create index deliveries_by_subject on deliveries (channel_id, about_id, id)
     where about_id is not null`,
  `create index deliveries_attempted on deliveries (channel_id, id) where attempts > 0`,
  // Those of a line in their order, whatever the clocks said: an id begins with a time.
  `create index deliveries_open on deliveries (channel_id, queue, subject_id, position, id)
     where status = 'pending'`,
  `create index deliveries_by_due_time on deliveries (channel_id, queue, next_attempt_at, id)
     where next_attempt_at is not null`,
  `create index deliveries_tests on deliveries (channel_id, created_at) where event = 'test'`,
  `create index deliveries_pending_by_age on deliveries (created_at) where status = 'pending'`,
  `create index deliveries_ended_by_age on deliveries (created_at) where status <> 'pending'`,

  `create table delivery_attempts (
     delivery_id text not null references deliveries (id) on delete cascade,
     number bigint not null,
     started_at bigint not null,
     duration_ms bigint not null,
     http_status bigint,
     error text,
     primary key (delivery_id, number)
   )`,

  `create table alert_states (
     subject_id text not null,
     channel_id text not null references channels (id),
     health text not null check (health in ('up', 'down')),
     alerts bigint not null,
     changed_at bigint not null,
     quiet_until bigint not null,
     held text,
     due_at bigint,
     primary key (subject_id, channel_id)
   )`,
  `create index alert_states_by_channel on alert_states (channel_id, health)`,
  `create index alert_states_by_due_time on alert_states (due_at) where due_at is not null`,

  `create table digests (
     channel_id text not null references channels (id),
     event text not null check ${oneOf('event', 'job.missed', 'job.interrupted', 'reminder')},
     gathered text,
     quiet_until bigint not null default 0,
     delivery_id text,
     due_at bigint,
     primary key (channel_id, event)
   )`,
  `create index digests_by_due_time on digests (due_at) where due_at is not null`,
];
