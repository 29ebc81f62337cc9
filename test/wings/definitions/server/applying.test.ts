/** Definitions are applied in order, beside other work, and no more than a key may ask for. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { managedJobs } from '../../../../src/wings/definitions/server/jobs.ts';
import { carryOut } from '../../../../src/wings/definitions/server/managed.ts';
import { newScene } from '../../../../src/wings/definitions/server/plan.ts';
import { maxBodyBytes } from '../../../../src/wings/definitions/server/routes.ts';
import { parseSize } from '../../../../src/domain/sizes.ts';
import { parseAllowTargets } from '../../../../src/domain/targets/target.ts';
import { assertRefused } from '../../../support/checks/answer.ts';
import { fakeClock } from '../../../support/fakes/clock.ts';
import { startSink } from '../../../support/fakes/sink.ts';
import { addAccount } from '../../../support/records/account.ts';
import { defaultWorkspaceId } from '../../../support/records/keys.ts';
import { writerIn } from '../../../support/records/principal.ts';
import { quietApp } from '../../../support/running/app.ts';
import {
  startClockedDaemon,
  startTestDaemon,
  type TestDaemon,
} from '../../../support/running/daemon.ts';
import { sendDefinitions, wordsOf } from '../../../support/running/definition-files.ts';
import { passTheirWait } from '../../../support/running/idle.ts';
import { openTestLocal } from '../../../support/running/local.ts';
import { until } from '../../../support/until.ts';

const url = 'http://127.0.0.1:1/';
/** Due once a year, so that no test calls it. */
const rare = { name: 'a', url, cronExpr: '0 0 1 1 *' };
const webhook = { name: 'Ops', type: 'webhook', config: { url: `${url}hook` } };
const dry = { dryRun: true };

/** Sends the definition of a job. */
async function one(ask: TestDaemon['ask'], job: object) {
  const [change] = await sendDefinitions(ask, { jobs: [job] });
  return change ?? assert.fail();
}

async function keysOf(ask: TestDaemon['ask'], kind: string): Promise<(string | null)[]> {
  const { definitions } = (await ask('GET', `/definitions?kind=${kind}&show=all`)).body;
  return definitions.map(({ key }: { key: string | null }) => key);
}

test('if anything is refused, nothing is changed', async (t) => {
  const clock = fakeClock();
  const { ask } = await addAccount(await startTestDaemon(t, { clock }), clock, 'free');
  const changes = await sendDefinitions(ask, {
    jobs: [
      { key: 'a', ...rare, cronExpr: '* * *' },
      { key: 'b', name: 'a', url, scheduleType: 'period', periodSeconds: 60 },
      { key: 'c', ...rare },
      { key: 'd', ...rare, body: 'x' },
      { key: 'e', ...rare, method: 'POST', body: 'x'.repeat(32_769) },
      { key: 'Upper', ...rare },
    ],
    monitors: [{ key: 'n', name: 'n' }],
  });
  const seen = changes.map((change) => `${change.key} ${wordsOf(change).split(' ', 1)[0]}`);
  assert.deepEqual(seen, ['Upper 400', 'a 400', 'b 403', 'c create', 'd 400', 'e 413', 'n create']);
  assert.ok(changes.every(({ isDone }) => !isDone));
  assert.deepEqual(await keysOf(ask, 'monitor'), []);
  const made = await one(ask, { key: 'c', ...rare });
  const { job } = (await ask('GET', `/jobs/${made.id}`)).body;
  assert.equal(job.timeoutSeconds, 10, 'the default of the plan');
});

test('a job of a file with runAt is kept for good, is not made up for, and is the same the next time', async (t) => {
  const { clock, ask } = await startClockedDaemon(t);
  const runAt = new Date(clock.now() + 3_600_000).toISOString();
  const definition = { key: 'once', name: 'once', url, runAt };
  const { id } = await one(ask, definition);
  const { job } = (await ask('GET', `/jobs/${id}`)).body;
  assert.deepEqual([job.deleteAfterSeconds, job.makeUpSeconds], [undefined, undefined]);
  assert.equal(wordsOf(await one(ask, definition)), 'unchanged');
});

