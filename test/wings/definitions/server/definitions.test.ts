/** Definitions over the API: what they change, and what they do not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DefinitionChange } from '../../../../src/wings/definitions/server/contract.ts';
import { managedJobs } from '../../../../src/wings/definitions/server/jobs.ts';
import { carryOut, type Definition } from '../../../../src/wings/definitions/server/managed.ts';
import { newScene } from '../../../../src/wings/definitions/server/plan.ts';
import type { App } from '../../../../src/app/app.ts';
import { assertRefused } from '../../../support/checks/answer.ts';
import { fakeClock } from '../../../support/fakes/clock.ts';
import { addAccount } from '../../../support/records/account.ts';
import { defaultWorkspaceId } from '../../../support/records/keys.ts';
import { writerIn } from '../../../support/records/principal.ts';
import { addWorkspace } from '../../../support/records/workspace.ts';
import { quietApp } from '../../../support/running/app.ts';
import { unknownId } from '../../../support/operations.ts';
import {
  startClockedDaemon,
  startTestDaemon,
  type TestDaemon,
} from '../../../support/running/daemon.ts';
import { openTestLocal } from '../../../support/running/local.ts';
import { sendDefinitions, wordsOf } from '../../../support/running/definition-files.ts';

const url = 'http://127.0.0.1:1/';
/** Due once a year, so that no test calls it. */
const rare = { name: 'a', url, cronExpr: '0 0 1 1 *' };
const webhook = { name: 'Ops', type: 'webhook', config: { url: `${url}hook` } };

type Ask = TestDaemon['ask'];
type Section = 'jobs' | 'monitors' | 'channels';

/** Sends one definition. */
async function one(
  ask: Ask,
  section: Section,
  definition: object,
  more: object = {},
): Promise<DefinitionChange> {
  const [change] = await sendDefinitions(ask, { [section]: [definition], ...more });
  return change ?? assert.fail();
}

const whsec = (byte: number) => `whsec_${Buffer.alloc(24, byte).toString('base64')}`;
const status = (change: DefinitionChange): string => wordsOf(change).split(' ', 1)[0] ?? '';
const dry = { dryRun: true };

async function jobOf(ask: Ask, { id }: DefinitionChange) {
  return (await ask('GET', `/jobs/${id}`)).body.job;
}

async function keysOf(ask: Ask, kind: string): Promise<(string | null)[]> {
  const { definitions } = (await ask('GET', `/definitions?kind=${kind}&show=all`)).body;
  return definitions.map(({ key }: { key: string | null }) => key);
}

test('a definition creates its job once, and an omitted field returns to its default', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const secret = { headers: { 'X-Token': 's3cret' } };
  const plain = { method: 'POST', body: 'b', retries: 2, timezone: 'UTC', timeoutSeconds: 7 };
  const full = { key: 'a', ...rare, ...secret, ...plain, notes: 'n' };
  const made = await one(ask, 'jobs', full);
  assert.deepEqual([wordsOf(made), made.isDone], ['create', true]);
  assert.equal(wordsOf(await one(ask, 'jobs', full)), 'unchanged');
  const { definitions } = (await ask('GET', '/definitions?kind=job')).body;
  const { key: _, ...definition } = { ...full, headers: { 'X-Token': null } };
  assert.deepEqual(definitions, [{ kind: 'job', key: 'a', id: made.id, definition }]);

  const bare = await one(ask, 'jobs', { key: 'a', name: 'a', url });
  const fields = 'method headers body schedule timeoutSeconds retries notes';
  assert.deepEqual([wordsOf(bare), bare.id], [`update ${fields}`, made.id]);
  const schedule = { scheduleType: null, cronExpr: rare.cronExpr, periodSeconds: null };
  const { name: __, url: ___, ...before } = definition;
  assert.deepEqual(bare.before, { ...before, ...schedule });
  const job = await jobOf(ask, bare);
  assert.deepEqual(
    [job.method, job.headerNames, job.body, job.cronExpr, job.timezone, job.timeoutSeconds],
    ['GET', [], null, '0 * * * *', 'Europe/Paris', 30],
  );
});

