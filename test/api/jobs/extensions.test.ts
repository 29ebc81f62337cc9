import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLocal } from '../../support/running/local.ts';
import { addAccount } from '../../support/records/account.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

const url = 'http://127.0.0.1:1/';
const nightly = { name: 'a', url, cronExpr: '30 2 * * *', timezone: 'Europe/Paris' };

test('a read key sees when a job is due, in words and times, as the job itself says', async (t) => {
  const { ask, newKey } = await startTestDaemon(t, { clock: fakeClock('2026-03-28T00:00:00Z') });
  const { job } = (await ask('POST', '/jobs', nightly)).body;
  const path = `/jobs/${job.id}/due-times?count=2`;
  const { body } = await ask('GET', path, undefined, await newKey('read'));
  assert.deepEqual(body, {
    words: 'At 02:30, every day',
    next: ['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z'],
    notes: ['2026-03-29 02:30 does not exist in Europe/Paris; runs at 03:00 instead'],
  });
  assert.equal(body.next[0], job.nextRunAt);
});

test('the due times of a period begin with that of the job', async (t) => {
  const { clock, ask } = await startClockedDaemon(t);
  const input = { name: 'a', url, scheduleType: 'period', periodSeconds: 5_400 };
  const { job } = (await ask('POST', '/jobs', input)).body;
  clock.advance(60_001);
  const { body } = await ask('GET', `/jobs/${job.id}/due-times`);
  const first = Date.parse(job.nextRunAt);
  const expected = [0, 1, 2, 3, 4].map((count) => new Date(first + count * 5_400_000));
  assert.deepEqual(body, {
    words: 'Every 90 minutes',
    next: expected.map((at) => at.toISOString()),
    notes: [],
  });
});

test('a job that is not called on schedule has no due times, and a note says why', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const account = await addAccount(daemon, clock, 'pro', 14);
  const { job } = (await account.ask('POST', '/jobs', nightly)).body;
  const dueTimes = async () => (await account.ask('GET', `/jobs/${job.id}/due-times`)).body;
  assert.equal((await dueTimes()).next.length, 5);
  await account.ask('PATCH', `/jobs/${job.id}`, { action: 'pause' });
  const paused = 'the job is paused: it is called again once it is resumed';
  const words = 'At 02:30, every day';
  assert.deepEqual(await dueTimes(), { words, next: [], notes: [paused] });
  clock.advance(15 * 86_400_000);
  const expired = 'the account has expired: its jobs are called again once it is renewed';
  assert.deepEqual(await dueTimes(), { words, next: [], notes: [expired, paused] });
});

test('a one-time job says when it deletes itself, before and after its run', async (t) => {
  const { clock, ask, followClock } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  const { job } = (
    await ask('POST', '/jobs', { name: 'a', url, timezone: 'UTC', runAt: '2026-03-02T11:00:00Z' })
  ).body;
  const dueTimes = async () => (await ask('GET', `/jobs/${job.id}/due-times`)).body;
  assert.deepEqual((await dueTimes()).notes, ['it deletes itself 7 d after its last run']);
  clock.set('2026-03-02T11:00:00Z');
  await followClock();
  await until('the end of its run', async () => {
    const { runs } = (await ask('GET', `/jobs/${job.id}/runs`)).body;
    return runs[0]?.status === 'failed';
  });
  const [over, deletion] = (await dueTimes()).notes;
  assert.match(over, /^due once, at Mon 2 Mar 2026 11:00 \+00:00, and not again$/);
  assert.match(deletion, /^it deletes itself after Mon 9 Mar 2026 11:00(?::\d+)? \+00:00$/);
});

test('a text to read that is longer than a command is refused, with what to do', async (t) => {
  const { ask } = await startTestDaemon(t);
  const read = async (length: number) =>
    ask('POST', '/jobs/read-command', {
      text: `curl ${url}${'a'.repeat(length)}`.slice(0, length),
    });
  const fits = await read(8_192);
  assert.deepEqual([fits.status, fits.body.kind], [200, 'command']);
  const { status, body } = await read(8_193);
  assert.equal(status, 400);
  assert.match(body.error, /^text must be at most 8192 characters, got 8193: paste one/);
});

