/** The tables as kysely sees them. Times are epoch milliseconds, booleans 0 or 1. */

import type { Generated } from 'kysely';
import type { AlertType } from '../../domain/alerts/alert.ts';
import type { DeliveryStatus } from '../../domain/alerts/delivery.ts';
import type { HealthChange } from '../../domain/alerts/health-change.ts';
import type { ChannelType } from '../../domain/alerts/kinds/registry.ts';
import type { Health, Method, ScheduleType } from '../../domain/jobs/job.ts';
import type { MonitorHealth } from '../../domain/monitors/monitor.ts';
import type { PingKind, PingMethod } from '../../domain/monitors/ping.ts';
import type { PlanName } from '../../domain/accounts/plan.ts';
import type { RunSource, RunStatus } from '../../domain/runs/run.ts';

export interface Schema {
  accounts: AccountRow;
  workspaces: WorkspaceRow;
  keys: KeyRow;
  jobs: JobRow;
  runs: RunRow;
  signing_keys: SigningKeyRow;
  receipts: ReceiptRow;
  monitors: MonitorRow;
  pings: PingRow;
  master_keys: MasterKeyRow;
  chores: ChoreRow;
  outbox: OutboxRow;
  channels: ChannelRow;
  deliveries: DeliveryRow;
  delivery_attempts: DeliveryAttemptRow;
  alert_states: AlertStateRow;
}

export interface AccountRow {
  id: string;
  name: string;
  plan: PlanName;
  /** From then on nothing runs and nothing can be edited. */
  expires_at: number | null;
  /** Whether what ends then is a trial. */
  on_trial: Generated<number>;
  /**
   * `off` once jobs have lost their due times because the account has expired. `resuming` while they are
   * given due times again, in steps.
   */
  schedules: Generated<'on' | 'off' | 'resuming'>;
  /** When it was last paid for again after it had expired: what was due up to then is nobody's loss. */
  renewed_at: Generated<number | null>;
  created_at: number;
}

export interface WorkspaceRow {
  id: string;
  name: string;
  account_id: string;
  created_at: number;
  /** From then on nobody reaches it any more; what it holds is removed in small steps. */
  deleted_at: Generated<number | null>;
}

