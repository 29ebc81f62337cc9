/**
 * The whole schema; the tables of alerts are in `0001_alerts.ts`, those of sign-in and of secrets in `0001_sign_in.ts`. `schema.ts` says what
 * the columns mean. Long texts are the last columns of their tables: a list that does not show them never reads where they continue.
 */

import { sql, type Kysely } from 'kysely';
import { definition } from '../dialect.ts';
import { isBadText, oneOf } from '../one-of.ts';
import { alerts } from './0001_alerts.ts';
import { secrets, signIn } from './0001_sign_in.ts';

/** Makes every table and index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql`${definition(statement)}`.execute(db);
}

const accounts = [
  `create table accounts (
     id text not null primary key,
     name text not null unique,
     plan text not null check ${oneOf('plan', 'free', 'pro', 'business', 'self-hosted')},
     expires_at bigint,
     on_trial smallint not null default 0 check (on_trial in (0, 1)),
     schedules text not null default 'on' check ${oneOf('schedules', 'on', 'off', 'resuming')},
     renewed_at bigint,
     created_at bigint not null,
     check (on_trial = 0 or expires_at is not null)
   )`,
  // Accounts whose jobs have no due times, or only some of them.
  `create index accounts_stopped on accounts (expires_at) where schedules <> 'on'`,

  `create table workspaces (
     id text not null primary key,
     name text not null unique,
     account_id text not null references accounts (id),
     created_at bigint not null,
     deleted_at bigint, windows text
   )`,
  `create index workspaces_by_account on workspaces (account_id, id)`,
  // Whether there are several: the log then names them.
  `create index workspaces_kept on workspaces (created_at) where deleted_at is null`,
  `create index workspaces_deleted on workspaces (deleted_at) where deleted_at is not null`,

  `create table keys (
     id text not null primary key,
     workspace_id text not null references workspaces (id),
     name text not null,
     permission text not null check (permission in ('read', 'write')),
     sha256 text not null unique,
     created_at bigint not null,
     last_used_at bigint,
     expires_at bigint,
     revoked_at bigint
   )`,
  `create index keys_by_workspace on keys (workspace_id, id)`,

  // Names and ids are copies: an entry outlives its actor and its subject.
  `create table audit_entries (
     workspace_id text not null references workspaces (id),
     number bigint not null,
     at bigint not null,
     actor_type text not null check ${oneOf('actor_type', 'key', 'session', 'command')},
     actor_id text not null,
     actor_name text not null,
     address text,
     forwarded_for text,
     action text not null,
     subject_id text not null,
     subject_name text not null,
     fields text not null,
     run_id text,
     count bigint not null default 1,
     actor_group text not null,
     actor_number bigint not null,
     actor_day_number bigint not null,
     primary key (workspace_id, number)
   )`,
  `create index audit_by_actor on audit_entries (workspace_id, actor_group, actor_number)`,
  `create index audit_by_subject on audit_entries (workspace_id, subject_id, number)`,
  `create index audit_by_time on audit_entries (at)`,
];

const jobs = [
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
     await_seconds bigint,
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
  `create index jobs_by_workspace on jobs (workspace_id, id)`,
  // A deleted job frees its key at once, though its rows stay for a while.
  `create unique index jobs_by_key on jobs (workspace_id, managed_key) where managed_key is not null and deleted_at is null`,
  `create unique index jobs_by_call_key on jobs (workspace_id, call_key) where call_key is not null and deleted_at is null`,
  // Counts jobs, and skips over many of them, without reading them.
  `create index jobs_counted on jobs (workspace_id, id) where deleted_at is null`,
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

const runs = [
  `create table runs (
     id text not null primary key,
     job_id text not null references jobs (id),
     workspace_id text not null,
     source text not null check (source in ('scheduled', 'manual')),
     status text not null,
     scheduled_for bigint not null,
     started_at bigint,
     finished_at bigint,
     attempts bigint not null default 0,
     http_status bigint,
     duration_ms bigint,
     truncated smallint not null default 0 check (truncated in (0, 1)),
     reason text,
     detail text,
     last_due_at bigint,
     missed_count bigint,
     hindered_from bigint,
     hindered_until bigint,
     idempotency_key text,
     receipt_due smallint not null default 0 check (receipt_due in (0, 1)),
     cause_job_id text,
     cause_run_id text,
     due_at bigint,
     response_body text,
     check (case status
       when 'queued' then source = 'manual' and started_at is null and finished_at is null
       when 'running' then started_at is not null and finished_at is null
       when 'success' then started_at is not null and finished_at is not null
                           and http_status is not null
       when 'failed' then started_at is not null and finished_at is not null
       when 'interrupted' then started_at is not null and finished_at is not null
                               and duration_ms is null
       when 'missed' then source = 'scheduled' and started_at is null and finished_at is null
                          and last_due_at is not null and missed_count is not null
       else false
     end),
     check (case when ${isBadText} then reason is not null
                 else reason is null and detail is null end),
     check ((hindered_from is null) = (hindered_until is null))
   )`,
  // Claims a due time only once; also the order in which a job's runs are listed.
  `create unique index runs_by_time on runs (job_id, scheduled_for, source)`,
  `create unique index runs_by_idempotency_key on runs (job_id, idempotency_key)
     where idempotency_key is not null`,
  `create unique index runs_by_cause on runs (cause_run_id, job_id)
     where cause_run_id is not null`,
  `create index runs_by_due on runs (job_id, due_at) where due_at is not null`,
  // Runs that wait, in the order in which they start: those that people asked for before those that another run caused.
  `create index runs_queued on runs ((cause_run_id is not null), scheduled_for)
     where status = 'queued'`,
  // Those of a job: one that another run caused waits alone.
  `create index runs_queued_of_job on runs (job_id) where status = 'queued'`,
  // Runs without their receipt, in the order in which a job's receipts are signed.
  `create index runs_unsigned on runs (job_id, started_at, id) where receipt_due = 1`,
  // The order in which the runs of a workspace are listed. Nothing that changes is in it: a run is added once.
  `create index runs_by_workspace on runs (workspace_id, scheduled_for, job_id, source)`,
  // Runs that were no success, of a workspace and of one job. With its status, a search for missed runs of a workspace among many
  // failed ones reads the index alone. That of one job must be as narrow as `runs_by_time`, which SQLite would take otherwise.
  `create index runs_trouble on runs (workspace_id, scheduled_for, job_id, source, status)
     where ${isBadText}`,
  `create index runs_bad_of_job on runs (job_id, scheduled_for, source)
     where ${isBadText}`,
];

const completions = [
  // What targets report after an answer of 202. A row may come before that answer.
  `create table completions (
     run_id text not null primary key references runs (id) on delete cascade,
     accepted_at bigint,
     expires_at bigint,
     due_at bigint,
     progress_at bigint,
     percent bigint,
     progress_line text,
     outcome text check ${oneOf('outcome', 'success', 'failed', 'expired')},
     reported_at bigint,
     reported_by text check (reported_by in ('target', 'person')),
     message text,
     check ((accepted_at is null) = (expires_at is null)),
     check (due_at is null or accepted_at is not null),
     check ((reported_at is null) = (reported_by is null)),
     check ((reported_at is not null) = (outcome is not null and outcome <> 'expired'))
   )`,
  // Waits that are not over, in the order in which they end.
  `create index completions_due on completions (due_at) where due_at is not null`,
];

const monitors = [
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
  `create index monitors_by_workspace on monitors (workspace_id, id)`,
  `create index monitors_by_name on monitors (workspace_id, name, id) where deleted_at is null`,
  `create unique index monitors_by_key on monitors (workspace_id, managed_key)
     where managed_key is not null and deleted_at is null`,
  // Counts monitors, and skips over many of them, without reading them.
  `create index monitors_counted on monitors (workspace_id, id) where deleted_at is null`,
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

const receipts = [
  `create table signing_keys (
     key_id text not null primary key,
     public_key text not null,
     sealed text,
     created_at bigint not null,
     retired_at bigint,
     check ((sealed is null) = (retired_at is not null))
   )`,
  // One key signs at a time.
  `create unique index signing_keys_active on signing_keys ((retired_at is null))
     where retired_at is null`,

  `create table call_keys (
     key_id text not null primary key,
     algorithm text not null check (algorithm in ('EdDSA', 'RS256')),
     public_jwk text not null,
     sealed text,
     created_at bigint not null,
     signs_from bigint not null,
     retired_at bigint,
     published_until bigint,
     check ((retired_at is null) = (published_until is null)),
     check (sealed is not null or retired_at is not null)
   )`,
  // One key of an algorithm is the last one.
  `create unique index call_keys_last on call_keys (algorithm) where retired_at is null`,

  // In canonical form, byte for byte as they are handed out.
  `create table receipts (
     run_id text not null primary key references runs (id) on delete cascade,
     receipt text not null
   )`,
];

/** Its text. */
export const statements = [
  accounts,
  signIn,
  jobs,
  runs,
  completions,
  monitors,
  alerts,
  receipts,
  secrets,
].flat();
