/** The tables of runs, and of what targets report. */

import { isBadText, oneOf } from '../one-of.ts';

export const runs = [
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

export const reports = [
  // What targets report after an answer of 202. A row may come before that answer.
  `create table reports (
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
  `create index reports_due on reports (due_at) where due_at is not null`,
];
