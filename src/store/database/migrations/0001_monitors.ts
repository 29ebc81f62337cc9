/** The tables of monitors and their pings. */

import { oneOf } from '../one-of.ts';

export const monitors = [
  `create table monitors (
     id text not null primary key,
     workspace_id text not null references workspaces (id),
     managed_key text,
     name text not null,
     ping_id text not null unique,
     schedule_type text not null check (schedule_type in ('cron', 'period')),
     cron_expr text,
     timezone text not null,
     period_seconds bigint,
     grace_seconds bigint not null,
     paused smallint not null check (paused in (0, 1)),
     health text not null check ${oneOf('health', 'new', 'up', 'down')},
     health_since bigint,
     missed_due_at bigint,
     next_due_at bigint,
     next_check_at bigint,
     started_at bigint,
     last_ping_at bigint,
     last_duration_ms bigint,
     ping_count bigint not null default 0,
     created_at bigint not null,
     deleted_at bigint,
     labels text,
     notes text not null,
     check (schedule_type = 'period' or cron_expr is not null),
     check (schedule_type = 'cron' or period_seconds is not null),
     check (next_check_at is null
       or (next_due_at is not null and paused = 0 and health <> 'down' and deleted_at is null)),
     check (paused = 0 or next_due_at is null)
   )`,
  // With what counts monitors, and skips over many of them, without reading them.
  `create index monitors_by_workspace on monitors (workspace_id, id, deleted_at)`,
  `create index monitors_by_name on monitors (workspace_id, name, id) where deleted_at is null`,
  `create unique index monitors_by_key on monitors (workspace_id, managed_key)
     where managed_key is not null and deleted_at is null`,
  // Only monitors that a missing ping can change, in the order in which they are checked.
  `create index monitors_by_check on monitors (next_check_at) where next_check_at is not null`,
  // Deleted monitors whose pings are still being removed.
  `create index monitors_deleted on monitors (deleted_at) where deleted_at is not null`,

  `create table pings (
     monitor_id text not null references monitors (id),
     number bigint not null,
     id text not null,
     kind text not null check ${oneOf('kind', 'start', 'success', 'fail')},
     exit_code bigint,
     method text not null,
     received_at bigint not null,
     duration_ms bigint,
     body text,
     truncated smallint not null default 0 check (truncated in (0, 1)),
     primary key (monitor_id, number)
   )`,
];
