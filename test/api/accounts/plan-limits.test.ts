/** The limits of each plan, tested at, below and above every limit (docs/behavior.md#plans). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJob } from '../../../src/app/jobs/jobs.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { plans, type PlanName } from '../../../src/domain/accounts/plan.ts';
import { addAccount } from '../../support/records/account.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { quietApp } from '../../support/running/app.ts';
import { writerIn } from '../../support/records/principal.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { until } from '../../support/until.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';

/** Due once a year, so that no test calls it. */
const rare = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };
const period = (periodSeconds: number) => ({ scheduleType: 'period', periodSeconds, paused: true });
const cron = (cronExpr: string) => ({ cronExpr, paused: true });

type Row = [plan: PlanName, input: object, refusal: RegExp | null, status?: number];

/** A refusal is 403 unless another status is given. It names the limit, the plan and the number. */
const rows: readonly Row[] = [
  ['free', { timeoutSeconds: 9 }, null],
  ['free', { timeoutSeconds: 10 }, null],
  ['free', { timeoutSeconds: 11 }, /timeoutSeconds must be at most 10 on the plan free, got 11/],
  ['pro', { timeoutSeconds: 29 }, null],
  ['pro', { timeoutSeconds: 30 }, null],
  ['pro', { timeoutSeconds: 31 }, /timeoutSeconds must be at most 30 on the plan pro, got 31/],
  ['business', { timeoutSeconds: 59 }, null],
  ['business', { timeoutSeconds: 60 }, null],
  ['business', { timeoutSeconds: 61 }, /timeoutSeconds must be between 1 and 60, got 61/, 400],
  ['self-hosted', { timeoutSeconds: 59 }, null],
  ['self-hosted', { timeoutSeconds: 60 }, null],
  ['self-hosted', { timeoutSeconds: 61 }, /timeoutSeconds must be between 1 and 60, got 61/, 400],

  ['free', period(299), /periodSeconds must be at least 300 on the plan free, got 299/],
  ['free', period(300), null],
  ['free', period(301), null],
  ['pro', period(59), /periodSeconds must be between 60 and 31536000, got 59/, 400],
  ['pro', period(60), null],
  ['pro', period(61), null],
  ['business', period(59), /periodSeconds must be between 60 and 31536000, got 59/, 400],
  ['business', period(60), null],
  ['business', period(61), null],
  ['self-hosted', period(59), /periodSeconds must be between 60 and 31536000, got 59/, 400],
  ['self-hosted', period(60), null],
  ['self-hosted', period(61), null],

  ['free', cron('*/4 * * * *'), /at least 300 s between due times on the plan free, got 240 s/],
  ['free', cron('*/5 * * * *'), null],
  ['free', cron('*/6 * * * *'), null],
  ['free', cron('0,56 * * * *'), /on the plan free, got 240 s/],
  ['free', cron('0,55 * * * *'), null],
  ['free', cron('58 23 * * *'), null],
  ['free', cron('0-1 0 29 2 *'), /on the plan free, got 60 s/],
  ['free', { ...cron('* * * * *'), ...period(300) }, /cronExpr has no effect/, 400],
  ['pro', cron('* * * * *'), null],
  ['business', cron('* * * * *'), null],
  ['self-hosted', cron('* * * * *'), null],
];

test('a timeout or interval beyond the plan is refused when a job is created or changed', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  for (const [plan, input, refusal, status = 403] of rows) {
    const { ask } = await addAccount(daemon, clock, plan);
    const what = `${plan} ${JSON.stringify(input)}`;
    const { name, url } = rare;
    const isPeriod = 'scheduleType' in input;
    const made = await ask('POST', '/jobs', { ...(isPeriod ? { name, url } : rare), ...input });
    const { job } = (await ask('POST', '/jobs', { ...rare, paused: true })).body;
    const { paused: _, ...change } = { paused: true, ...input };
    const changed = await ask('PATCH', `/jobs/${job.id}`, change);
    if (refusal === null) {
      assert.deepEqual([made.status, changed.status], [201, 200], what);
      for (const [field, value] of Object.entries(change)) {
        assert.deepEqual([made.body.job[field], changed.body.job[field]], [value, value], what);
      }
    } else {
      assertRefused(made, status, refusal, `create ${what}`);
      assertRefused(changed, status, refusal, `update ${what}`);
      assert.deepEqual((await ask('GET', `/jobs/${job.id}`)).body.job, job, 'it is as it was');
      assert.equal((await ask('GET', '/jobs')).body.jobs.length, 1, 'nothing was made');
    }
  }
});

