/**
 * The tables as kysely sees them, in the order of `migrations/0001_first.ts`. Times are epoch milliseconds, booleans
 * 0 or 1. A row with `deleted_at` is hidden at once; what belongs to it is removed in small steps.
 */

import type { ColumnType, Generated, Kysely } from 'kysely';
import type { PlanName } from '../../domain/accounts/plan.ts';
import type { AfterOn } from '../../domain/jobs/after-words.ts';
import type { EditableFields, Health } from '../../domain/jobs/job.ts';
import type { CallAlgorithm } from '../../domain/proof/call-key.ts';
import type { AdjustmentFields } from '../../domain/schedule/adjustments.ts';
import type { ScheduleType } from '../../domain/schedule/schedule.ts';
import type { MonitorHealth, MonitorSettings } from '../../domain/monitors/monitor.ts';
import type { PingKind, PingMethod } from '../../domain/monitors/ping.ts';
import type { LedgerCheck } from '../../domain/runs/ledger-check.ts';
import type { ReportOutcome, Reporter } from '../../domain/runs/report.ts';
import type { RunReason } from '../../domain/runs/reason.ts';
import type { RunSource, RunStatus } from '../../domain/runs/run.ts';
import type { SpanEnd } from '../../domain/schedule/span.ts';
import type { ColumnsOf } from './columns.ts';
import type {
  AuditEntryRow,
  MadeOnceRow,
  InstanceRow,
  NodeRow,
  SessionRow,
  SignInCodeRow,
} from './schema-accounts.ts';
import type {
  AlertStateRow,
  ChannelRow,
  DeliveryAttemptRow,
  DeliveryRow,
  DigestRow,
  OutboxRow,
} from './schema-alerts.ts';

export interface Schema {
  accounts: AccountRow;
  workspaces: WorkspaceRow;
  keys: KeyRow;
  badges: BadgeRow;
  audit_entries: AuditEntryRow;
  made_once: MadeOnceRow;
  instance: InstanceRow;
  nodes: NodeRow;
  sessions: SessionRow;
  sign_in_codes: SignInCodeRow;
  jobs: JobRow;
  schedule_spans: ScheduleSpanRow;
  ledger_checks: LedgerCheckRow;
  runs: RunRow;
  reports: ReportRow;
  monitors: MonitorRow;
  pings: PingRow;
  outbox: OutboxRow;
  channels: ChannelRow;
  deliveries: DeliveryRow;
  delivery_attempts: DeliveryAttemptRow;
  alert_states: AlertStateRow;
  digests: DigestRow;
  signing_keys: SigningKeyRow;
  call_keys: CallKeyRow;
  receipts: ReceiptRow;
  master_keys: MasterKeyRow;
  report_keys: ReportKeyRow;
}

/** What every store function gets: the database, or a transaction of it. */
export type Db = Kysely<Schema>;

export interface AccountRow {
  id: string;
  name: string;
  plan: PlanName;
  /** After that nothing runs and nothing can be edited. */
  expires_at: number | null;
  /** Whether `expires_at` ends a trial. */
  on_trial: Generated<number>;
  /** `off` once jobs lost their due times because the account expired; `resuming` while they get them back in steps. */
  schedules: Generated<'on' | 'off' | 'resuming'>;
  /** When an expired account was last paid for again: due times before that are not recorded as missed. */
  renewed_at: Generated<number | null>;
  created_at: number;
}

export interface WorkspaceRow {
  id: string;
  name: string;
  account_id: string;
  created_at: number;
  deleted_at: Generated<number | null>;
  /** JSON; null without any. */
  windows: Generated<string | null>;
}

export interface KeyRow {
  id: string;
  workspace_id: string;
  name: string;
  permission: 'read' | 'write';
  /** SHA-256 of the key, in hexadecimal; the key itself is not kept. */
  sha256: string;
  created_at: number;
  last_used_at: Generated<number | null>;
  expires_at: number | null;
  revoked_at: number | null;
}

