import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { recordBatch } from '../../../src/engine/runs/record.ts';
import { findJob } from '../../../src/store/jobs/jobs.ts';
import { recordEndedRuns, type EndedRun } from '../../../src/store/runs/ended.ts';
import { countInFlight } from '../../../src/store/runs/in-flight.ts';
import { countRuns, findRun } from '../../../src/store/runs/runs.ts';
import { beginRuns, endedRun, startingRun } from '../../support/records/run.ts';
import { openTestStore } from '../../support/running/store.ts';

/** A store with a job whose runs can be started and ended. */
async function setup(t: TestContext) {
  const { store, workspaceId, addJob } = await openTestStore(t);
  const job = await addJob();
  const readJob = async () =>
    (await findJob(store.db, workspaceId, job.id)) ?? assert.fail('no job');
  let startedAt = 1_000;
  const start = async () => {
    const run = startingRun(job.id, (startedAt += 1_000));
    await beginRuns(store.db, run);
    return { ...run, runId: run.id, workspaceId };
  };
  const record = async (...runs: EndedRun[]): Promise<void> => {
    const { health, failures } = await readJob();
    const claimed = { workspaceId, health, failures, scheduledFor: startedAt };
    const executions = runs.map((ended) => ({ ended, claimed }));
    await recordBatch(store.db, { executions }, { receipts: false });
  };
  const end = async (status: EndedRun['status'], changes: Partial<EndedRun> = {}) => {
    const ended = endedRun(await start(), status, changes);
    await record(ended);
    return ended;
  };
  return {
    db: store.db,
    job,
    start,
    record,
    end,
    readJob,
    readRun: async (id: string) => (await findRun(store.db, job.id, id)) ?? assert.fail('no run'),
  };
}

test('an ended run is read back with every field, and its job is free again', async (t) => {
  const { start, record, readRun, readJob } = await setup(t);
  const begun = await start();
  const { runId } = begun;
  assert.equal((await readJob()).activeRunId, runId);
  const ended = endedRun(begun, 'failed', {
    finishedAt: 5_000,
    durationMs: 3_000,
    attempts: 3,
    httpStatus: 502,
    responseBody: 'bad gateway',
    truncated: true,
    reason: 'http',
  });
  await record(ended);
  const { runId: id, workspaceId: _, ...fields } = ended;
  assert.deepEqual(await readRun(id), { id, source: 'scheduled', ...fields });
  const { activeRunId, lastRunAt, lastDurationMs, health, downReason } = await readJob();
  assert.deepEqual(
    { activeRunId, lastRunAt, lastDurationMs, health, downReason },
    {
      activeRunId: null,
      lastRunAt: 2_000,
      lastDurationMs: 3_000,
      health: 'down',
      downReason: 'http: 502',
    },
  );
});

test('recording the same batch twice changes nothing', async (t) => {
  const { start, record, db, job, readRun, readJob } = await setup(t);
  const begun = await start();
  const { runId } = begun;
  const ended = endedRun(begun, 'success');
  await record(ended);
  const before = [await readRun(runId), await readJob(), await countRuns(db, job.id)];
  await record(ended);
  await record(endedRun(begun, 'failed'), ended);
  const after = [await readRun(runId), await readJob(), await countRuns(db, job.id)];
  assert.deepEqual(after, before);
});

test('a late second record does not free a job that executes another run', async (t) => {
  const { start, record, end, readJob } = await setup(t);
  const first = await end('success');
  const second = await start();
  await record(first);
  assert.equal((await readJob()).activeRunId, second.runId);
});

test('health follows the last outcome; an interrupted run has none', async (t) => {
  const { end, readJob } = await setup(t);
  const seen: unknown[] = [];
  const timeout = { reason: 'timeout', detail: 'no answer within 1 s' } as const;
  for (const [status, why] of [
    ['interrupted', {}],
    ['success', {}],
    ['interrupted', {}],
    ['failed', {}],
    ['failed', timeout],
    ['interrupted', {}],
    ['success', {}],
  ] as const) {
    await end(status, why);
    const { health, downReason } = await readJob();
    seen.push([health, downReason]);
  }
  assert.deepEqual(seen, [
    ['new', null],
    ['up', null],
    ['up', null],
    ['down', 'http: 500'],
    ['down', 'timeout: no answer within 1 s'],
    ['down', 'timeout: no answer within 1 s'],
    ['up', null],
  ]);
});

