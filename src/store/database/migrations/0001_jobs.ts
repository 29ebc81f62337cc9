/** The tables of jobs: when which of their schedules was in force, and what the ledger found. */

import { oneOf } from '../one-of.ts';

export const jobs = [
  `create table jobs (
     id text not null primary key,
     workspace_id text not null references workspaces (id),
     managed_key text, call_key text,
     name text not null,
     name_lower text not null generated always as (lower(name)) virtual,
     url text not null,
     host text not null,
     method text not null,
     schedule_type text not null check (schedule_type in ('cron', 'period')),
     cron_expr text,
     timezone text not null,
     period_seconds bigint,
     anchor_at bigint not null,
     adjustments text,
     timeout_seconds bigint not null,
     retries bigint not null,
     report_within_seconds bigint,
     make_up_seconds bigint,
     sign text check ${oneOf('sign', 'httpsig', 'oidc', 'oidc-rs256')},
     audience text,
     paused smallint not null check (paused in (0, 1)),
     health text not null check ${oneOf('health', 'new', 'up', 'down')},
     failures bigint not null default 0,
     failing_since bigint,
     active_run_id text,
     active_for bigint,
     active_since bigint,
     active_node_id text,
     claimed_up_to bigint,
     next_run_at bigint,
     last_run_at bigint,
     last_duration_ms bigint,
     down_reason text,
     last_receipt_sha256 text,
     total_success bigint not null default 0,
     total_failed bigint not null default 0,
     total_interrupted bigint not null default 0,
     total_missed bigint not null default 0,
     history_from bigint not null default 0,
     created_at bigint not null,
     deleted_at bigint,
     delete_at bigint,
     delete_after_seconds bigint,
     after_job_id text,
     after_on text check ${oneOf('after_on', 'success', 'failed', 'finished')},
     on_result text,
     labels text,
     notes text not null,
     sealed text,
     check (schedule_type = 'period' or cron_expr is not null),
     check (schedule_type = 'cron' or period_seconds is not null),
     check (paused = 0 or next_run_at is null),
     check ((after_job_id is null) = (after_on is null)),
     check (after_job_id is null or next_run_at is null),
     check (deleted_at is null or (next_run_at is null and active_run_id is null)),
     check ((active_run_id is null) = (active_for is null)),
     check ((active_run_id is null) = (active_since is null)),
     check (active_node_id is null or active_run_id is not null),
     check ((audience is not null) = (sign is not null and sign <> 'httpsig'))
   )`,
  // First, as SQLite takes the last one of indexes that cost the same.
  `create index jobs_by_name on jobs (workspace_id, name_lower, id) where deleted_at is null`,
  // Counts jobs, and skips over many of them, without reading them.
  `create index jobs_by_workspace on jobs (workspace_id, id, deleted_at)`,
  // A deleted job frees its key at once, though its rows stay for a while.
  `create unique index jobs_by_key on jobs (workspace_id, managed_key) where managed_key is not null and deleted_at is null`,
  `create unique index jobs_by_call_key on jobs (workspace_id, call_key) where call_key is not null and deleted_at is null`,
  // Only jobs that may be claimed, in the order in which they become due.
  `create index jobs_by_due_time on jobs (next_run_at)
     where next_run_at is not null and active_run_id is null`,
  // Jobs with a run under way: a job has one at most.
  `create index jobs_active on jobs (workspace_id, id) where active_run_id is not null`,
  // Deleted jobs whose history is still being removed.
  `create index jobs_deleted on jobs (deleted_at) where deleted_at is not null`,
  // Jobs that are deleted once they are due no more.
  `create index jobs_to_delete on jobs (delete_at) where delete_at is not null and deleted_at is null`,
  // For lists by status and by name. A run that succeeds changes none of their columns.
  `create index jobs_down on jobs (workspace_id, id)
     where health = 'down' and paused = 0 and deleted_at is null`,
  `create index jobs_new on jobs (workspace_id, id)
     where health = 'new' and paused = 0 and deleted_at is null`,
  `create index jobs_paused on jobs (workspace_id, id) where paused = 1 and deleted_at is null`,
  // Those that run after another one, by that one.
  `create index jobs_following on jobs (after_job_id, id)
     where after_job_id is not null and deleted_at is null`,

  // When which schedule was in force, for the ledger.
  `create table schedule_spans (
     job_id text not null references jobs (id),
     from_at bigint not null,
     until_at bigint, next_due_at bigint,
     end_reason text check ${oneOf('end_reason', 'paused', 'changed', 'expired', 'corrected', 'restored', 'held')},
     schedule_type text not null,
     cron_expr text,
     timezone text not null,
     period_seconds bigint,
     anchor_at bigint not null,
     adjustments text, held_until bigint,
     primary key (job_id, from_at),
     check ((until_at is null) = (end_reason is null)),
     check (schedule_type = 'period' or cron_expr is not null),
     check (schedule_type = 'cron' or period_seconds is not null)
   )`,
  // One schedule at a time is in force.
  `create unique index schedule_spans_open on schedule_spans (job_id) where until_at is null`,
  `create index schedule_spans_by_end on schedule_spans (job_id, (case when until_at is null then 9007199254740991 when next_due_at > until_at then next_due_at else until_at end))`,
  // Those that ended long ago.
  `create index schedule_spans_ended on schedule_spans (until_at) where until_at is not null`,
  // What the daily checks of the ledger found.
  `create table ledger_checks (
     checked_at bigint not null primary key,
     after_at bigint not null,
     jobs bigint not null,
     called bigint not null,
     missed bigint not null,
     explained bigint not null,
     unaccounted bigint not null,
     unexpected bigint not null,
     example text
   )`,
];
