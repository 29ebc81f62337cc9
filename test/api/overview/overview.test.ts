/** The overview of a workspace over HTTP: counts, lists, runs, and what they never show. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { addAccount } from '../../support/records/account.ts';
import { monitorsOf, ping } from '../../support/records/monitor.ts';
import { startSteadyDaemon, type TestDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

const refused = 'http://127.0.0.1:1/';

/** Makes a job that never falls due, and runs it once. */
async function ranJob({ ask }: TestDaemon, input: object): Promise<string> {
  const { status, body } = await ask('POST', '/jobs', { cronExpr: '0 0 1 1 *', ...input });
  assert.equal(status, 201, body.error);
  const { id } = body.job;
  await ask('POST', `/jobs/${id}/run`);
  await until('its result', async () => {
    const { job } = (await ask('GET', `/jobs/${id}`)).body;
    return job.lastDurationMs !== null;
  });
  return id;
}

test('the overview counts jobs by state, and says when it counted', async (t) => {
  const { daemon, clock, ask } = await startSteadyDaemon(t, '2026-03-02T10:00:00Z');
  const sink = await startSink(t);
  const none = { total: 0, down: 0, running: 0, up: 0, paused: 0, new: 0 };
  assert.deepEqual((await ask('GET', '/overview')).body.overview, {
    jobs: none,
    monitors: { total: 0, down: 0, late: 0, up: 0, paused: 0, new: 0, isPartial: false },
    lastDay: { failed: 0, interrupted: 0, missed: 0, isPartial: false },
    mutes: [],
    holds: [],
    asOf: '2026-03-02T10:00:00.000Z',
  });
  await ranJob(daemon, { name: 'down', url: refused });
  await ranJob(daemon, { name: 'up', url: sink.url });
  await ask('POST', '/jobs', { name: 'new', url: refused, cronExpr: '0 0 1 1 *' });
  await ask('POST', '/jobs', { name: 'paused', url: refused, paused: true });
  const { createMonitor } = monitorsOf(daemon);
  await ping((await createMonitor()).pingUrl);
  const pinged = await createMonitor({ graceSeconds: 7_200 });
  await ping(pinged.pingUrl);
  await createMonitor();

  const counts = async () => (await ask('GET', '/overview')).body.overview;
  assert.deepEqual((await counts()).jobs, none, 'viewers share what was counted in this second');
  clock.advance(1_001);
  const { jobs, monitors, lastDay } = await counts();
  assert.deepEqual(jobs, { total: 4, down: 1, running: 0, up: 1, paused: 1, new: 1 });
  assert.deepEqual([monitors.total, monitors.up, monitors.new], [3, 2, 1]);
  assert.deepEqual(lastDay, { failed: 1, interrupted: 0, missed: 0, isPartial: false });
});

test('a job that runs stays in its state, and is running besides', async (t) => {
  const { daemon, clock, ask } = await startSteadyDaemon(t);
  const sink = await startHeldSink(t);
  const id = await ranJob(daemon, { name: 'a', url: refused });
  await ask('PATCH', `/jobs/${id}`, { url: sink.url });
  clock.advance(60_001);
  await ask('POST', `/jobs/${id}/run`);
  await sink.waitFor(1);
  clock.advance(1_001);
  const { jobs } = (await ask('GET', '/overview')).body.overview;
  assert.deepEqual([jobs.down, jobs.running, jobs.up], [1, 1, 0]);
  for (const status of ['down', 'running']) {
    const found = (await ask('GET', `/overview/jobs?status=${status}`)).body.jobs;
    assert.deepEqual(
      found.map((job: Record<string, unknown>) => [job['status'], job['health'], job['recent']]),
      [['running', 'down', ['failed', 'running']]],
    );
    const { id: runId, ...run } = found[0].run;
    const [active] = (await ask('GET', `/jobs/${id}/runs?limit=1`)).body.runs;
    const progress = { percent: null, line: null, progressAt: null };
    assert.deepEqual([runId, run], [active.id, { startedAt: active.startedAt, ...progress }]);
  }
  sink.release();
});

