/**
 * A store in which each rare state is one change away. All ids are words: jobs and runs are named after what they do, the
 * workspace is `w`, its account `a`, whose jobs get their due times back. The workspace `gone` was deleted while the run of its job `left` waited for a report.
 */

import type { InsertObject, Insertable } from 'kysely';
import type { ChannelRow, DeliveryRow } from '../../../src/store/database/schema-alerts.ts';
import type { JobRow, RunRow, Schema } from '../../../src/store/database/schema.ts';
import type { Db } from '../../../src/store/database/store.ts';

/** The end of what is valid; everything happened at 1. */
export const later = 1_000_000;

/** One by one: rows of one statement would have to name the same columns. */
async function insertEach<Table extends keyof Schema>(
  tx: Db,
  table: Table,
  rows: readonly InsertObject<Schema, Table>[],
): Promise<void> {
  for (const row of rows) await tx.insertInto(table).values(row).execute();
}

/** Replaces what a new store has by rows in each usual state. */
export async function seedRareStates(tx: Db): Promise<void> {
  await tx.deleteFrom('workspaces').execute();
  await tx.deleteFrom('accounts').execute();
  const account = { id: 'a', name: 'a', expires_at: null, created_at: 0 };
  await insertEach(tx, 'accounts', [{ ...account, plan: 'self-hosted', schedules: 'resuming' }]);
  const workspace = { account_id: 'a', created_at: 0 };
  await insertEach(tx, 'workspaces', [
    { ...workspace, id: 'w', name: 'w', deleted_at: null },
    { ...workspace, id: 'gone', name: 'gone', deleted_at: 1 },
  ]);
  await seedAccess(tx);
  await seedJobs(tx);
  await seedMonitor(tx);
  await seedChannels(tx);
}

async function seedAccess(tx: Db): Promise<void> {
  const common = { workspace_id: 'w', permission: 'write', expires_at: later } as const;
  const key = { id: 'key', sha256: 'key', name: 'key', created_at: 0, revoked_at: null };
  await insertEach(tx, 'keys', [{ ...common, ...key }]);
  const session = { id: 'session', sha256: 'session', name: 'session', key_id: null };
  await insertEach(tx, 'sessions', [
    { ...common, ...session, is_owner: 0, created_at: 0, last_seen_at: 1 },
  ]);
  await insertEach(tx, 'sign_in_codes', [{ ...common, sha256: 'code', is_owner: 0 }]);
  const node = { id: 'node', host: 'h', pid: 1, version: '0', slots: 1, settings: '{}' };
  const times = { started_at: 1, serving_since: 1, expires_at: 1, ended_at: 1 };
  await insertEach(tx, 'nodes', [{ ...node, ...times, end_reason: 'silent', master_keys: '[]' }]);
}

async function seedJobs(tx: Db): Promise<void> {
  const results = { total_success: 1, total_failed: 1, total_missed: 1 };
  const after = { after_job_id: 'leader', after_on: 'finished' } as const;
  await insertEach(tx, 'jobs', [
    job('due', { next_run_at: 1, managed_key: 'due', call_key: 'due' }),
    job('planned', { next_run_at: later }),
    job('stopped', { delete_at: 1, delete_after_seconds: 0 }),
    job('asked'),
    job('running', { ...busyWith('running'), active_node_id: 'node' }),
    job('waiting', busyWith('awaited')),
    job('leader', { health: 'down', on_result: 'http://127.0.0.1:1/', ...results }),
    job('follower', after),
    job('chained', after),
    job('left', { workspace_id: 'gone', ...busyWith('left') }),
    job('calling', busyWith('calling')),
  ]);
  const times = { scheduled_for: 1, started_at: 1, finished_at: 2 };
  await insertEach(tx, 'runs', [
    run('queued', 'asked'),
    run('chained', 'chained', { cause_job_id: 'leader', cause_run_id: 'success' }),
    run('running', 'running', { status: 'running', started_at: 1 }),
    run('awaited', 'waiting', { status: 'running', started_at: 1, http_status: 202 }),
    run('left', 'left', {
      workspace_id: 'gone',
      status: 'running',
      started_at: 1,
      http_status: 202,
    }),
    run('success', 'leader', { ...times, status: 'success', http_status: 200 }),
    run('failed', 'leader', { ...times, status: 'failed', reason: 'dns', scheduled_for: 2 }),
    run('missed', 'leader', {
      status: 'missed',
      source: 'scheduled',
      scheduled_for: 3,
      reason: 'late',
      last_due_at: 3,
      missed_count: 1,
    }),
  ]);
  await insertEach(tx, 'reports', [
    { run_id: 'awaited', accepted_at: 1, expires_at: later, due_at: later },
  ]);
}