test('after an interrupted run no duration is shown, instead of that of another run', async (t) => {
  const { end, readJob } = await setup(t);
  await end('success', { durationMs: 7 });
  assert.equal((await readJob()).lastDurationMs, 7);
  await end('interrupted', { detail: 'x', durationMs: null });
  assert.equal((await readJob()).lastDurationMs, null);
});

test('a batch is recorded as a whole, each run with its own outcome', async (t) => {
  const { store, addJob } = await openTestStore(t);
  const jobs = await Promise.all(Array.from({ length: 300 }, () => addJob()));
  const runs = jobs.map((job) => startingRun(job.id, 1_000));
  await beginRuns(store.db, ...runs);
  const statuses = ['success', 'failed', 'interrupted'] as const;
  await recordEndedRuns(
    store.db,
    runs.map((run, index) =>
      endedRun({ ...run, runId: run.id }, statuses[index % 3] ?? 'success', { attempts: index }),
    ),
  );
  for (const [index, { id, jobId }] of runs.entries()) {
    const run = await findRun(store.db, jobId, id);
    assert.deepEqual([run?.status, run?.attempts], [statuses[index % 3], index]);
  }
});

test('every character of an answer is stored, NUL and line separators included', async (t) => {
  const { end, readRun } = await setup(t);
  const every = String.fromCharCode(...Array.from({ length: 0x800 }, (_, code) => code));
  for (const body of [
    '',
    'a\0b\0',
    '😀 👩‍👩‍👧 é e\u0301',
    'line\u2028paragraph\u2029end',
    '\ufeffbom \ufffe \uffff \u{10ffff}',
    `"quotes" \\u0000 \\ ' $1 %s null`,
    '{"value":[1,2]}',
    'x'.repeat(4_096),
    every,
  ]) {
    const { runId } = await end('success', { responseBody: body });
    assert.equal((await readRun(runId)).responseBody, body, JSON.stringify(body.slice(0, 40)));
  }
});

test('a lone surrogate, which a database cannot store, becomes one U+FFFD', async (t) => {
  const { end, readRun, readJob } = await setup(t);
  const { runId } = await end('failed', { responseBody: 'a\ud800b\udc00', detail: 'of \udbff' });
  const { responseBody, detail } = await readRun(runId);
  assert.deepEqual([responseBody, detail], ['a\ufffdb\ufffd', 'of \ufffd']);
  assert.equal((await readJob()).downReason, `http: ${detail}`);
});

test('the call of a run that waited for a report is in flight until its answer, not until the report', async (t) => {
  const { db, end, job } = await setup(t);
  const { runId } = await end('success', { finishedAt: 9_000, httpStatus: 202 });
  const wait = { run_id: runId, accepted_at: 3_000, expires_at: 10_000, due_at: null };
  await db.insertInto('reports').values(wait).execute();
  const inFlightAt = async (at: number): Promise<number> => {
    const span = { at, since: 0, host: '', except: null };
    return (await countInFlight(db, job.workspaceId, span)).all;
  };
  assert.deepEqual([await inFlightAt(2_500), await inFlightAt(5_000)], [1, 0]);
});

test('the call of an interrupted run is not said to be in flight until that was noticed', async (t) => {
  const { db, end, job } = await setup(t);
  const inFlight = async (): Promise<number> => {
    const span = { at: 3_500, since: 0, host: '', except: null };
    return (await countInFlight(db, job.workspaceId, span)).all;
  };
  await end('interrupted', { finishedAt: 9_000, httpStatus: null, reason: 'cut_off' });
  assert.equal(await inFlight(), 0);
  await end('success', { finishedAt: 9_000 });
  assert.equal(await inFlight(), 1);
});

test('the call of a node that does not answer counts as in flight no more', async (t) => {
  const { db, start, job } = await setup(t);
  await start();
  const { workspaceId } = job;
  const span = { at: 5_000, since: 0, host: '', except: null };
  assert.equal((await countInFlight(db, workspaceId, span)).all, 1);
  const node = {
    id: 'n1',
    host: 'h',
    pid: 1,
    version: '1',
    slots: 1,
    settings: '{}',
    master_keys: '[]',
  };
  const times = { started_at: 1, serving_since: 1, expires_at: 2 };
  await db
    .insertInto('nodes')
    .values({ ...node, ...times })
    .execute();
  await db.updateTable('jobs').set({ active_node_id: 'n1' }).execute();
  assert.equal((await countInFlight(db, workspaceId, span)).all, 0);
});
