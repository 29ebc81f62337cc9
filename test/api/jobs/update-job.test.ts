/** Updating and deleting jobs over the API (docs/behavior.md#job-9). */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import type { Job } from '../../../src/api/jobs/contract.ts';
import type { Run } from '../../../src/api/runs/contract.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import {
  startClockedDaemon,
  startTestDaemon,
  type Answer,
  type TestDaemon,
} from '../../support/running/daemon.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { passTheirWait } from '../../support/running/idle.ts';
import { until } from '../../support/until.ts';

const minute = 60_000;

async function addJob({ ask }: TestDaemon, input: object = {}): Promise<Job> {
  const given = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *', ...input };
  const { status, body } = await ask('POST', '/jobs', given);
  assert.equal(status, 201, body.error);
  return body.job;
}

function statusAndBody({ status, body }: Answer): unknown[] {
  return [status, body];
}

/** A job with a call in flight, which ends when `answer` is called. */
async function executingJob(
  t: TestContext,
  daemon: TestDaemon,
): Promise<{ job: Job; answer: () => void }> {
  const waiting: ServerResponse[] = [];
  const sink = await startSink(t, (response) => void waiting.push(response));
  const job = await addJob(daemon, { url: sink.url });
  await daemon.ask('POST', `/jobs/${job.id}/run`);
  await until('the call', () => waiting.length > 0);
  return { job, answer: () => waiting[0]?.end('ok') };
}

test('an update returns the whole job with the given changes', async (t) => {
  const daemon = await startTestDaemon(t, { clock: fakeClock('2026-03-02T10:00:00Z') });
  const job = await addJob(daemon, { headers: { 'X-Old': 'secret' }, notes: 'n' });
  const { status, body } = await daemon.ask('PATCH', `/jobs/${job.id}`, {
    name: 'b',
    headers: { 'X-New': 'secret' },
    timezone: 'utc',
  });
  assert.equal(status, 200);
  const nextRunAt = '2027-01-01T00:00:00.000Z';
  const changed = { name: 'b', headerNames: ['X-New'], timezone: 'UTC', nextRunAt };
  assert.deepEqual(body, { job: { ...job, ...changed } });
  assert.deepEqual((await daemon.ask('GET', `/jobs/${job.id}`)).body, body);
});