test('a copy is called as its original is, with header values that no key can read', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const sink = await startSink(t);
  const input = {
    ...nightly,
    url: sink.url,
    method: 'POST',
    headers: { Authorization: 'Bearer s3cret' },
    body: 'all of it',
    timeoutSeconds: 7,
    retries: 2,
    notes: 'n',
  };
  const jobs = [{ key: 'nightly', ...input }];
  const [{ id: originalId }] = (await ask('POST', '/definitions', { jobs })).body.changes;
  const original = (await ask('GET', `/jobs/${originalId}`)).body.job;
  await ask('POST', `/jobs/${original.id}/run`);
  await until('its result', async () => {
    return (await ask('GET', `/jobs/${original.id}`)).body.job.status === 'up';
  });

  const copied = await ask('POST', `/jobs/${original.id}/copy`, { name: 'b' });
  assert.equal(copied.status, 201);
  const { job } = copied.body;
  const isNew = { paused: true, status: 'paused', nextRunAt: null, lastRunAt: null };
  const { id, createdAt } = job;
  assert.notEqual(id, original.id);
  assert.deepEqual(job, { ...original, name: 'b', id, createdAt, ...isNew, lastDurationMs: null });
  assert.deepEqual((await ask('GET', `/jobs/${id}`)).body.job, job);
  assert.deepEqual((await ask('GET', `/jobs/${id}/runs`)).body.runs, []);
  assert.equal((await ask('GET', '/definitions?kind=job')).body.definitions.length, 1);

  await ask('POST', `/jobs/${id}/run`);
  await until('the call of the copy', async () => sink.received.length === 2);
  const [first, second] = sink.received;
  assert.equal(second?.headers['authorization'], 'Bearer s3cret');
  assert.deepEqual([second?.body, second?.method], [first?.body, first?.method]);
});

test('a copy of a job whose time has passed waits for a later one', async (t) => {
  const { clock, ask } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  const input = { name: 'a', url: 'http://127.0.0.1:1/', runAt: '2026-03-02T11:00:00Z' };
  const { job } = (await ask('POST', '/jobs', input)).body;
  clock.advance(2 * 3_600_000);
  const copied = await ask('POST', `/jobs/${job.id}/copy`, { name: 'b' });
  assert.equal(copied.status, 201, copied.body.error);
  const { id, paused, runAt } = copied.body.job;
  assert.deepEqual([paused, runAt], [true, '2026-03-02T11:00:00.000Z']);
  const resumed = await ask('PATCH', `/jobs/${id}`, { action: 'resume' });
  assertRefused(resumed, 400, /^its runAt, .*, has passed: set a later one$/);
  const later = { runAt: '2026-03-02T13:00:00Z', action: 'resume' };
  assert.equal(
    (await ask('PATCH', `/jobs/${id}`, later)).body.job.nextRunAt,
    '2026-03-02T13:00:00.000Z',
  );
});

test('a copy keeps even the schedule that is not in use, and is sealed for itself', async (t) => {
  const daemon = await startTestDaemon(t, { clock: fakeClock() });
  const { ask } = daemon;
  const input = { ...nightly, headers: { 'X-Token': 's3cret' } };
  const { job } = (await ask('POST', '/jobs', input)).body;
  await ask('PATCH', `/jobs/${job.id}`, { scheduleType: 'period', periodSeconds: 300 });
  const { job: copy } = (await ask('POST', `/jobs/${job.id}/copy`, { name: 'b' })).body;
  assert.deepEqual([copy.cronExpr, copy.periodSeconds], ['30 2 * * *', 300]);

  await using local = await openTestLocal(daemon.dataDir);
  const sealed = await local.store.db.selectFrom('jobs').select('sealed').execute();
  assert.equal(new Set(sealed.map((row) => row.sealed)).size, 2);
  const changed = await ask('PATCH', `/jobs/${copy.id}`, { url: 'http://127.0.0.1:2/' });
  assertRefused(changed, 400, /^headers must be given again/, 'the values stay with their origin');
  assert.equal((await ask('DELETE', `/jobs/${job.id}`)).status, 200);
  assert.equal((await ask('PATCH', `/jobs/${copy.id}`, { method: 'POST' })).status, 200);
});

test('a copy is refused as a new job would be', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const account = await addAccount(daemon, clock, 'business');
  const everyMinute = {
    name: 'a',
    url,
    scheduleType: 'period',
    periodSeconds: 60,
    timeoutSeconds: 9,
  };
  const { job } = (await account.ask('POST', '/jobs', everyMinute)).body;
  const copy = (name: unknown) => account.ask('POST', `/jobs/${job.id}/copy`, { name });
  const refused: [name: unknown, words: RegExp][] = [
    ['', /^name must not be empty$/],
    [' ', /^name must not be blank$/],
    ['x'.repeat(121), /^name must be at most 120 characters, got 121$/],
    [5, /^name must be a string, got 5$/],
    [undefined, /^name is required$/],
  ];
  for (const [name, words] of refused)
    assertRefused(await copy(name), 400, words, `name ${String(name)}`);
  await account.setPlan('free');
  assertRefused(await copy('b'), 403, /must be at least 300 on the plan free, got 60$/, 'interval');
  const { job: slow } = (await account.ask('POST', '/jobs', { name: 'a', url })).body;
  await account.fill(8);
  const full = await account.ask('POST', `/jobs/${slow.id}/copy`, { name: 'b' });
  assertRefused(full, 403, /^the plan free allows 10 jobs and monitors together/, 'a full account');
  const { jobs } = (await account.ask('GET', '/jobs')).body;
  assert.equal(jobs.length, 10, 'nothing was kept');
});