/** What a job says of a run under way. */
export function busyWith(runId: string) {
  return { active_run_id: runId, active_for: 1, active_since: 1 } as const;
}

function job(id: string, columns: Partial<Insertable<JobRow>> = {}): Insertable<JobRow> {
  return {
    id,
    workspace_id: 'w',
    name: id,
    url: 'http://127.0.0.1:1/',
    host: '127.0.0.1:1',
    method: 'GET',
    schedule_type: 'period',
    cron_expr: null,
    timezone: 'UTC',
    period_seconds: 60,
    anchor_at: 0,
    timeout_seconds: 30,
    retries: 0,
    report_within_seconds: null,
    make_up_seconds: null,
    sign: null,
    audience: null,
    paused: 0,
    health: 'up',
    active_run_id: null,
    next_run_at: null,
    last_run_at: null,
    last_duration_ms: null,
    down_reason: null,
    created_at: 0,
    after_job_id: null,
    after_on: null,
    on_result: null,
    notes: '',
    sealed: null,
    ...columns,
  };
}

function run(
  id: string,
  jobId: string,
  columns: Partial<Insertable<RunRow>> = {},
): Insertable<RunRow> {
  return {
    id,
    job_id: jobId,
    workspace_id: 'w',
    source: 'manual',
    status: 'queued',
    scheduled_for: 1,
    started_at: null,
    finished_at: null,
    http_status: null,
    duration_ms: null,
    idempotency_key: null,
    response_body: null,
    ...columns,
  };
}

async function seedMonitor(tx: Db): Promise<void> {
  const schedule = { schedule_type: 'period', period_seconds: 60, cron_expr: null } as const;
  const state = {
    health: 'down',
    health_since: 1,
    next_due_at: null,
    next_check_at: null,
  } as const;
  const pings = { started_at: null, last_ping_at: null, last_duration_ms: null, ping_count: 1 };
  const fixed = { id: 'monitor', workspace_id: 'w', name: 'monitor', ping_id: 'ping', notes: '' };
  const other = { managed_key: 'monitor', timezone: 'UTC', grace_seconds: 60, paused: 0 };
  await insertEach(tx, 'monitors', [
    { ...fixed, ...schedule, ...state, ...pings, ...other, created_at: 0 },
  ]);
}

async function seedChannels(tx: Db): Promise<void> {
  const alerts = {
    also_on: '["missed"]',
    after_failures: 2,
    managed_key: 'channel',
    next_delivery_at: 1,
  };
  const callback = { callback_of: 'leader', type: 'webhook', next_delivery_at: 1 } as const;
  await insertEach(tx, 'channels', [channel('channel', alerts), channel('callback', callback)]);
  await insertEach(tx, 'deliveries', [
    delivery('first', { next_attempt_at: 1 }),
    delivery('second', {}),
    delivery('result', { channel_id: 'callback', event: 'run.finished', next_attempt_at: 1 }),
    delivery('refused', { status: 'failed', subject_id: 'other' }),
  ]);
  const known = { channel_id: 'channel', health: 'down', alerts: 1, quiet_until: 0 } as const;
  await insertEach(tx, 'alert_states', [
    { ...known, subject_id: 'leader', changed_at: 1, held: null, due_at: null },
    { ...known, subject_id: 'monitor', changed_at: 1, held: null, due_at: null },
  ]);
}

function channel(id: string, columns: Partial<Insertable<ChannelRow>>): Insertable<ChannelRow> {
  return {
    id,
    workspace_id: 'w',
    name: id,
    type: 'email',
    sealed: '',
    enabled: 1,
    job_ids: null,
    monitor_ids: null,
    after_failures: 1,
    remind_every_seconds: null,
    created_at: 0,
    ...columns,
  };
}

function delivery(id: string, columns: Partial<Insertable<DeliveryRow>>): Insertable<DeliveryRow> {
  return {
    id,
    channel_id: 'channel',
    event: 'job.failed',
    subject_id: 'leader',
    about_type: 'job',
    about_id: 'leader',
    about_name: 'leader',
    queue: 0,
    payload: '{}',
    status: 'pending',
    next_attempt_at: null,
    created_at: 1,
    ...columns,
  };
}