test('an invalid update is refused and changes nothing', async (t) => {
  const daemon = await startTestDaemon(t);
  const job = await addJob(daemon);
  const cases: [unknown, number, RegExp][] = [
    [{ paused: true }, 400, /^paused cannot be set, it is false: use action$/],
    [
      { status: 'paused' },
      400,
      /^status cannot be set, it is "new": use action to pause or resume/,
    ],
    [{ id: '0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90' }, 400, /^id cannot be set, it is "/],
    [{ headerNames: ['X-A'] }, 400, /^headerNames cannot be set, it is \[\]: set headers/],
    [{ createdAt: '2026-01-01T00:00:00.000Z' }, 400, /^createdAt cannot be set/],
    [{ periodSeconds: 600 }, 400, /^periodSeconds has no effect while scheduleType is cron/],
    [{ workspaceId: job.id }, 400, /workspaceId is not a known field/],
    [{ action: 'stop' }, 400, /action must be one of pause, resume, got "stop"/],
    [{ name: '' }, 400, /name must not be empty/],
    [{ notes: 7 }, 400, /notes must be a string, got 7/],
    [{ name: 'b', periodSeconds: 59 }, 400, /periodSeconds must be between 60 and 31536000/],
    [{ name: 'b', url: 'http://10.0.0.1/' }, 400, /url .*not public/],
    [{ method: 'POST', body: 'x'.repeat(32_769) }, 413, /body must be at most 32768 characters/],
    [[], 400, /the body must be an object, got an array/],
    [undefined, 400, /the body must be an object/],
  ];
  for (const [update, status, words] of cases) {
    const answer = await daemon.ask('PATCH', `/jobs/${job.id}`, update);
    assertRefused(answer, status, words, JSON.stringify(update));
  }
  assert.deepEqual((await daemon.ask('GET', `/jobs/${job.id}`)).body, { job });
  assert.deepEqual((await daemon.ask('PATCH', `/jobs/${job.id}`, {})).body, { job });
});

test('pause stops the schedule and resume starts it again', async (t) => {
  const daemon = await startTestDaemon(t);
  const job = await addJob(daemon);
  const paused = await daemon.ask('PATCH', `/jobs/${job.id}`, { action: 'pause' });
  assert.deepEqual(paused.body.job, { ...job, paused: true, status: 'paused', nextRunAt: null });
  const resumed = await daemon.ask('PATCH', `/jobs/${job.id}`, { action: 'resume' });
  assert.deepEqual(resumed.body.job, job);
});

test('an update and a deletion wait for the call in flight', async (t) => {
  const daemon = await startTestDaemon(t);
  for (const ask of [
    (id: string) => daemon.ask('PATCH', `/jobs/${id}`, { name: 'b' }),
    (id: string) => daemon.ask('DELETE', `/jobs/${id}`),
  ]) {
    const { job, answer } = await executingJob(t, daemon);
    let answered = false;
    const asked = ask(job.id).then((result) => {
      answered = true;
      return result;
    });
    // The server has read the request once it answers a later one.
    await daemon.ask('GET', `/jobs/${job.id}`);
    assert.equal(answered, false, 'answered while the call was in flight');
    answer();
    assert.equal((await asked).status, 200);
  }
});

test('an update that changes no field does not wait for the call in flight', async (t) => {
  const daemon = await startTestDaemon(t);
  const { job, answer } = await executingJob(t, daemon);
  const path = `/jobs/${job.id}`;
  const { body: read } = await daemon.ask('GET', path);
  // If it waited it would be answered 409.
  for (const update of [read.job, {}, { name: job.name, timezone: 'europe/paris' }]) {
    assert.deepEqual(await daemon.ask('PATCH', path, update).then(statusAndBody), [200, read]);
  }
  const paused = await daemon.ask('PATCH', path, { ...read.job, action: 'pause' });
  assert.deepEqual([paused.status, paused.body.job.paused], [200, true]);
  const wrong = await daemon.ask('PATCH', path, { ...paused.body.job, periodSeconds: 600 });
  assertRefused(wrong, 400, /^periodSeconds has no effect/, 'refused without waiting');
  // Header values cannot be read back, so given ones count as changed.
  const changed = daemon.ask('PATCH', path, { ...paused.body.job, headers: {} });
  await daemon.ask('GET', path);
  answer();
  assert.equal((await changed).status, 200);
});

test('a call longer than 5 s makes an update and a deletion 409; a pause works at once', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { job, answer } = await executingJob(t, daemon);
  const paused = await daemon.ask('PATCH', `/jobs/${job.id}`, { action: 'pause' });
  assert.equal(paused.status, 200);
  assert.equal(paused.body.job.paused, true);
  const answers = Promise.all([
    daemon.ask('PATCH', `/jobs/${job.id}`, { name: 'b', action: 'resume' }),
    daemon.ask('DELETE', `/jobs/${job.id}`),
  ]);
  await passTheirWait(clock, 2);
  const [update, deletion] = await answers;
  const words = /still executing: .* only action pause is taken at once, and then no further run/;
  assertRefused(update, 409, words, 'update');
  assertRefused(deletion, 409, words, 'deletion');
  answer();
  const ended = await until('the end of the run', async () => {
    const { runs } = (await daemon.ask('GET', `/jobs/${job.id}/runs`)).body;
    return runs[0].finishedAt !== null && runs[0];
  });
  assert.equal(ended.status, 'success', 'a call in flight may finish');
});

/** A job that is due again when its current run ends. */
async function busyJob(t: TestContext) {
  const { daemon, clock } = await startClockedDaemon(t);
  const sink = await startHeldSink(t);
  const { id } = await addJob(daemon, { url: sink.url, cronExpr: '* * * * *' });
  clock.advance(minute);
  await sink.waitFor(1);
  clock.advance(minute);
  return { ...daemon, clock, sink, path: `/jobs/${id}` };
}

test('while a run takes longer than the interval, nextRunAt shows the next future due time', async (t) => {
  const { ask, clock, sink, path } = await busyJob(t);
  const shown = async (): Promise<unknown[]> => {
    const { job } = (await ask('GET', path)).body;
    const { jobs } = (await ask('GET', '/jobs')).body;
    // An update without changes is answered while the run executes.
    const updated = (await ask('PATCH', path, {})).body.job;
    return [job, jobs[0], updated].map(({ nextRunAt }) => nextRunAt.slice(11, 16));
  };
  assert.deepEqual(await shown(), ['10:03', '10:03', '10:03']);
  clock.advance(30_000);
  assert.deepEqual(await shown(), ['10:03', '10:03', '10:03']);
  sink.release();
  await sink.waitFor(1);
  sink.release();
  const { runs } = await until('both runs', async () => {
    const { body } = await ask('GET', `${path}/runs`);
    return body.totals.success === 2 && body;
  });
  assert.equal(runs[0].scheduledFor.slice(11, 16), '10:02', 'it was called, late');
  assert.deepEqual(await shown(), ['10:03', '10:03', '10:03']);
});