export interface KeyRow {
  id: string;
  workspace_id: string;
  name: string;
  permission: 'read' | 'write';
  /** SHA-256 of the key, in hex; the key itself is nowhere. */
  sha256: string;
  created_at: number;
  last_used_at: Generated<number | null>;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface JobRow {
  id: string;
  workspace_id: string;
  name: string;
  url: string;
  /** Host and port of the URL: what the limit on calls to one host counts by. */
  host: string;
  method: Method;
  /** JSON object of before there were sealed values; emptied by the start that seals. */
  headers: string;
  body: string | null;
  schedule_type: ScheduleType;
  cron_expr: string | null;
  timezone: string;
  period_seconds: number | null;
  anchor_at: number;
  timeout_seconds: number;
  retries: number;
  notes: string;
  paused: number;
  health: Health;
  active_run_id: string | null;
  next_run_at: number | null;
  last_run_at: number | null;
  last_duration_ms: number | null;
  down_reason: string | null;
  created_at: number;
  /** From then on nobody sees the job any more; its history is removed in small steps. */
  deleted_at: Generated<number | null>;
  /** Retained runs by final state, counted where the run is written, so that nobody has to count. */
  total_success: Generated<number>;
  total_failed: Generated<number>;
  total_interrupted: Generated<number>;
  total_missed: Generated<number>;
  /** Hash of the canonical form of its last receipt, in hexadecimal. */
  last_receipt_sha256: Generated<string | null>;
  /** Header values and body, sealed; null if there are none. */
  sealed: string | null;
  /** Failures in a row. */
  failures: Generated<number>;
  /** What definitions call it; null for a job made by hand. Unique in its workspace. */
  job_key: Generated<string | null>;
}

export interface RunRow {
  id: string;
  job_id: string;
  source: RunSource;
  status: RunStatus;
  scheduled_for: number;
  started_at: number | null;
  finished_at: number | null;
  attempts: Generated<number>;
  http_status: number | null;
  duration_ms: number | null;
  response_body: string | null;
  truncated: Generated<number>;
  error: string | null;
  idempotency_key: string | null;
  /** Whether its receipt is still to be signed. */
  receipt_due: Generated<number>;
}

export interface SigningKeyRow {
  key_id: string;
  public_key: string;
  created_at: number;
  retired_at: Generated<number | null>;
  /** The private key, sealed; null once another key signs. */
  sealed: Generated<string | null>;
}

export interface ReceiptRow {
  run_id: string;
  receipt: string;
}

export interface MonitorRow {
  id: string;
  workspace_id: string;
  name: string;
  ping_id: string;
  schedule_type: ScheduleType;
  cron_expr: string | null;
  timezone: string;
  period_seconds: number | null;
  grace_seconds: number;
  notes: string;
  paused: number;
  health: MonitorHealth;
  next_due_at: number | null;
  next_check_at: number | null;
  started_at: number | null;
  last_ping_at: number | null;
  last_duration_ms: number | null;
  created_at: number;
  /** From then on nobody sees the monitor any more; its pings are removed in small steps. */
  deleted_at: Generated<number | null>;
  /** The number of the newest ping. */
  ping_count: Generated<number>;
}

export interface PingRow {
  monitor_id: string;
  number: number;
  id: string;
  kind: PingKind;
  exit_code: number | null;
  method: PingMethod;
  received_at: number;
  duration_ms: number | null;
  body: string | null;
  truncated: number;
}

export interface MasterKeyRow {
  key_id: string;
  created_at: number;
  /** Since then nothing is sealed with it any more. */
  retired_at: Generated<number | null>;
}

export interface ChoreRow {
  name: 'seal';
}

/** A health change that is still to become deliveries. */
export interface OutboxRow {
  id: string;
  type: HealthChange['type'];
  workspace_id: string;
  /** The job or the monitor. */
  subject_id: string;
  run_id: string | null;
  failures: number;
  /** JSON: the data of the alert; null if it is read from job and run. */
  data: string | null;
  at: number;
}

export interface ChannelRow {
  id: string;
  workspace_id: string;
  name: string;
  type: ChannelType;
  /** Its sealed config. */
  sealed: string;
  enabled: number;
  /** JSON array; null for all jobs and monitors of the workspace. */
  job_ids: string | null;
  after_failures: number;
  created_at: number;
  /** When the next of its deliveries is to be tried; null if none is pending. */
  next_delivery_at: Generated<number | null>;
  /** Consecutive attempts that got no answer. */
  unanswered: Generated<number>;
  /** Nothing is tried before. */
  backed_off_until: Generated<number | null>;
  /** Deliveries of lower queues are given up: disabling a channel begins a new one. */
  queue: Generated<number>;
  /** Why they were given up; null once all of them are marked. */
  ended_because: Generated<string | null>;
  /** Since then the channel is hidden; its deliveries are removed in small steps. */
  deleted_at: Generated<number | null>;
}

export interface DeliveryRow {
  id: string;
  channel_id: string;
  event: AlertType;
  /** The job or the monitor; the delivery itself for a test. */
  subject_id: string;
  /** The channel's, at creation. */
  queue: number;
  /** The alert as JSON, as a webhook gets it. */
  payload: string;
  status: DeliveryStatus;
  attempts: Generated<number>;
  /** Null if it is over, or waits for an earlier one of the same subject. */
  next_attempt_at: number | null;
  last_attempt_at: Generated<number | null>;
  last_error: Generated<string | null>;
  created_at: number;
}

export interface DeliveryAttemptRow {
  delivery_id: string;
  /** From 1 on. */
  number: number;
  started_at: number;
  duration_ms: number;
  /** Null for mail, and where no answer came. */
  http_status: number | null;
  error: string | null;
}

/** As in domain/alerts/damping.ts. */
export interface AlertStateRow {
  subject_id: string;
  channel_id: string;
  health: 'up' | 'down';
  alerts: number;
  changed_at: number;
  quiet_until: number;
  /** JSON: the health change that is held back. */
  held: string | null;
  due_at: number | null;
}