/** Its token is kept as a key is. */
export interface BadgeRow extends Pick<KeyRow, 'id' | 'workspace_id' | 'name' | 'sha256'> {
  selector: string | null;
  created_at: number;
}

/** With the columns of what people set (`domain/jobs/fields.ts`). `on_result` is kept sealed too, with its secret, in a channel. */
export interface JobRow extends ColumnsOf<
  Omit<EditableFields, 'headers' | 'body' | 'after' | keyof AdjustmentFields>
> {
  id: string;
  workspace_id: string;
  /** Its key in definitions, unique in the workspace; null for a job made by hand. */
  managed_key: Generated<string | null>;
  /** The key under which `POST /calls` made it, unique in the workspace; null for any other job. */
  call_key: Generated<string | null>;
  /** The name in lower case (ASCII), made by the database: lists are ordered by it. */
  name_lower: ColumnType<string, never, never>;
  /** Host and port of the URL: what the limit on calls to one host counts by. */
  host: string;
  anchor_at: number;
  /** What adjusts its due times, in JSON (`domain/schedule/adjustments.ts`); null if nothing does. */
  adjustments: string | null;
  health: Health;
  /** Consecutive failures. */
  failures: Generated<number>;
  /** When the first of them ended, in epoch milliseconds; null if there is none. */
  failing_since: Generated<number | null>;
  /** The run under way: its call is in flight, or its target reports later. */
  active_run_id: string | null;
  /** When it was due, or asked for. */
  active_for: Generated<number | null>;
  active_since: Generated<number | null>;
  /** The node that executes it, where several may serve. No reference: nodes are forgotten. */
  active_node_id: Generated<string | null>;
  /** The latest due time that was claimed: what comes later has no run yet, whatever the clock says. */
  claimed_up_to: Generated<number | null>;
  next_run_at: number | null;
  last_run_at: number | null;
  last_duration_ms: number | null;
  down_reason: string | null;
  /** SHA-256 of its last receipt in canonical form, in hexadecimal. */
  last_receipt_sha256: Generated<string | null>;
  /** Kept runs by final state, counted when a run is written. */
  total_success: Generated<number>;
  total_failed: Generated<number>;
  total_interrupted: Generated<number>;
  total_missed: Generated<number>;
  /** The last time whose run was removed because it was old, in epoch milliseconds: when it was due, or asked for. */
  history_from: Generated<number>;
  created_at: number;
  deleted_at: Generated<number | null>;
  /** When to see whether it is to be deleted, as it is due no more; null if it never is. */
  delete_at: number | null;
  /** The job whose runs start this one, instead of a schedule; null if it has a schedule of its own. */
  after_job_id: string | null;
  after_on: AfterOn | null;
  /** Header values and body, sealed; null if there are none. */
  sealed: string | null;
}

/** A period in which one schedule of a job was in force: from its creation, a change or a resumption on. */
export interface ScheduleSpanRow {
  job_id: string;
  /** Due times after it belong to the span. */
  from_at: number;
  /** Null while it is in force. */
  until_at: Generated<number | null>;
  /** When it ended, the first due time that was neither called nor missed; null if there was none. */
  next_due_at: Generated<number | null>;
  end_reason: Generated<SpanEnd | null>;
  schedule_type: ScheduleType;
  cron_expr: string | null;
  timezone: string;
  period_seconds: number | null;
  anchor_at: number;
  adjustments: string | null;
  /** Its first due times, up to this one, were held; null if none was. */
  held_until: Generated<number | null>;
}

/** What a daily check of the ledger found: due times, and the jobs that it read. */
export interface LedgerCheckRow extends Omit<LedgerCheck, 'checkedAt' | 'after'> {
  checked_at: number;
  /** Due times after it, up to the check. */
  after_at: number;
}

/**
 * A run that is over, or one that has a row before: it was asked for, may be reported of, or is tried again. The others are
 * written once, when they end (`everyRun` has them before that).
 */