test('header values are compared but never shown; a dry run changes nothing', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const job = { key: 'a', ...rare, headers: { 'X-Token': 's3cret' } };
  const planned = await one(ask, 'jobs', job, dry);
  assert.deepEqual([wordsOf(planned), planned.id, planned.isDone], ['create', null, false]);
  assert.deepEqual((await ask('GET', '/jobs')).body.jobs, []);
  await one(ask, 'jobs', job);
  assert.equal(wordsOf(await one(ask, 'jobs', job, dry)), 'unchanged');
  const changed = await one(ask, 'jobs', { ...job, headers: { 'X-Token': 'other' } }, dry);
  assert.deepEqual([wordsOf(changed), changed.hidden], ['update headers', ['X-Token']]);
  assert.doesNotMatch(JSON.stringify(changed), /s3cret|other/);
  const [doomed] = await sendDefinitions(ask, { ...dry, prune: true });
  assert.deepEqual([doomed?.action, doomed?.before?.['headers']], ['delete', { 'X-Token': null }]);
  assert.equal(wordsOf(await one(ask, 'jobs', job, dry)), 'unchanged', 'nothing was changed');
});

test('a key that may only read learns what differs, but nothing about hidden values', async (t) => {
  const daemon = await startTestDaemon(t, { clock: fakeClock() });
  const { ask } = daemon;
  const onResult = 'http://127.0.0.1:1/results';
  const withSecrets = (token: string, byte: number) => ({
    jobs: [{ key: 'a', ...rare, headers: { X: token }, onResult, onResultSecret: whsec(byte) }],
    channels: [{ key: 'a', ...webhook, config: { url: `${url}${token}`, secret: whsec(byte) } }],
  });
  await sendDefinitions(ask, withSecrets('s3cret', 1));
  const reader = await daemon.newKey('read');
  for (const body of [withSecrets('s3cret', 1), withSecrets('guess', 2)]) {
    const answer = await ask('POST', '/definitions', { ...body, ...dry }, reader);
    assert.deepEqual(answer.body.changes.map(wordsOf), ['unchanged', 'unchanged']);
    assert.equal(answer.body.areSecretsCompared, false);
  }
  const other = { key: 'a', ...rare, headers: { Y: 's3cret' }, name: 'b' };
  const [job] = await sendDefinitions(ask, { jobs: [other], ...dry }, reader);
  assert.deepEqual(job?.before, { name: 'a', headers: { X: null }, onResult });
  assert.deepEqual(job?.hidden, ['X', 'Y']);
  const refused = await ask('POST', '/definitions', { jobs: [other] }, reader);
  assertRefused(refused, 403, /^this key may only read/, 'a change');
});

const twoJobs = (short: string, long: string, headers: object): object[] => [
  { key: 'short', ...rare, headers: { X: short, ...headers } },
  { key: 'long', ...rare, headers: { X: long, ...headers } },
];

test('a key that may only read does not learn how long a hidden value is', async (t) => {
  const daemon = await startTestDaemon(t, { clock: fakeClock() });
  const { ask } = daemon;
  await sendDefinitions(ask, { jobs: twoJobs('s', 's'.repeat(4_000), {}) });
  const reader = await daemon.newKey('read');
  for (const filler of [12_000, 13_000, 16_000, 17_000]) {
    const wanted = twoJobs('x', 'x', { Filler: 'f'.repeat(filler) });
    const [first, second] = await sendDefinitions(ask, { jobs: wanted, ...dry }, reader);
    assert.deepEqual({ ...first, key: '', id: '' }, { ...second, key: '', id: '' });
  }
});

const longBody = (end: string): object[] => [
  { key: 'a', ...rare, method: 'POST', body: 'b'.repeat(30_000) + end },
];

