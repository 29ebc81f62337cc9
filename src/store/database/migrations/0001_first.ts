/** Workspaces, keys, jobs and runs. */

import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** Makes the first tables. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table workspaces (
     id text not null primary key,
     name text not null unique,
     created_at bigint not null
   )`,

  `create table keys (
     id text not null primary key,
     workspace_id text not null references workspaces (id),
     name text not null,
     permission text not null check (permission in ('read', 'write')),
     sha256 text not null unique,
     created_at bigint not null,
     revoked_at bigint
   )`,

  `create table jobs (
     id text not null primary key,
     workspace_id text not null references workspaces (id),
     name text not null,
     url text not null,
     host text not null,
     method text not null,
     headers text not null,
     body text,
     schedule_type text not null check (schedule_type in ('cron', 'period')),
     cron_expr text,
     timezone text not null,
     period_seconds bigint,
     anchor_at bigint not null,
     timeout_seconds bigint not null,
     retries bigint not null,
     notes text not null,
     paused smallint not null check (paused in (0, 1)),
     health text not null check (health in ('new', 'up', 'down')),
     active_run_id text,
     next_run_at bigint,
     last_run_at bigint,
     last_duration_ms bigint,
     down_reason text,
     created_at bigint not null,
     deleted_at bigint,
     total_success bigint not null default 0,
     total_failed bigint not null default 0,
     total_interrupted bigint not null default 0,
     total_missed bigint not null default 0,
     check (schedule_type = 'period' or cron_expr is not null),
     check (schedule_type = 'cron' or period_seconds is not null),
     check (paused = 0 or next_run_at is null),
     check (deleted_at is null or (next_run_at is null and active_run_id is null))
   )`,
  `create index jobs_by_workspace on jobs (workspace_id, id)`,
  // Only jobs that may be claimed are in it, in the order in which they become due.
  `create index jobs_by_due_time on jobs (next_run_at)
     where next_run_at is not null and active_run_id is null`,

  // Jobs that people have deleted and whose history is still being removed.
  `create index jobs_deleted on jobs (deleted_at) where deleted_at is not null`,

  `create table runs (
     id text not null primary key,
     job_id text not null references jobs (id),
     source text not null check (source in ('scheduled', 'manual')),
     status text not null,
     scheduled_for bigint not null,
     started_at bigint,
     finished_at bigint,
     attempts bigint not null default 0,
     http_status bigint,
     duration_ms bigint,
     response_body text,
     truncated smallint not null default 0 check (truncated in (0, 1)),
     error text,
     idempotency_key text,
     check (case status
       when 'queued' then source = 'manual' and started_at is null and finished_at is null
                          and error is null
       when 'running' then started_at is not null and finished_at is null and error is null
       when 'success' then started_at is not null and finished_at is not null
                           and http_status is not null and error is null
       when 'failed' then started_at is not null and finished_at is not null
                          and error is not null
       when 'interrupted' then started_at is not null and finished_at is not null
                               and duration_ms is null and error is not null
       when 'missed' then source = 'scheduled' and started_at is null and finished_at is null
                          and error is not null
       else false
     end)
   )`,
  // One due time is claimed once; and the order in which a job's runs are listed.
  `create unique index runs_by_time on runs (job_id, scheduled_for, source)`,
  `create unique index runs_by_idempotency_key on runs (job_id, idempotency_key)
     where idempotency_key is not null`,
  // Runs asked for by hand and not started yet, in the order in which they start.
  `create index runs_queued on runs (scheduled_for) where status = 'queued'`,
  // The few runs that are not over: what a job's totals count, what a dead process left behind.
  `create index runs_open on runs (status, job_id) where status in ('queued', 'running')`,
];