export interface RunRow {
  id: string;
  job_id: string;
  /** That of its job, with which it is removed: so the runs of a workspace have an order of their own. */
  workspace_id: string;
  source: RunSource;
  status: RunStatus;
  scheduled_for: number;
  started_at: number | null;
  finished_at: number | null;
  attempts: Generated<number>;
  /** Of a run that is `running`: it was answered, and waits for the report of its target. */
  http_status: number | null;
  duration_ms: number | null;
  truncated: Generated<number>;
  /** Why it was no success (domain/runs/reason.ts). */
  reason: Generated<RunReason | null>;
  /** What else is known of that, as a clause for people; of a missed run, that the one which made up for it was dropped. */
  detail: Generated<string | null>;
  /** Of a missed run: the last due time that it stands for, and how many there are. */
  last_due_at: Generated<number | null>;
  missed_count: Generated<number | null>;
  /** Of a missed run: for how long something kept jobd from starting runs; null where that is not part of the reason. */
  hindered_from: Generated<number | null>;
  hindered_until: Generated<number | null>;
  idempotency_key: string | null;
  /** Whether its receipt is still to be signed. */
  receipt_due: Generated<number>;
  /** The run, and its job, whose end started this one; null for any other. No references: it may outlive both. */
  cause_job_id: Generated<string | null>;
  cause_run_id: Generated<string | null>;
  /** The due time that it stands for, if that is another time than `scheduled_for`. */
  due_at: Generated<number | null>;
  response_body: string | null;
}

/** What is known of a run whose target reports after its answer. */
export interface ReportRow {
  run_id: string;
  /** When the answer of 202 came; null while the call is in flight, and if the answer was another one. */
  accepted_at: number | null;
  /** The latest time for a report. */
  expires_at: number | null;
  /** When the wait ends: `expires_at`, or when the report came. Null before it begins, and once it is over. */
  due_at: number | null;
  /** The last progress. */
  progress_at: number | null;
  percent: number | null;
  progress_line: string | null;
  outcome: ReportOutcome | null;
  reported_at: number | null;
  reported_by: Reporter | null;
  message: string | null;
}

/** With the columns of what people set (`domain/monitors/fields.ts`). */
export interface MonitorRow extends ColumnsOf<MonitorSettings> {
  id: string;
  workspace_id: string;
  /** Its key in definitions, unique in the workspace; null for a monitor made by hand. */
  managed_key: Generated<string | null>;
  ping_id: string;
  health: MonitorHealth;
  /** When a ping or its absence last changed the health; null while it is `new`. */
  health_since: number | null;
  missed_due_at: number | null;
  next_due_at: number | null;
  next_check_at: number | null;
  started_at: number | null;
  last_ping_at: number | null;
  last_duration_ms: number | null;
  /** The number of the newest ping. */
  ping_count: Generated<number>;
  created_at: number;
  deleted_at: Generated<number | null>;
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

export interface SigningKeyRow {
  key_id: string;
  public_key: string;
  /** The private key, sealed; null once another key signs. */
  sealed: Generated<string | null>;
  created_at: number;
  retired_at: Generated<number | null>;
}

/** A key that signs calls, did, or will. */
export interface CallKeyRow {
  key_id: string;
  algorithm: CallAlgorithm;
  /** As a JSON Web Key, in JSON. */
  public_jwk: string;
  /** The private key, sealed; null once nothing is signed with it. */
  sealed: string | null;
  created_at: number;
  signs_from: number;
  /** When it stops to sign; null until another one is to follow it. */
  retired_at: number | null;
  /** Until when it is published; null while it signs. */
  published_until: number | null;
}

export interface ReceiptRow {
  run_id: string;
  receipt: string;
}

export interface MasterKeyRow {
  key_id: string;
  created_at: number;
  /** After that nothing is sealed with it. */
  retired_at: Generated<number | null>;
}

export interface ReportKeyRow {
  id: string;
  created_at: number;
  /** The secret, sealed. */
  sealed: string;
}