test('of long texts a plan shows the beginning, and tells two apart', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  await sendDefinitions(ask, { jobs: longBody('1') });
  const body = { jobs: longBody('2'), ...dry };
  const first = await ask('POST', '/definitions', body);
  const shown = first.body.changes[0].before.body;
  assert.match(shown, /^b{4000}… \(30001 characters, SHA-256 [0-9a-f]{64}\)$/);
  await sendDefinitions(ask, { jobs: longBody('3') });
  const second = await ask('POST', '/definitions', body);
  assert.notEqual(second.body.mark, first.body.mark);
  const [doomed] = await sendDefinitions(ask, { ...dry, prune: true });
  assert.match(String(doomed?.before?.['body']), /^b{4000}…/);
});

test('a definition without changes writes nothing, so an interval keeps its due times', async (t) => {
  const { clock, ask, dataDir } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  const job = { key: 'a', name: 'a', url, scheduleType: 'period', periodSeconds: 86_400 };
  const { nextRunAt } = await jobOf(ask, await one(ask, 'jobs', job));
  await using local = await openTestLocal(dataDir);
  const row = async () => await local.store.db.selectFrom('jobs').selectAll().executeTakeFirst();
  const before = await row();
  clock.set('2026-03-02T11:00:00Z');
  const same = { ...job, timezone: 'Europe/Paris', cronExpr: null };
  assert.equal(wordsOf(await one(ask, 'jobs', same)), 'unchanged');
  assert.deepEqual(await row(), before);
  const zoned = await one(ask, 'jobs', { ...job, timezone: 'UTC' });
  assert.equal(wordsOf(zoned), 'update schedule', 'its times are shown in another zone');
  assert.equal((await jobOf(ask, zoned)).nextRunAt, nextRunAt);
  const renamed = await one(ask, 'jobs', { ...job, name: 'b', timezone: 'UTC' });
  assert.equal((await jobOf(ask, renamed)).nextRunAt, nextRunAt);
});

const countOf = (all: { action: string }[], wanted: string) =>
  all.filter(({ action }) => action === wanted).length;

test('concurrent applies over several connections create one job and adopt one', async (t) => {
  const daemon = await startTestDaemon(t, { clock: fakeClock() });
  const { ask, dataDir } = daemon;
  const { id: adopt } = (await ask('POST', '/jobs', rare)).body.job;
  const opened = await Promise.all([1, 2, 3].map(() => openTestLocal(dataDir)));
  await using parts = new AsyncDisposableStack();
  for (const local of opened) parts.use(local);
  const apps = opened.map(({ store, clock }) => quietApp({ store, clock }));
  const principal = writerIn(await defaultWorkspaceId(daemon));
  const sceneOf = (app: App) =>
    newScene({ app, principal, isDryRun: false, countGuesses: () => {} });
  const race = (decide: Parameters<typeof carryOut>[1]) =>
    Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        carryOut(sceneOf(apps[index % 3] ?? assert.fail()), decide),
      ),
    );
  const apply = (definition: Omit<Definition, 'input'>) => {
    const input = { ...rare, url: 'https://example.com/' };
    return race((scene) => managedJobs.decide(scene, { ...definition, input }));
  };
  const made = await apply({ key: 'a' });
  assert.deepEqual([countOf(made, 'create'), countOf(made, 'unchanged')], [1, 29]);
  assert.equal(new Set(made.map(({ id }) => id)).size, 1);
  const adopted = await apply({ key: 'b', adopt });
  assert.deepEqual([countOf(adopted, 'update'), countOf(adopted, 'unchanged')], [1, 29]);
  assert.deepEqual([...new Set(adopted.map(({ id }) => id))], [adopt]);
  const deleted = await race((scene) => managedJobs.decideDeletion(scene, 'a'));
  assert.deepEqual([countOf(deleted, 'delete'), countOf(deleted, 'unchanged')], [1, 29]);
  assert.deepEqual(await keysOf(ask, 'job'), ['b']);
});