test('a schedule beside runAt or after is refused; one that a job keeps is no part of its definition', async (t) => {
  const { clock, ask } = await startClockedDaemon(t);
  const runAt = new Date(clock.now() + 3_600_000).toISOString();
  const once = { key: 'once', name: 'a', url, runAt };
  const rows: [given: object, fields: string][] = [
    [{ cronExpr: rare.cronExpr }, 'runAt or cronExpr'],
    [{ scheduleType: 'period', periodSeconds: 60 }, 'runAt or periodSeconds'],
    [{ after: 'b' }, 'runAt or after'],
    [{ runAt: null, after: 'b', cronExpr: rare.cronExpr }, 'after or cronExpr'],
  ];
  for (const [given, fields] of rows) {
    const wanted = {
      jobs: [
        { ...once, ...given },
        { key: 'b', ...rare, name: 'b' },
      ],
    };
    const refused = (await sendDefinitions(ask, wanted)).find(({ key }) => key === 'once');
    assert.equal(wordsOf(refused ?? assert.fail()), `400 use either ${fields}, not both`);
  }
  const { id } = await one(ask, { key: 'once', ...rare });
  const moved = await one(ask, once);
  assert.equal(wordsOf(moved), 'update runAt schedule');
  assert.equal(moved.before?.['cronExpr'], rare.cronExpr);
  const { definitions } = (await ask('GET', '/definitions')).body;
  assert.deepEqual(definitions[0].definition, { name: 'a', url, runAt });
  assert.equal(wordsOf(await one(ask, once)), 'unchanged');
  const { job } = (await ask('PATCH', `/jobs/${id}`, { runAt: null })).body;
  assert.equal(job.cronExpr, rare.cronExpr, 'it is kept');
  await one(ask, once);
  assert.equal(wordsOf(await one(ask, { key: 'once', ...rare })), 'update runAt schedule');
});

test('one thing is adopted under one key, and the other is refused before anything is changed', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const { id: adopt } = (await ask('POST', '/jobs', { ...rare, key: undefined })).body.job;
  const jobs = ['a', 'b'].map((key) => ({ key, ...rare, adopt }));
  const changes = await sendDefinitions(ask, { jobs: [...jobs, { key: 'c', ...rare }] });
  assert.deepEqual(changes.map(wordsOf), [
    'adopt key',
    `409 the job ${adopt} is adopted by a too: give b another one`,
    'create',
  ]);
  assert.ok(changes.every(({ isDone }) => !isDone));
});

test('an apply that is refused halfway says what is done; what depends on it is not begun', async (t) => {
  const clock = fakeClock();
  const { ask, fill } = await addAccount(await startTestDaemon(t, { clock }), clock, 'free');
  await one(ask, { key: 'old', ...rare });
  await fill(8);
  const wanted = {
    jobs: ['a', 'b'].map((key) => ({ key, ...rare })),
    channels: [{ key: 'ops', ...webhook, jobs: ['a', 'b'] }],
    prune: true,
  };
  const changes = await sendDefinitions(ask, wanted);
  const jobs = changes.slice(0, 2);
  // They are applied side by side, so either finds room.
  assert.deepEqual(jobs.map(({ isDone }) => String(isDone)).toSorted(), ['false', 'true']);
  assert.match(jobs.map(wordsOf).join(' '), /403 the plan free allows 10/);
  const rest = changes
    .slice(2)
    .map(({ key, action, refusal, isDone }) => [key, action, refusal, isDone]);
  assert.deepEqual(rest, [
    ['ops', 'create', null, false],
    ['old', 'delete', null, false],
  ]);
  await sendDefinitions(ask, {
    jobs: wanted.jobs.filter((_, index) => jobs[index]?.isDone),
    prune: true,
  });
  const again = await sendDefinitions(ask, wanted);
  assert.deepEqual(again.map(wordsOf).toSorted(), ['create', 'create', 'unchanged']);
  assert.ok(again.every(({ action, isDone }) => isDone || action === 'unchanged'));
});