test('a one-time job does not get a schedule that the plan refuses', async (t) => {
  const clock = fakeClock();
  const { ask } = await addAccount(await startTestDaemon(t, { clock }), clock, 'free');
  const runAt = new Date(clock.now() + 86_400_000).toISOString();
  const { job } = (await ask('POST', '/jobs', { ...rare, cronExpr: '* * * * *', runAt })).body;
  const refused = await ask('PATCH', `/jobs/${job.id}`, { runAt: null });
  assertRefused(refused, 403, /at least 300 s between due times on the plan free/, 'the rule');
});

const iso = (at: number): string => new Date(at).toISOString();

test('who sets runAt again and again calls no more often than by hand', async (t) => {
  const { clock, ask } = await startClockedDaemon(t);
  const { job } = (await ask('POST', '/jobs', { ...rare, runAt: iso(clock.now()) })).body;
  const path = `/jobs/${job.id}`;
  clock.advance(10);
  const read = async () => (await ask('GET', path)).body.job;
  const called = await until('the end of its call', async () => {
    const { lastRunAt, status } = await read();
    return status === 'down' && Date.parse(lastRunAt);
  });
  const early = await ask('PATCH', path, { runAt: iso(called + 59_000) });
  assertRefused(early, 429, /a minute after its last call: again in 1 s/, 'early');
  assert.equal((await ask('PATCH', path, { runAt: iso(called + 60_000) })).status, 200);
});

test('the default timeout is 30 s, or the maximum of the plan', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  for (const [plan, seconds] of [
    ['free', 10],
    ['pro', 30],
    ['business', 30],
    ['self-hosted', 30],
  ] as const) {
    const { ask } = await addAccount(daemon, clock, plan);
    assert.equal((await ask('POST', '/jobs', rare)).body.job.timeoutSeconds, seconds, plan);
  }
});

for (const { name: plan, jobs } of Object.values(plans)) {
  test(`the plan ${plan} allows ${jobs ?? 'any number of'} jobs`, async (t) => {
    const { daemon, clock } = await startClockedDaemon(t);
    const { ask, fill } = await addAccount(daemon, clock, plan);
    await fill((jobs ?? 1_002) - 2);
    assert.equal((await ask('POST', '/jobs', { ...rare, paused: true })).status, 201, 'below');
    const last = await ask('POST', '/jobs', rare);
    assert.equal(last.status, 201, 'at the limit');
    const more = await ask('POST', '/jobs', { ...rare, paused: true });
    if (jobs === null) return assert.equal(more.status, 201);
    const words = `^the plan ${plan} allows ${jobs} jobs and monitors .*, the account has ${jobs}$`;
    assertRefused(more, 403, new RegExp(words), 'above');
    assert.equal((await ask('DELETE', `/jobs/${last.body.job.id}`)).status, 200);
    assert.equal((await ask('POST', '/jobs', rare)).status, 201, 'deleted jobs do not count');
    assert.equal((await ask('POST', '/jobs', rare)).status, 403);
  });
}

