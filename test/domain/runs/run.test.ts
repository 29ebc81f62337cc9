/**
 * The states of a run: defined once as data, enforced by the statements and the table of a real
 * store.
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sql, type Insertable } from 'kysely';
import { newId } from '../../../src/domain/id.ts';
import {
  firstRunStatuses,
  isFinal,
  runStatuses,
  runTransitions,
} from '../../../src/domain/runs/run.ts';
import type { RunStatus } from '../../../src/domain/runs/run.ts';
import { insertScheduledRuns, startQueuedRuns } from '../../../src/store/runs/claims.ts';
import { recordEndedRuns } from '../../../src/store/runs/ended.ts';
import { findRun, insertQueuedRun } from '../../../src/store/runs/runs.ts';
import type { RunRow } from '../../../src/store/database/schema.ts';
import { endedRun, missedRun, queuedRun, startingRun } from '../../support/records/run.ts';
import { openTestStore } from '../../support/running/store.ts';

type StateFields = Pick<Insertable<RunRow>, (typeof stateColumns)[number]>;
const stateColumns = [
  'source',
  'started_at',
  'finished_at',
  'http_status',
  'reason',
  'last_due_at',
  'missed_count',
] as const;

const unset: StateFields = {
  source: 'manual',
  started_at: null,
  finished_at: null,
  http_status: null,
  reason: null,
  last_due_at: null,
  missed_count: null,
};

/** A valid row for each state. */
const rightFields: Record<RunStatus, StateFields> = {
  queued: unset,
  running: { ...unset, started_at: 1 },
  success: { ...unset, started_at: 1, finished_at: 2, http_status: 200 },
  failed: { ...unset, started_at: 1, finished_at: 2, reason: 'dns' },
  interrupted: { ...unset, started_at: 1, finished_at: 2, reason: 'cut_off' },
  missed: { ...unset, source: 'scheduled', reason: 'late', last_due_at: 1, missed_count: 1 },
};

/** A store in which a run can be put into any state. */
async function setup(t: TestContext) {
  const { store, addJob } = await openTestStore(t);
  const job = await addJob();
  let dueAt = 0;
  const insert = async (status: string, fields: StateFields): Promise<string> => {
    const id = newId(0);
    const values = {
      ...fields,
      id,
      job_id: job.id,
      workspace_id: job.workspaceId,
      status: status as RunStatus,
    };
    await store.db
      .insertInto('runs')
      .values({
        ...values,
        scheduled_for: (dueAt += 1),
        attempts: 0,
        duration_ms: null,
        response_body: null,
        truncated: 0,
        idempotency_key: null,
      })
      .execute();
    return id;
  };
  const statusOf = async (id: string) => (await findRun(store.db, job.id, id))?.status;
  return { store, job, insert, statusOf };
}

test('final states have no successor, all others have one', () => {
  const final = runStatuses.filter((status) => isFinal(status));
  assert.deepEqual(final, ['success', 'failed', 'interrupted', 'missed']);
});

test('every state can be reached from an initial one', () => {
  const reached = new Set<RunStatus>(firstRunStatuses);
  for (const status of reached) for (const next of runTransitions[status]) reached.add(next);
  assert.deepEqual([...reached].toSorted(), runStatuses.toSorted());
});

test('the store makes exactly the transitions of the table', async (t) => {
  const { store, job, insert, statusOf } = await setup(t);
  const ofJob = (runId: string) => ({ runId, jobId: job.id });
  const moves: Partial<Record<RunStatus, (id: string) => Promise<unknown>>> = {
    running: (id) => startQueuedRuns(store.db, [{ id, startedAt: 1 }]),
    success: (id) => recordEndedRuns(store.db, [endedRun(ofJob(id), 'success')]),
    failed: (id) => recordEndedRuns(store.db, [endedRun(ofJob(id), 'failed')]),
    interrupted: (id) => recordEndedRuns(store.db, [endedRun(ofJob(id), 'interrupted')]),
  };
  for (const from of runStatuses) {
    for (const to of runStatuses) {
      const allowed = (runTransitions[from] as readonly RunStatus[]).includes(to);
      const move = moves[to];
      if (move === undefined) {
        assert.ok(!allowed, `nothing moves a run to ${to}`);
        continue;
      }
      const id = await insert(from, rightFields[from]);
      const active = { active_run_id: id, active_for: 1, active_since: 1 };
      await store.db.updateTable('jobs').set(active).execute();
      await move(id);
      assert.equal(await statusOf(id), allowed ? to : from, `${from} → ${to}`);
    }
  }
});

test('the store creates a run in exactly the initial states', async (t) => {
  const { store, job, statusOf } = await setup(t);
  const begun: (RunStatus | undefined)[] = [];
  const queued = queuedRun(job.id, 1);
  await insertQueuedRun(store.db, queued, null);
  begun.push(await statusOf(queued.id));
  for (const run of [startingRun(job.id, 1), missedRun(job.id, 2)]) {
    await insertScheduledRuns(store.db, [run]);
    begun.push(await statusOf(run.id));
  }
  assert.deepEqual(begun, firstRunStatuses);
});

test('the table accepts every state with its fields, and no unknown state', async (t) => {
  const { insert, statusOf } = await setup(t);
  for (const status of runStatuses) {
    assert.equal(await statusOf(await insert(status, rightFields[status])), status);
  }
  for (const status of ['', 'done', 'Queued', 'running ']) {
    await assert.rejects(insert(status, rightFields.running), /CHECK constraint/, status);
  }
});

test('the table refuses a state with the fields of another', async (t) => {
  const { insert } = await setup(t);
  const rows: [RunStatus, Partial<StateFields>][] = [
    ['queued', { source: 'scheduled' }],
    ['queued', { started_at: 1 }],
    ['running', { started_at: null }],
    ['running', { finished_at: 2 }],
    ['success', { started_at: null }],
    ['success', { finished_at: null }],
    ['success', { http_status: null }],
    ['success', { reason: 'http' }],
    ['failed', { started_at: null }],
    ['failed', { finished_at: null }],
    ['failed', { reason: null }],
    ['interrupted', { started_at: null }],
    ['interrupted', { finished_at: null }],
    ['interrupted', { reason: null }],
    ['missed', { source: 'manual' }],
    ['missed', { started_at: 1 }],
    ['missed', { finished_at: 2 }],
    ['missed', { reason: null }],
    ['missed', { last_due_at: null }],
    ['missed', { missed_count: null }],
  ];
  for (const [status, wrong] of rows) {
    const what = `${status} with ${JSON.stringify(wrong)}`;
    await assert.rejects(insert(status, { ...rightFields[status], ...wrong }), /CHECK/, what);
  }
});

test('changing only the status never reopens a run that has ended or never began', async (t) => {
  const { store, insert, statusOf } = await setup(t);
  for (const from of ['success', 'failed', 'missed'] as const) {
    for (const to of ['queued', 'running']) {
      const id = await insert(from, rightFields[from]);
      const change = sql`update runs set status = ${to} where id = ${id}`;
      await assert.rejects(change.execute(store.db), /CHECK/, `${from} → ${to}`);
      assert.equal(await statusOf(id), from);
    }
  }
});