test('a plan that was shown is made, or nothing', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  await sendDefinitions(ask, { jobs: ['a', 'b'].map((key) => ({ key, ...rare })) });
  const wanted = { jobs: [{ key: 'a', ...rare }], prune: true };
  const { mark } = (await ask('POST', '/definitions', { ...wanted, ...dry })).body;
  await one(ask, { key: 'c', ...rare });
  const late = await ask('POST', '/definitions', { ...wanted, mark });
  assertRefused(late, 409, /^the changes are not those that were shown/, 'one more to delete');
  // Those of one request are made side by side.
  assert.deepEqual(new Set(await keysOf(ask, 'job')), new Set(['a', 'b', 'c']));
  const shown = (await ask('POST', '/definitions', { ...wanted, ...dry })).body;
  const other = { jobs: [{ key: 'a', ...rare, notes: 'x' }], prune: true, mark: shown.mark };
  assertRefused(await ask('POST', '/definitions', other), 409, /not those/, 'other values');
  const [{ id }] = (await ask('GET', '/jobs')).body.jobs;
  await ask('PATCH', `/jobs/${id}`, { url: `${url}/edited` });
  const edited = await ask('POST', '/definitions', { ...wanted, mark: shown.mark });
  assertRefused(edited, 409, /not those/, 'what goes was edited');
  const now = (await ask('POST', '/definitions', { ...wanted, ...dry })).body;
  assert.equal((await sendDefinitions(ask, { ...wanted, mark: now.mark })).length, 3);
  assert.deepEqual(await keysOf(ask, 'job'), ['a']);
});

test('a change waits for the call in flight, a pause does not', async (t) => {
  const { clock, ask } = await startClockedDaemon(t);
  const held: ServerResponse[] = [];
  const sink = await startSink(t, (response) => void held.push(response));
  const job = { key: 'a', ...rare, url: sink.url };
  const { id } = await one(ask, job);
  await ask('POST', `/jobs/${id}/run`);
  await until('the call', () => held.length > 0);
  const paused = { ...job, paused: true };
  assert.equal(wordsOf(await one(ask, paused)), 'update paused');
  const answers = sendDefinitions(ask, {
    jobs: [
      { ...paused, name: 'b' },
      { key: 'b', ...rare },
    ],
  });
  await passTheirWait(clock, 1);
  const [busy, free] = await answers;
  assert.match(wordsOf(busy ?? assert.fail()), /^409 .* of this job is still executing/);
  assert.deepEqual([busy?.isDone, free?.isDone], [false, true]);
  const changed = one(ask, { ...paused, name: 'b' });
  held[0]?.end('ok');
  assert.equal(wordsOf(await changed), 'update name');
});

test('a pause that turned into a larger change in the meantime waits for the call in flight', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask, dataDir } = daemon;
  const held: ServerResponse[] = [];
  const sink = await startSink(t, (response) => void held.push(response));
  const { id } = await one(ask, { key: 'a', ...rare, url: sink.url });
  await using local = await openTestLocal(dataDir);
  const { store } = local;
  const clock = fakeClock(local.clock.now());
  const allowTargets = parseAllowTargets(['127.0.0.1/32:*']);
  const changeAndRun = async () => {
    await ask('PATCH', `/jobs/${id}`, { notes: 'n' });
    await ask('POST', `/jobs/${id}/run`);
    await until('the call', () => held.length > 0);
  };
  let others: Promise<void> | undefined;
  const write: typeof store.write = async (work) => {
    await (others ??= changeAndRun());
    return await store.write(work);
  };
  const vault = await local.openVault();
  const app = quietApp({ clock, store: { ...store, write }, vault, allowTargets });
  const principal = writerIn(await defaultWorkspaceId(daemon));
  const scene = newScene({ app, principal, isDryRun: false, countGuesses: () => {} });
  const paused = { key: 'a', input: { ...rare, url: sink.url, paused: true } };
  const applied = carryOut(scene, (now) => managedJobs.decide(now, paused));
  const refused = assert.rejects(applied, /of this job is still executing/);
  await passTheirWait(clock, 1);
  await refused;
  held[0]?.end('ok');
});

