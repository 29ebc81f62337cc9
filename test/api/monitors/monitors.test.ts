/** Monitors over the API: create, page, change, pause and delete them, and plan limits. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Monitor, Ping } from '../../../src/api/monitors/contract.ts';
import { addAccount } from '../../support/records/account.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { each } from '../../support/each.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';
import { monitorsOf, ping } from '../../support/records/monitor.ts';
import { until } from '../../support/until.ts';

const hourly = { cronExpr: '0 * * * *', timezone: 'UTC' };

test('a name is enough for a monitor; the rest has defaults', async (t) => {
  const daemon = await startTestDaemon(t, { clock: fakeClock('2026-03-02T10:00:00Z') });
  const { createMonitor, readMonitor } = monitorsOf(daemon);
  const monitor = await createMonitor({ name: 'a' });
  const { id, pingUrl, ...rest } = monitor;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.ok(pingUrl.startsWith(`${daemon.url}/ping/`));
  assert.deepEqual(rest, {
    name: 'a',
    scheduleType: 'cron',
    cronExpr: '0 * * * *',
    timezone: 'Europe/Paris',
    periodSeconds: null,
    graceSeconds: 300,
    status: 'new',
    downReason: null,
    missedDueAt: null,
    nextDueAt: null,
    lastPingAt: null,
    lastDurationMs: null,
    notes: '',
    paused: false,
    createdAt: '2026-03-02T10:00:00.000Z',
  });
  assert.deepEqual(await readMonitor(id), monitor);
});

test('the ping URL uses the public base URL of the site', async (t) => {
  const flags = { baseUrl: 'https://jobs.example.com/jobd' };
  const { createMonitor } = monitorsOf(await startTestDaemon(t, { flags }));
  const { pingUrl } = await createMonitor();
  assert.match(pingUrl, /^https:\/\/jobs\.example\.com\/jobd\/ping\/[0-9a-f-]{36}$/);
});

test('a read-only key does not see the ping URL', async (t) => {
  const daemon = await startTestDaemon(t);
  const monitor = await monitorsOf(daemon).createMonitor();
  const { id } = monitor;
  const key = await daemon.newKey('read');
  const seen = { ...monitor, pingUrl: null };
  const one = await daemon.ask('GET', `/monitors/${id}`, undefined, key);
  assert.deepEqual(one.body, { monitor: seen });
  const all = await daemon.ask('GET', '/monitors', undefined, key);
  assert.deepEqual(all.body.monitors, [seen]);
});

test('invalid input is refused and named, by create and update', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readMonitor } = monitorsOf(daemon);
  const monitor = await createMonitor();
  const rows: [input: object, words: RegExp][] = [
    [{ name: '' }, /name/],
    [{ name: 'a'.repeat(121) }, /name must/],
    [{ cronExpr: '* * *' }, /cronExpr/],
    [{ timezone: 'Europe/Atlantis' }, /timezone/],
    [{ scheduleType: 'period' }, /periodSeconds is required/],
    [{ scheduleType: 'period', periodSeconds: 59 }, /periodSeconds must be between 60/],
    [{ graceSeconds: -1 }, /graceSeconds must be .*-1/],
    [{ graceSeconds: 86_401 }, /graceSeconds must be .*86401/],
    [{ graceSeconds: '300' }, /graceSeconds/],
    [{ notes: 'a'.repeat(4_001) }, /notes/],
    [{ url: 'https://example.com/' }, /url/],
    [{ pingUrl: 'x' }, /pingUrl/],
  ];
  for (const [input, words] of rows) {
    const what = JSON.stringify(input).slice(0, 60);
    const made = await daemon.ask('POST', '/monitors', { name: 'a', ...input });
    assertRefused(made, 400, words, `create ${what}`);
    const changed = await daemon.ask('PATCH', `/monitors/${monitor.id}`, input);
    assertRefused(changed, 400, words, `update ${what}`);
  }
  assertRefused(await daemon.ask('POST', '/monitors', {}), 400, /name/, 'no name');
  const { status } = await daemon.ask('PATCH', `/monitors/${monitor.id}`, {});
  assert.equal(status, 200, 'an empty update');
  assert.deepEqual(await readMonitor(monitor.id), monitor, 'nothing has changed');
});

test('renaming keeps the due time, a new schedule counts from now', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-03-02T10:20:00Z');
  const { createMonitor } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor(hourly);
  await ping(pingUrl);
  const update = async (fields: object): Promise<Monitor> => {
    const { status, body } = await daemon.ask('PATCH', `/monitors/${id}`, fields);
    assert.equal(status, 200, body.error);
    return body.monitor;
  };
  assert.equal((await update({ name: 'b', notes: 'n' })).nextDueAt, '2026-03-02T11:00:00.000Z');
  const changed = await update({ scheduleType: 'period', periodSeconds: 600 });
  assert.equal(changed.nextDueAt, '2026-03-02T10:30:00.000Z');
  assert.deepEqual([changed.name, changed.pingUrl, changed.status], ['b', pingUrl, 'up']);
  const paused = await update({ action: 'pause' });
  assert.deepEqual([paused.status, paused.paused, paused.nextDueAt], ['paused', true, null]);
  clock.set('2026-03-02T12:00:00Z');
  const resumed = await update({ action: 'resume', periodSeconds: 120 });
  assert.equal(resumed.nextDueAt, '2026-03-02T12:02:00.000Z', 'fields first, then the action');
  assert.equal(resumed.status, 'up');
});

test('a monitor is late when its ping is due, then down, then up again', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-03-02T10:20:00Z');
  const { createMonitor, readMonitor } = monitorsOf(daemon);
  const late = await createMonitor(hourly);
  const down = await createMonitor({ ...hourly, graceSeconds: 0 });
  for (const { pingUrl } of [late, down]) await ping(pingUrl);
  clock.set('2026-03-02T11:00:00Z');
  await until('it to be down', async () => (await readMonitor(down.id)).status === 'down');
  const { status, nextDueAt } = await readMonitor(late.id);
  assert.deepEqual([status, nextDueAt], ['late', '2026-03-02T11:00:00.000Z']);
  for (const { id, pingUrl } of [late, down]) {
    await ping(pingUrl);
    assert.equal((await readMonitor(id)).status, 'up');
  }
});

test('paging returns each monitor and each ping once, newest first', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor } = monitorsOf(daemon);
  const made: string[] = [];
  for (let count = 0; count < 7; count += 1) made.push((await createMonitor()).id);
  const walk = async <T>(path: string, itemsOf: (body: never) => T[]): Promise<T[]> => {
    const items: T[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < 10; pages += 1) {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { status, body } = await daemon.ask('GET', `${path}?limit=3${query}`);
      assert.equal(status, 200, body.error);
      items.push(...itemsOf(body as never));
      cursor = body.nextCursor;
      if (cursor === null) return items;
    }
    return assert.fail('the pages have no end');
  };
  const found = await walk('/monitors', (body: { monitors: Monitor[] }) => body.monitors);
  assert.deepEqual(each(found, 'id'), made.toReversed());
  const [{ id, pingUrl } = assert.fail()] = found;
  for (let exitCode = 1; exitCode <= 7; exitCode += 1) await ping(`${pingUrl}/${exitCode}`);
  const pings = await walk(`/monitors/${id}/pings`, (body: { pings: Ping[] }) => body.pings);
  assert.deepEqual(each(pings, 'exitCode'), [7, 6, 5, 4, 3, 2, 1]);
  for (const path of ['/monitors', `/monitors/${id}/pings`]) {
    for (const query of ['?cursor=nonsense', '?limit=0', '?limit=101', '?limit=a']) {
      const refused = await daemon.ask('GET', path + query);
      assertRefused(refused, 400, /^(cursor|limit) must/, path + query);
    }
  }
});

test('a deleted monitor is gone, with its pings and its ping URL', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  await ping(pingUrl);
  const path = `/monitors/${id}`;
  assert.deepEqual((await daemon.ask('DELETE', path)).body, { ok: true });
  for (const [method, at, body] of [
    ['GET', path],
    ['GET', `${path}/pings`],
    ['PATCH', path, { name: 'b' }],
    ['DELETE', path],
  ] as const) {
    assertRefused(await daemon.ask(method, at, body), 404, /there is no monitor with id/, method);
  }
  assert.equal((await ping(pingUrl)).status, 404);
  assert.deepEqual((await daemon.ask('GET', '/monitors')).body.monitors, []);
});

test('of jobs and monitors created at once with one place left, exactly one is created', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { key, fill, ask } = await addAccount(daemon, clock, 'pro');
  await fill(98);
  assert.equal((await ask('POST', '/monitors', { name: 'a' })).status, 201);
  clock.pass(60_001);
  const job = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0
        ? daemon.ask('POST', '/monitors', { name: 'a' }, key)
        : daemon.ask('POST', '/jobs', job, key),
    ),
  );
  const made = answers.filter(({ status }) => status === 201);
  assert.equal(made.length, 1);
  const refused = answers.find(({ status }) => status !== 201) ?? assert.fail();
  assertRefused(refused, 403, /allows 100 jobs and monitors .* has 100$/, 'above');
  const { usage } = (await ask('GET', '/me')).body;
  assert.equal(usage.jobs + usage.monitors, 100);
  assert.ok(usage.monitors >= 1);
});

test("the plan's smallest interval applies to monitors too, and deleting a monitor frees its place", async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { ask, fill } = await addAccount(daemon, clock, 'free');
  const often = { scheduleType: 'period', periodSeconds: 299 };
  const words = /periodSeconds must be at least 300 on the plan free, got 299/;
  assertRefused(await ask('POST', '/monitors', { name: 'a', ...often }), 403, words, 'create');
  const cron = { name: 'a', cronExpr: '*/4 * * * *' };
  assertRefused(await ask('POST', '/monitors', cron), 403, /at least 300 s/, 'create, cron');
  await fill(9);
  const { monitor } = (await ask('POST', '/monitors', { name: 'a' })).body;
  const path = `/monitors/${monitor.id}`;
  assertRefused(await ask('PATCH', path, often), 403, words, 'update');
  assert.equal((await ask('PATCH', path, { name: 'b' })).status, 200);
  assertRefused(await ask('POST', '/monitors', { name: 'a' }), 403, /allows 10 jobs/, 'above');
  assert.equal((await ask('DELETE', path)).status, 200);
  assert.equal((await ask('POST', '/monitors', { name: 'a' })).status, 201);
});

test('after a trial monitors cannot be created or changed; they can be read, deleted and pinged', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  const { ask } = await addAccount(daemon, clock, 'pro', 1);
  const { monitor } = (await ask('POST', '/monitors', { name: 'a' })).body;
  clock.set('2026-03-03T10:00:00Z');
  const path = `/monitors/${monitor.id}`;
  assertRefused(await ask('POST', '/monitors', { name: 'a' }), 402, /the trial ended/, 'create');
  assertRefused(await ask('PATCH', path, { name: 'b' }), 402, /the trial ended/, 'update');
  assertRefused(await ask('PATCH', path, { action: 'pause' }), 402, /the trial ended/, 'pause');
  assert.equal((await ping(monitor.pingUrl)).status, 200);
  assert.equal((await ask('GET', path)).body.monitor.status, 'up');
  assert.equal((await ask('GET', `${path}/pings`)).body.pings.length, 1);
  assert.equal((await ask('DELETE', path)).status, 200);
});