test('waiting updates go before the next run, which is then called', async (t) => {
  const { ask, sink, path } = await busyJob(t);
  // All of them find the first run in flight and wait.
  const answers = ['b', 'c', 'd'].map((name) => ask('PATCH', path, { name }));
  await ask('GET', path);
  sink.release();
  for (const answer of answers) assert.equal((await answer).status, 200);
  await sink.waitFor(1);
  sink.release();
  const runs = await until('both runs', async () => {
    const found = (await ask('GET', `${path}/runs`)).body.runs as Run[];
    return found.length === 2 && found.every(({ status }) => status === 'success') && found;
  });
  assert.deepEqual(
    runs.map(({ scheduledFor }) => scheduledFor.slice(11, 16)),
    ['10:02', '10:01'],
  );
});

test('a deletion goes before the next run too, and a concurrent update is answered', async (t) => {
  const { ask, sink, path } = await busyJob(t);
  const update = ask('PATCH', path, { name: 'b' });
  const deletion = ask('DELETE', path);
  await ask('GET', path);
  sink.release();
  assert.equal((await deletion).status, 200);
  assert.ok([200, 404].includes((await update).status));
  assert.equal(sink.received.length, 1, 'it is not called again');
});

test('a job under constant updates is still called at each of its due times', async (t) => {
  const { ask, clock, sink, path } = await busyJob(t);
  const over = new AbortController();
  const statuses = new Set<number>();
  const updateOn = async (): Promise<void> => {
    while (!over.signal.aborted) {
      // Spaced for the rate limit.
      clock.pass(1_000);
      statuses.add((await ask('PATCH', path, { notes: 'n' })).status);
    }
  };
  const updating = Array.from({ length: 8 }, updateOn);
  for (let calls = 2; calls < 5; calls += 1) {
    if (calls > 2) clock.advance(minute);
    sink.release();
    await until(`${calls} calls`, () => sink.received.length === calls);
  }
  over.abort();
  sink.release();
  await Promise.all(updating);
  const { runs } = (await ask('GET', `${path}/runs`)).body;
  assert.ok((runs as Run[]).every(({ status }) => status !== 'missed'));
  assert.ok(statuses.has(200));
});

test('a deleted job and its runs can no longer be read by any key', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t);
  const job = await addJob(daemon, { url: sink.url });
  const { run } = (await daemon.ask('POST', `/jobs/${job.id}/run`)).body;
  await until('the run', async () => {
    const found = await daemon.ask('GET', `/jobs/${job.id}/runs/${run.id}`);
    return found.body.run.finishedAt;
  });
  const { status, body } = await daemon.ask('DELETE', `/jobs/${job.id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { ok: true });
  for (const [method, path] of [
    ['GET', `/jobs/${job.id}`],
    ['PATCH', `/jobs/${job.id}`],
    ['DELETE', `/jobs/${job.id}`],
    ['POST', `/jobs/${job.id}/run`],
    ['GET', `/jobs/${job.id}/runs`],
    ['GET', `/jobs/${job.id}/runs/${run.id}`],
  ] as const) {
    const answer = await daemon.ask(method, path, method === 'PATCH' ? {} : undefined);
    assertRefused(answer, 404, /there is no job with id/, `${method} ${path}`);
  }
  assert.deepEqual((await daemon.ask('GET', '/jobs')).body, { jobs: [], nextCursor: null });
});

test('a deletion with an empty JSON body is accepted', async (t) => {
  const daemon = await startTestDaemon(t);
  const job = await addJob(daemon);
  const response = await fetch(`${daemon.url}/api/v1/jobs/${job.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${daemon.key}`, 'content-type': 'application/json' },
  });
  assert.equal(response.status, 200);
});

test("a key with write permission cannot redirect a job's headers to its own server", async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = daemon;
  const own = await startSink(t);
  const thief = await startSink(t);
  const job = await addJob(daemon, { url: own.url, headers: { Authorization: 'Bearer s3cret' } });
  const path = `/jobs/${job.id}`;
  const { headerNames } = job;
  for (const more of [{}, { body: null }, { method: 'POST', body: 'x' }, { headerNames }]) {
    const moved = await ask('PATCH', path, { url: thief.url, ...more });
    assertRefused(moved, 400, /^headers must be given again, or {} to remove them, when url/, '');
  }
  // A definition sets the whole job, headers included.
  const jobs = [{ key: 'a', adopt: job.id, name: 'a', url: thief.url }];
  const applied = await ask('POST', '/definitions', { jobs });
  assert.deepEqual(applied.body.changes[0].hidden, ['Authorization']);
  const given = { url: `${own.url}/a`, headers: { 'X-A': '1' } };
  assert.equal((await ask('PATCH', path, given)).status, 200);
  assert.equal((await ask('PATCH', path, { url: `${own.url}/b` })).status, 200, 'the same origin');
  const removed = await ask('PATCH', path, { url: thief.url, headers: {} });
  assert.deepEqual([removed.status, removed.body.job.headerNames], [200, []]);
  await ask('POST', `${path}/run`);
  await until('the call', () => thief.received.length === 1);
  assert.doesNotMatch(JSON.stringify(thief.received[0]?.headers), /s3cret|x-a/);
});