test('the job limit counts all workspaces of an account, and no other account', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const account = await addAccount(daemon, clock, 'free');
  const second = await account.addWorkspace();
  await account.fill(9);
  assert.equal((await daemon.ask('POST', '/jobs', rare, second)).status, 201);
  const words = /allows 10 jobs .* has 10$/;
  assertRefused(await account.ask('POST', '/jobs', rare), 403, words, 'the first workspace');
  assertRefused(await daemon.ask('POST', '/jobs', rare, second), 403, words, 'the second');
  for (const key of [account.key, second]) {
    assert.equal((await daemon.ask('GET', '/me', undefined, key)).body.usage.jobs, 10);
  }
  const other = await addAccount(daemon, clock, 'free');
  assert.equal((await other.ask('POST', '/jobs', rare)).status, 201);
});

test('of 50 jobs created at once with one place left, exactly one is created', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { key, fill, ask } = await addAccount(daemon, clock, 'pro');
  await fill(99);
  clock.pass(60_001);
  const asked = Array.from({ length: 50 }, () => daemon.ask('POST', '/jobs', rare, key));
  const answers = await Promise.all(asked);
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  assert.deepEqual([count(201), count(403)], [1, 49]);
  const me = await ask('GET', '/me');
  assert.equal(me.body.usage.jobs, 100);
});

test('the job limit also holds for concurrent writers on several connections', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { workspaceId, fill, ask } = await addAccount(daemon, clock, 'pro');
  await fill(99);
  const opened = await Promise.all([1, 2, 3].map(() => openTestLocal(daemon.dataDir, clock)));
  await using parts = new AsyncDisposableStack();
  for (const local of opened) parts.use(local);
  const apps = opened.map(({ store }) => quietApp({ store, clock }));
  const principal = writerIn(workspaceId);
  const input = { ...rare, url: 'https://example.com/' };
  const attempts = Array.from({ length: 50 }, (_, index) =>
    createJob(apps[index % 3] ?? assert.fail(), principal, input),
  );
  const results = await Promise.allSettled(attempts);
  const failures = results.filter((result) => result.status === 'rejected');
  const messages = new Set(failures.map(({ reason }) => (reason as Error).message));
  const words = 'the plan pro allows 100 jobs and monitors together, the account has 100';
  assert.deepEqual([failures.length, [...messages]], [49, [words]]);
  assert.equal((await ask('GET', '/me')).body.usage.jobs, 100);
});

test('after a downgrade existing jobs keep running; new ones must fit the smaller plan', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { ask, fill, setPlan } = await addAccount(daemon, clock, 'pro');
  await fill(20);
  const input = { ...rare, cronExpr: '* * * * *', timeoutSeconds: 30 };
  const { job } = (await ask('POST', '/jobs', input)).body;
  const { job: paused } = (await ask('POST', '/jobs', { ...rare, paused: true })).body;
  await setPlan('free');
  const path = `/jobs/${job.id}`;
  assert.deepEqual((await ask('GET', path)).body.job, job, 'nothing changed by itself');
  assertRefused(await ask('POST', '/jobs', rare), 403, /allows 10 jobs.* has 22$/, 'one more');

  const renamed = await ask('PATCH', path, { ...input, paused: undefined, name: 'b' });
  assert.equal(renamed.status, 200, 'a limit is looked at where something changes');
  assert.equal(renamed.body.job.nextRunAt, job.nextRunAt);
  assertRefused(await ask('PATCH', path, { timeoutSeconds: 29 }), 403, /at most 10/, 'timeout');
  assertRefused(await ask('PATCH', path, { cronExpr: '*/2 * * * *' }), 403, /300 s/, 'interval');
  assert.equal((await ask('PATCH', path, { timeoutSeconds: 10 })).status, 200);

  const resumed = await ask('PATCH', `/jobs/${paused.id}`, { action: 'resume' });
  assert.equal(resumed.status, 200, 'it has counted all the time');
  assert.equal((await ask('PATCH', path, { action: 'pause' })).status, 200);
  assertRefused(await ask('PATCH', path, { action: 'resume' }), 403, /300 s/, 'resume');
  const both = { action: 'resume', cronExpr: '*/5 * * * *' };
  assert.equal((await ask('PATCH', path, both)).status, 200);
});