test('a request concurrent with a large one waits for one definition, not for all', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const jobs = Array.from({ length: 100 }, (_, index) => ({ key: `k${index}`, ...rare }));
  const applied = sendDefinitions(ask, { jobs });
  const isOver = applied.then(() => true);
  const isRefused = async () => (await ask('GET', '/jobs?limit=1')).status !== 200;
  let answers = 0;
  while (!(await Promise.race([isOver, isRefused()]))) answers += 1;
  assert.deepEqual(new Set((await applied).map(wordsOf)), new Set(['create']));
  assert.ok(answers >= 5, `${answers} answers beside the request`);
});

test('25 definitions count as one request, those that are pruned too, and 20 changes', async (t) => {
  const { clock, ask } = await startClockedDaemon(t);
  const jobs = Array.from({ length: 100 }, (_, index) => ({ key: `k${index}`, ...rare }));
  const left = async (): Promise<number> => {
    for (let count = 0; ; count += 1) {
      if ((await ask('GET', '/me')).status === 429) return count;
    }
  };
  await sendDefinitions(ask, { jobs, ...dry });
  await sendDefinitions(ask, { jobs });
  assert.equal(await left(), 120 - 4 - 4 - 4);
  const refused = await ask('POST', '/definitions', { jobs });
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60']);
  clock.advanceBoth(60_000);
  await sendDefinitions(ask, { prune: true, ...dry });
  assert.equal(await left(), 120 - 4);
  clock.advanceBoth(60_000);
  const most = Array.from({ length: 1_000 }, (_, index) => ({ key: `m${index}`, ...rare }));
  await sendDefinitions(ask, { jobs: most, ...dry });
  assert.equal(await left(), 120 - 40 - 2, 'each 2,000 values are a request, too');
});

test('invalid input is refused as a whole', async (t) => {
  const { ask } = await startTestDaemon(t);
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ key: `k${index}`, ...rare }));
  const long = { key: 'a', ...rare, method: 'POST', body: 'x'.repeat(1024 * 1024) };
  const cases: [body: unknown, sentence: RegExp, status?: number][] = [
    [{ definitions: [] }, /^definitions is not a known field, known are jobs, monitors/],
    [{ jobs: [{ key: 'a' }] }, /^jobs\.0\.name is required/],
    [{ jobs: [{ key: 'a', ...rare, workspaceId: 'x' }] }, /workspaceId is not a known field/],
    [{ jobs: [{ key: 'a', ...rare, retries: 3 }] }, /^jobs\.0\.retries must be between 0 and 2/],
    [{ jobs: many(1_001) }, /^jobs must have at most 1000 entries, got 1001/],
    [
      { jobs: many(999), monitors: many(2).map(({ key }) => ({ key, name: 'a' })) },
      /got 1001: send/,
    ],
    [{ jobs: [many(1)[0], many(1)[0]] }, /^jobs\.1\.key must differ from jobs\.0\.key/],
    [{ jobs: [long] }, /^the request body must be at most 1024 KiB/, 413],
  ];
  for (const [body, sentence, code = 400] of cases) {
    const what = JSON.stringify(body).slice(0, 80);
    assertRefused(await ask('POST', '/definitions', body), code, sentence, what);
  }
  const jobs = [{ key: 'a', ...rare, headers: { 'X-Token': 12_345 } }];
  const { body } = await ask('POST', '/definitions', { jobs });
  assert.doesNotMatch(body.error, /12345/, 'what may be a secret is not repeated');
  assert.deepEqual((await ask('GET', '/jobs')).body.jobs, []);
});

test('the proxies in contrib/ let the largest body of definitions through', () => {
  for (const file of ['Caddyfile', 'cluster/Caddyfile', 'nginx.conf']) {
    const text = readFileSync(new URL(`../../../../contrib/${file}`, import.meta.url), 'utf8');
    const [, size = ''] = /\b(?:max_size|client_max_body_size) (\w+)/.exec(text) ?? [];
    assert.ok((parseSize(size) ?? 0) >= maxBodyBytes, `${file} lets through ${size}`);
  }
});