test('a list shows what a page needs of a job, and neither bodies nor notes nor headers', async (t) => {
  const { daemon, ask } = await startSteadyDaemon(t, '2026-03-02T10:00:00Z');
  const sink = await startSink(t);
  const canary = 'canary-4711';
  const secrets = { notes: canary, method: 'POST', body: canary, headers: { 'X-A': canary } };
  const job = { name: 'Nightly', url: sink.url, cronExpr: '30 2 * * *', timezone: 'Europe/Paris' };
  const definitions = { jobs: [{ key: 'nightly', ...job, ...secrets }] };
  const [made] = (await ask('POST', '/definitions', definitions)).body.changes;
  const first = await ask('GET', '/overview/jobs');
  assert.deepEqual(first.body, {
    jobs: [
      {
        id: made.id,
        ...job,
        method: 'POST',
        scheduleType: 'cron',
        periodSeconds: null,
        scheduleWords: 'At 02:30, every day',
        paused: false,
        status: 'new',
        health: 'new',
        nextRunAt: '2026-03-03T01:30:00.000Z',
        lastRunAt: null,
        lastDurationMs: null,
        downReason: null,
        failures: 0,
        failingSince: null,
        key: 'nightly',
        recent: [],
      },
    ],
    nextCursor: null,
    isPartial: false,
  });
  assert.ok(!JSON.stringify(first.body).includes(canary));
  const read = await ask('GET', '/overview/jobs', undefined, await daemon.newKey('read'));
  assert.deepEqual(read.body, first.body, 'a key that may only read sees the same');
  const one = await ask('GET', `/overview/jobs/${made.id}`);
  assert.deepEqual(one.body, { job: first.body.jobs[0] }, 'one job alone is the same');
  const none = await ask('GET', '/overview/jobs/00000000-0000-7000-8000-000000000000');
  assertRefused(none, 404, /there is no job with id/);
});

test('a job has been failing since its first failure, until a success', async (t) => {
  const { daemon, clock, ask } = await startSteadyDaemon(t, '2026-03-02T10:00:00Z');
  const sink = await startSink(t);
  const id = await ranJob(daemon, { name: 'a', url: refused });
  const seen = async () => {
    const [job] = (await ask('GET', '/overview/jobs')).body.jobs;
    return [job.failures, job.failingSince, job.health];
  };
  const again = async (count: number): Promise<void> => {
    clock.advance(60_001);
    await ask('POST', `/jobs/${id}/run`);
    await until('its result', async () => {
      const { totals } = (await ask('GET', `/jobs/${id}/runs`)).body;
      return totals.failed + totals.success === count;
    });
  };
  const [{ finishedAt: since }] = (await ask('GET', `/jobs/${id}/runs`)).body.runs;
  assert.deepEqual(await seen(), [1, since, 'down']);
  await again(2);
  assert.deepEqual(await seen(), [2, since, 'down']);
  await ask('PATCH', `/jobs/${id}`, { name: 'b', url: sink.url });
  assert.deepEqual(await seen(), [2, since, 'down'], 'an edit is no success');
  await again(3);
  assert.deepEqual(await seen(), [0, null, 'up']);
});

test('a list of jobs is filtered, searched and ordered; its cursors fit no other order', async (t) => {
  const { ask } = await startSteadyDaemon(t);
  const names = ['b', 'A', 'a_1', 'a%1', '50\\50'];
  for (const [hour, name] of names.entries()) {
    const input = { name, url: refused, cronExpr: `0 ${23 - hour} * * *` };
    assert.equal((await ask('POST', '/jobs', input)).status, 201);
  }
  const list = async (query: string): Promise<string[]> => {
    const { status, body } = await ask('GET', `/overview/jobs?${query}`);
    assert.equal(status, 200, body.error);
    return body.jobs.map((job: { name: string }) => job.name);
  };
  assert.deepEqual(await list(''), names.toReversed());
  assert.deepEqual(await list('order=name'), ['50\\50', 'A', 'a%1', 'a_1', 'b']);
  assert.deepEqual(await list('order=due'), names.toReversed());
  assert.deepEqual(await list('q=%25'), ['a%1'], 'a percent sign is no wildcard');
  assert.deepEqual(await list('q=_'), ['a_1']);
  assert.deepEqual(await list('q=%5C'), ['50\\50']);
  assert.deepEqual(await list('q=A&order=name&limit=2'), ['A', 'a%1']);
  assert.deepEqual(await list('q='), names.toReversed());
  assert.deepEqual(await list(`q=${'a'.repeat(200)}`), []);
  const long = await ask('GET', `/overview/jobs?q=${'a'.repeat(201)}`);
  assertRefused(long, 400, /^q must be at most 200 characters/, 'a long text');
  assert.deepEqual(await list('status=paused'), []);
  assert.deepEqual(await list('status=missed'), []);

  const { nextCursor } = (await ask('GET', '/overview/jobs?order=name&limit=2')).body;
  assert.deepEqual(await list(`order=name&limit=2&cursor=${nextCursor}`), ['a%1', 'a_1']);
  for (const other of ['order=due', 'order=newest', 'status=missed']) {
    const answer = await ask('GET', `/overview/jobs?${other}&cursor=${nextCursor}`);
    assertRefused(answer, 400, /cursor must be a nextCursor of this list/, other);
  }
  const named = await ask('GET', '/overview/jobs?status=missed&order=name');
  assertRefused(named, 400, /order must be newest with the status missed, got name/, 'missed');
  assertRefused(await ask('GET', '/overview/jobs?status=late'), 400, /status/, 'no such status');
  assertRefused(await ask('GET', '/overview/jobs?sort=a'), 400, /sort/, 'no such parameter');
});