test('what was made by hand is adopted only if a definition names it, and never pruned', async (t) => {
  const daemon = await startTestDaemon(t, { clock: fakeClock() });
  const { ask } = daemon;
  const byHand = async (): Promise<string> => (await ask('POST', '/jobs', rare)).body.job.id;
  const [first, second] = [await byHand(), await byHand()];
  assert.deepEqual((await ask('GET', '/definitions?kind=job')).body.definitions, []);
  const adopted = await one(ask, 'jobs', { key: 'a', ...rare, adopt: first });
  assert.deepEqual([wordsOf(adopted), adopted.id], ['adopt key', first]);
  const again = await one(ask, 'jobs', { key: 'a', ...rare, adopt: second });
  assert.deepEqual([wordsOf(again), again.id], ['unchanged', first]);
  const taken = await one(ask, 'jobs', { key: 'b', ...rare, adopt: first });
  assert.match(wordsOf(taken), /^409 .* has the key a, it cannot have b too/);
  const changed = await one(ask, 'jobs', { key: 'b', ...rare, name: 'b', adopt: second });
  assert.deepEqual([wordsOf(changed), changed.id], ['update key name', second]);
  const third = await byHand();

  const other = await addWorkspace(daemon.dataDir);
  const key = await other.newKey('write');
  const [foreign] = await sendDefinitions(
    ask,
    { jobs: [{ key: 'a', ...rare, adopt: first }] },
    key,
  );
  assert.equal(foreign?.action, 'create', "another workspace's job is not there");
  assert.notEqual(foreign?.id, first);
  const named = await one(ask, 'jobs', { key: 'c', ...rare, after: foreign?.id });
  assert.match(wordsOf(named), /^400 after names .*, which is not defined/);
  const pruned = await sendDefinitions(ask, { prune: true }, key);
  assert.deepEqual(pruned.map(wordsOf), ['delete']);
  assert.deepEqual(await keysOf(ask, 'job'), [null, 'b', 'a'], 'of the other workspace');
  assert.deepEqual((await sendDefinitions(ask, { prune: true })).map(wordsOf), [
    'delete',
    'delete',
  ]);
  assert.deepEqual(
    (await ask('GET', '/jobs')).body.jobs.map(({ id }: { id: string }) => id),
    [third],
  );
  assert.equal(wordsOf(await one(ask, 'jobs', { key: 'a', ...rare })), 'create', 'the key is free');
});

test('an unknown id to adopt creates nothing beside one of that name made by hand', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const monitor = { name: 'a', scheduleType: 'period', periodSeconds: 3_600 };
  const given = [
    ['jobs', rare],
    ['monitors', monitor],
    ['channels', webhook],
  ] as const;
  for (const [section, { ...input }] of given) {
    const noun = section.slice(0, -1);
    const { id } = (await ask('POST', `/${section}`, input)).body[noun];
    const wrong = { key: 'a', ...input, adopt: unknownId };
    const sentence = `409 adopt: no ${noun} here has the id ${unknownId}; the ${noun} named ${input.name} is ${id}: adopt that, or leave adopt out`;
    assert.equal(wordsOf(await one(ask, section, wrong, dry)), sentence);
    assert.equal(wordsOf(await one(ask, section, wrong)), sentence);
    assert.deepEqual(await keysOf(ask, noun), [null], 'nothing was created');
    const renamed = await one(ask, section, { ...wrong, name: 'another' }, dry);
    assert.equal(wordsOf(renamed), 'create', 'on another server an id is unknown');
    const right = { ...wrong, key: 'b', adopt: id };
    const both = await sendDefinitions(ask, { [section]: [wrong, right] });
    assert.deepEqual(both.map(wordsOf), ['create', 'adopt key'], 'it is adopted otherwise');
    assert.equal(wordsOf(await one(ask, section, wrong)), 'unchanged', 'it has its key');
  }
});

test('an expired account may read, but not apply', async (t) => {
  const clock = fakeClock();
  const { ask, cancel } = await addAccount(await startTestDaemon(t, { clock }), clock, 'pro');
  await one(ask, 'jobs', { key: 'a', ...rare });
  const { id: adopt } = (await ask('POST', '/jobs', rare)).body.job;
  await cancel();
  const renamed = { key: 'a', ...rare, name: 'b' };
  assert.equal(wordsOf(await one(ask, 'jobs', renamed, dry)), 'update name');
  const often = { ...rare, cronExpr: '* * * * *', timeoutSeconds: 60 };
  const refused = [renamed, { key: 'b', ...rare }, { key: 'a', ...often }, { key: 'b', ...often }];
  for (const definition of [...refused, { key: 'c', ...rare, adopt }]) {
    assert.equal(status(await one(ask, 'jobs', definition)), '402', 'before limits of the plan');
  }
  assert.equal(status(await one(ask, 'jobs', { key: 'b', ...often }, dry)), '403', 'in a dry run');
  assert.equal(wordsOf(await one(ask, 'jobs', { key: 'a', ...rare })), 'unchanged');
});

function link(key: string, after?: string, more: object = {}): object {
  return { key, ...(after === undefined ? rare : { url: rare.url, after }), name: key, ...more };
}

test('a job runs after the one that it names by key, name or id, and a plan refuses a bad chain', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const byHand = async (more: object): Promise<string> =>
    (await ask('POST', '/jobs', { ...rare, ...more })).body.job.id;
  const id = await byHand({ name: 'Nightly import' });
  const jobs = [
    link('by-name', 'Nightly import'),
    link('by-id', id.toUpperCase()),
    link('a-last', 'The report', { afterOn: 'failed' }),
    link('report', 'by-name', { name: 'The report' }),
  ];
  const made = await sendDefinitions(ask, { jobs });
  assert.deepEqual(new Set(made.map(wordsOf)), new Set(['create']));
  const ids = new Map(made.map((change) => [change.key, change.id]));
  const afters = made.map(async (change) => (await jobOf(ask, change)).after);
  assert.deepEqual(await Promise.all(afters), [
    { jobId: ids.get('report'), on: 'failed' },
    { jobId: id, on: 'success' },
    { jobId: id, on: 'success' },
    { jobId: ids.get('by-name'), on: 'success' },
  ]);
  const again = await sendDefinitions(ask, { jobs, prune: true });
  assert.deepEqual(new Set(again.map(wordsOf)), new Set(['unchanged']));
  const turned = [link('by-name', 'report'), link('report', undefined, { name: 'The report' })];
  const [, , moved] = await sendDefinitions(ask, { jobs: [jobs[1], jobs[2], ...turned], ...dry });
  assert.deepEqual([moved?.key, moved?.before], ['by-name', { after: id, afterOn: null }]);

  const double = await byHand({ name: 'Nightly import' });
  await byHand({ name: 'by hand', after: { jobId: ids.get('a-last') } });
  const links = Array.from({ length: 21 }, (_, place) =>
    link(`k${place}`, place === 0 ? undefined : `k${place - 1}`),
  );
  const rows: [wanted: object, sentence: RegExp][] = [
    [{ jobs: [link('x', 'by-nam')] }, /^400 after names by-nam, .* did you mean by-name\?/],
    [{ jobs: [link('x', unknownId)] }, /^400 after names .*, which is not defined, define it/],
    [{ jobs: [link('x', 'Nightly import')] }, new RegExp(`which 2 jobs are called: .*${double}`)],
    [
      { jobs: [link('x', 'y'), link('y', 'x')] },
      /^400 after must not close a circle: x, then y, then/,
    ],
    [
      { jobs: [link('by-name', 'a-last')] },
      /must not close a circle: by-name, then The report, then/,
    ],
    [{ jobs: links }, /^400 after makes a chain too long/],
    [{ prune: true }, /^409 by hand runs after this job and would never run again: keep it/],
  ];
  for (const [wanted, sentence] of rows) {
    const changes = await sendDefinitions(ask, wanted);
    const refused = changes.find(({ refusal }) => refusal !== null) ?? assert.fail(`${sentence}`);
    assert.match(wordsOf(refused), sentence);
    assert.ok(changes.every(({ isDone }) => !isDone));
  }
});