test('monitors are listed with their last pings, and since when they are as they are', async (t) => {
  const { daemon, clock, ask } = await startSteadyDaemon(t, '2026-03-02T10:00:00Z');
  const { createMonitor } = monitorsOf(daemon);
  const every = { scheduleType: 'period', periodSeconds: 3_600, graceSeconds: 600 };
  const late = await createMonitor({ name: 'Late', ...every });
  const down = await createMonitor({ name: 'Down', ...every });
  await createMonitor({ name: 'New', ...every });
  for (const end of ['/start', '', '/3', '']) await ping(late.pingUrl + end);
  clock.advance(60_000);
  await ping(`${down.pingUrl}/fail`);
  clock.advance(3_540_000);
  const list = async (query = '') => {
    const { monitors } = (await ask('GET', `/overview/monitors${query}`)).body;
    return monitors.map((one: Record<string, unknown>) => [
      one['name'],
      one['status'],
      one['since'],
      one['recent'],
    ]);
  };
  const rows = [
    ['New', 'new', null, []],
    ['Down', 'down', '2026-03-02T10:01:00.000Z', ['fail']],
    ['Late', 'late', '2026-03-02T11:00:00.000Z', ['success', 'fail', 'success']],
  ];
  assert.deepEqual(await list(), rows);
  assert.deepEqual(await list('?status=late'), [rows[2]]);
  assert.deepEqual(await list('?status=up'), []);
  assert.deepEqual(await list('?q=DOWN'), [rows[1]]);
  const text = JSON.stringify((await ask('GET', '/overview/monitors')).body);
  assert.ok(!text.includes('/ping/') && !text.includes('pingUrl'), 'no ping URL');
});

test('trouble is what was no success, with its job; it goes with the job', async (t) => {
  const { daemon, clock, ask } = await startSteadyDaemon(t);
  const sink = await startSink(t);
  const first = await ranJob(daemon, { name: 'first', url: refused });
  clock.advance(60_001);
  const second = await ranJob(daemon, { name: 'second', url: refused });
  await ranJob(daemon, { name: 'fine', url: sink.url });
  const { runs } = (await ask('GET', '/runs?status=failed,interrupted,missed')).body;
  assert.deepEqual(
    runs.map((run: { job: object }) => run.job),
    [
      { id: second, name: 'second' },
      { id: first, name: 'first' },
    ],
  );
  const [kept] = (await ask('GET', `/jobs/${second}/runs`)).body.runs;
  const { jobId: _, responseBody: __, truncated: ___, ...summary } = kept;
  assert.deepEqual(runs[0], { ...summary, job: { id: second, name: 'second' } });
  const page = (await ask('GET', '/runs?status=failed&limit=1')).body;
  const next = (await ask('GET', `/runs?status=failed&limit=1&cursor=${page.nextCursor}`)).body;
  assert.deepEqual([page.runs[0], next.runs[0], next.nextCursor], [...runs, null]);
  await ask('DELETE', `/jobs/${second}`);
  assert.equal((await ask('GET', '/runs?status=failed,interrupted,missed')).body.runs.length, 1);
});

test('nothing of an expired account is due, and its overview can still be read', async (t) => {
  const { daemon, clock } = await startSteadyDaemon(t);
  const account = await addAccount(daemon, clock, 'pro', 14);
  await account.ask('POST', '/jobs', { name: 'a', url: refused, cronExpr: '0 0 1 1 *' });
  const due = async () => (await account.ask('GET', '/overview/jobs')).body.jobs[0].nextRunAt;
  assert.notEqual(await due(), null);
  clock.advance(15 * 86_400_000);
  assert.equal(await due(), null);
  assert.equal((await account.ask('GET', '/overview')).body.overview.jobs.total, 1);
});
