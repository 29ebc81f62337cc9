/** Managed jobs over the API: what definitions change and what they do not. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { JobDefinitionResult as DefinitionResult } from '../../../../src/wings/definitions/api/contract.ts';
import type { Principal } from '../../../../src/app/app.ts';
import { managedJobs } from '../../../../src/wings/definitions/server/jobs.ts';
import { applyManaged } from '../../../../src/wings/definitions/server/managed.ts';
import type { Definition } from '../../../../src/wings/definitions/server/managed.ts';
import type { JobDefinition } from '../../../../src/domain/jobs/managed-job.ts';
import { openTestLocal } from '../../../support/running/local.ts';
import { parseAllowTargets } from '../../../../src/domain/targets/target.ts';
import { addAccount } from '../../../support/records/account.ts';
import { assertRefused } from '../../../support/checks/answer.ts';
import { quietApp } from '../../../support/running/app.ts';
import { writerIn } from '../../../support/records/principal.ts';
import { fakeClock } from '../../../support/fakes/clock.ts';
import { startTestDaemon } from '../../../support/running/daemon.ts';
import type { TestDaemon } from '../../../support/running/daemon.ts';
import { defaultWorkspaceId } from '../../../support/records/keys.ts';
import { startSink } from '../../../support/fakes/sink.ts';
import { passTheirWait } from '../../../support/running/idle.ts';
import { until } from '../../../support/until.ts';
import { addWorkspace } from '../../../support/records/workspace.ts';

const url = 'http://127.0.0.1:1/';
/** Due once a year, so that no test calls it. */
const rare = { name: 'a', url, cronExpr: '0 0 1 1 *' };

type Ask = TestDaemon['ask'];

async function apply(ask: Ask, definitions: object[], dryRun = false): Promise<DefinitionResult[]> {
  const { status, body } = await ask('POST', '/managed-jobs', { definitions, dryRun });
  assert.equal(status, 200, body.error);
  return body.results;
}

/** Applies one definition. */
async function one(ask: Ask, definition: object, dryRun = false): Promise<DefinitionResult> {
  const [result] = await apply(ask, [definition], dryRun);
  return result ?? assert.fail();
}

/** The results as text. */
function words({ change, changedFields, refusal }: DefinitionResult): string {
  return refusal ? `${refusal.status}` : [change, ...changedFields].join(' ');
}

/** An identity with write permission in the default workspace. */
async function writerOf(daemon: TestDaemon): Promise<Principal> {
  const workspaceId = await defaultWorkspaceId(daemon);
  return writerIn(workspaceId);
}

test('a definition creates its job once, and an omitted field returns to its default', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const full = {
    ...rare,
    method: 'POST',
    headers: { 'X-Token': 's3cret' },
    body: 'b',
    retries: 2,
    timezone: 'utc',
    timeoutSeconds: 7,
    notes: 'n',
  };
  const made = await one(ask, { key: 'a', job: full });
  assert.equal(words(made), 'create');
  assert.equal(words(await one(ask, { key: 'a', job: full })), 'none');
  const bare = await one(ask, { key: 'a', job: { name: 'a', url } });
  const fields = 'method headers body schedule timeoutSeconds retries notes';
  assert.equal(words(bare), `update ${fields}`);
  assert.equal(bare.job?.id, made.job?.id);
  const { method, headerNames, body, cronExpr, timezone, timeoutSeconds } = bare.job ?? {};
  assert.deepEqual(
    [method, headerNames, body, cronExpr, timezone, timeoutSeconds],
    ['GET', [], null, '0 * * * *', 'Europe/Paris', 30],
  );
  assert.deepEqual(
    (await ask('GET', '/jobs')).body.jobs,
    [bare.job],
    'the job is a job as any other',
  );
  const listed = (await ask('GET', '/managed-jobs')).body;
  assert.deepEqual(listed, { managedJobs: [{ key: 'a', job: bare.job }], nextCursor: null });
});

test('header values are compared but never shown; a dry run changes nothing', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const job = { ...rare, headers: { 'X-Token': 's3cret' } };
  const planned = await one(ask, { key: 'a', job }, true);
  assert.deepEqual([words(planned), planned.job], ['create', null]);
  assert.deepEqual((await ask('GET', '/jobs')).body.jobs, []);
  await one(ask, { key: 'a', job });
  assert.equal(words(await one(ask, { key: 'a', job }, true)), 'none');
  const changed = { ...job, headers: { 'X-Token': 'other' } };
  const answer = await one(ask, { key: 'a', job: changed }, true);
  assert.equal(words(answer), 'update headers');
  assert.deepEqual(answer.changedHeaders, ['X-Token']);
  assert.doesNotMatch(JSON.stringify(answer), /s3cret|other/);
  assert.equal(words(await one(ask, { key: 'a', job: null }, true)), 'delete');
  assert.equal(words(await one(ask, { key: 'a', job }, true)), 'none', 'nothing was changed');
});

test('a definition without changes writes nothing, so an interval keeps its due times', async (t) => {
  const clock = fakeClock('2026-03-02T10:00:00Z');
  const { ask, dataDir } = await startTestDaemon(t, { clock });
  const job = { name: 'a', url, scheduleType: 'period', periodSeconds: 86_400 };
  const { job: made } = await one(ask, { key: 'a', job });
  await using local = await openTestLocal(dataDir);
  const row = async () => await local.store.db.selectFrom('jobs').selectAll().executeTakeFirst();
  const before = await row();
  clock.set('2026-03-02T11:00:00Z');
  const same = { ...job, timezone: 'Europe/Paris', cronExpr: null };
  assert.equal(words(await one(ask, { key: 'a', job: same })), 'none');
  assert.deepEqual(await row(), before);
  const zoned = await one(ask, { key: 'a', job: { ...job, timezone: 'UTC' } });
  assert.equal(words(zoned), 'update schedule', 'its times are shown in another zone');
  assert.equal(zoned.job?.nextRunAt, made?.nextRunAt);
  const renamed = await one(ask, { key: 'a', job: { ...job, name: 'b' } });
  assert.equal(renamed.job?.nextRunAt, made?.nextRunAt);
});

test('concurrent applies over several connections create one job and adopt one', async (t) => {
  const daemon = await startTestDaemon(t, { clock: fakeClock() });
  const { ask, dataDir } = daemon;
  const { id: adopt } = (await ask('POST', '/jobs', rare)).body.job;
  const opened = await Promise.all([1, 2, 3].map(() => openTestLocal(dataDir)));
  await using parts = new AsyncDisposableStack();
  for (const local of opened) parts.use(local);
  const apps = opened.map(({ store, clock }) => quietApp({ store, clock }));
  const principal = await writerOf(daemon);
  const job = { ...rare, url: 'https://example.com/' };
  const race = (definition: Definition<JobDefinition>) =>
    Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        applyManaged(
          apps[index % 3] ?? assert.fail(),
          principal,
          managedJobs,
          definition,
          () => {},
        ),
      ),
    );
  const made = await race({ key: 'a', input: job });
  assert.equal(made.filter(({ change }) => change === 'create').length, 1);
  assert.equal(made.filter(({ change }) => change === 'none').length, 29);
  assert.equal(new Set(made.map((applied) => applied.shown?.id)).size, 1);
  const adopted = await race({ key: 'b', input: job, adopt });
  assert.equal(adopted.filter(({ isAdopted }) => isAdopted).length, 1);
  assert.deepEqual([...new Set(adopted.map((applied) => applied.shown?.id))], [adopt]);
  const deleted = await race({ key: 'a', input: null });
  assert.equal(deleted.filter(({ change }) => change === 'delete').length, 1);
  assert.deepEqual((await ask('GET', '/managed-jobs')).body.managedJobs.length, 1);
});

test('jobs made by hand are adopted only if a definition names them', async (t) => {
  const daemon = await startTestDaemon(t, { clock: fakeClock() });
  const { ask } = daemon;
  const byHand = async (): Promise<string> => (await ask('POST', '/jobs', rare)).body.job.id;
  const [first, second] = [await byHand(), await byHand()];
  assert.deepEqual((await ask('GET', '/managed-jobs')).body.managedJobs, []);
  const adopted = await one(ask, { key: 'a', job: rare, adopt: first });
  assert.deepEqual([words(adopted), adopted.isAdopted, adopted.job?.id], ['none', true, first]);
  const again = await one(ask, { key: 'a', job: rare, adopt: second });
  assert.deepEqual([words(again), again.isAdopted, again.job?.id], ['none', false, first]);
  const taken = await one(ask, { key: 'b', job: rare, adopt: first });
  assert.match(taken.refusal?.error ?? '', /has the key a, it cannot have b too/);
  assert.equal(taken.refusal?.status, 409);
  const changed = await one(ask, { key: 'b', job: { ...rare, name: 'b' }, adopt: second });
  assert.deepEqual([words(changed), changed.job?.id], ['update name', second]);

  const other = await addWorkspace(daemon.dataDir);
  const key = await other.newKey('write');
  const foreign = await ask(
    'POST',
    '/managed-jobs',
    { definitions: [{ key: 'a', job: rare, adopt: first }] },
    key,
  );
  assert.equal(foreign.body.results[0].change, 'create', "another workspace's job is not there");
  assert.notEqual(foreign.body.results[0].job.id, first);
});

test('a key can be used again after its job was deleted, by any client', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  assert.equal(words(await one(ask, { key: 'a', job: null })), 'none');
  const { job } = await one(ask, { key: 'a', job: rare });
  assert.equal(words(await one(ask, { key: 'a', job: null })), 'delete');
  assert.equal((await ask('GET', `/jobs/${job?.id}`)).status, 404);
  const second = await one(ask, { key: 'a', job: rare });
  assert.equal((await ask('DELETE', `/jobs/${second.job?.id}`)).status, 200);
  assert.equal(words(await one(ask, { key: 'a', job: rare })), 'create');
});

test('a refused definition does not stop the others', async (t) => {
  const clock = fakeClock();
  const daemon = await startTestDaemon(t, { clock });
  const { ask, fill } = await addAccount(daemon, clock, 'free');
  await fill(8);
  const results = await apply(ask, [
    { key: 'a', job: { ...rare, cronExpr: '* * *' } },
    { key: 'b', job: { name: 'a', url, scheduleType: 'period', periodSeconds: 60 } },
    { key: 'Upper', job: rare },
    { key: 'c', job: rare },
    { key: 'd', job: { ...rare, body: 'x' } },
    { key: 'e', job: { ...rare, method: 'POST', body: 'x'.repeat(32_769) } },
    { key: 'f', job: rare },
    { key: 'g', job: rare },
  ]);
  const wordsOf = (...keys: string[]) =>
    results.filter(({ key }) => keys.includes(key)).map((result) => words(result));
  assert.deepEqual(wordsOf('a', 'b', 'Upper', 'd', 'e'), ['400', '403', '400', '400', '413']);
  // They are applied at the same time, so any two find room.
  assert.deepEqual(wordsOf('c', 'f', 'g').toSorted(), ['403', 'create', 'create']);
  const refused = results.find(({ key, refusal }) => /[cfg]/.test(key) && refusal !== null);
  assert.match(refused?.refusal?.error ?? '', /the plan free allows 10/);
  const [made] = results.filter(({ change }) => change === 'create');
  assert.equal(made?.job?.timeoutSeconds, 10, 'the default of the plan');
  assert.equal(words(await one(ask, { key: made?.key ?? '', job: rare }, true)), 'none');
});

test('an expired account may read, but not apply', async (t) => {
  const clock = fakeClock();
  const daemon = await startTestDaemon(t, { clock });
  const { ask, cancel } = await addAccount(daemon, clock, 'pro');
  await one(ask, { key: 'a', job: rare });
  await cancel();
  assert.equal(
    words(await one(ask, { key: 'a', job: { ...rare, name: 'b' } }, true)),
    'update name',
  );
  assert.equal(words(await one(ask, { key: 'a', job: { ...rare, name: 'b' } })), '402');
  assert.equal(words(await one(ask, { key: 'b', job: rare })), '402');
  const often = { ...rare, cronExpr: '* * * * *', timeoutSeconds: 60 };
  assert.equal(
    words(await one(ask, { key: 'a', job: often })),
    '402',
    'before the limits of the plan',
  );
  assert.equal(words(await one(ask, { key: 'b', job: often })), '402');
  assert.equal(words(await one(ask, { key: 'b', job: often }, true)), '403', 'in a dry run');
  assert.equal(words(await one(ask, { key: 'a', job: rare })), 'none');
});

test('a change waits for the call in flight, a pause does not', async (t) => {
  const clock = fakeClock();
  const { ask } = await startTestDaemon(t, { clock });
  const held: ServerResponse[] = [];
  const sink = await startSink(t, (response) => void held.push(response));
  const job = { ...rare, url: sink.url };
  const { job: made } = await one(ask, { key: 'a', job });
  await ask('POST', `/jobs/${made?.id}/run`);
  await until('the call', () => held.length > 0);
  const paused = { ...job, paused: true };
  assert.equal(words(await one(ask, { key: 'a', job: paused })), 'update paused');
  const answers = apply(ask, [
    { key: 'a', job: { ...paused, name: 'b' } },
    { key: 'b', job: rare },
  ]);
  await passTheirWait(clock, 1);
  const [busy, free] = await answers;
  assert.match(busy?.refusal?.error ?? '', /of this job is still executing/);
  assert.deepEqual([busy?.refusal?.status, free?.change], [409, 'create']);
  const changed = one(ask, { key: 'a', job: { ...paused, name: 'b' } });
  held[0]?.end('ok');
  assert.equal(words(await changed), 'update name');
});

test('a pause that turned into a larger change in the meantime waits for the call in flight', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask, dataDir } = daemon;
  const held: ServerResponse[] = [];
  const sink = await startSink(t, (response) => void held.push(response));
  const job = { ...rare, url: sink.url };
  const { job: made } = await one(ask, { key: 'a', job });
  await using local = await openTestLocal(dataDir);
  const { store } = local;
  const clock = fakeClock(local.clock.now());
  const allowTargets = parseAllowTargets(['127.0.0.1/32:*']);
  const changeAndRun = async () => {
    await ask('PATCH', `/jobs/${made?.id}`, { notes: 'n' });
    await ask('POST', `/jobs/${made?.id}/run`);
    await until('the call', () => held.length > 0);
  };
  let others: Promise<void> | undefined;
  const write: typeof store.write = async (work) => {
    await (others ??= changeAndRun());
    return await store.write(work);
  };
  const app = quietApp({
    clock,
    store: { ...store, write },
    vault: await local.openVault(),
    allowTargets,
  });
  const principal = await writerOf(daemon);
  const paused = { key: 'a', input: { ...job, paused: true } };
  const applied = applyManaged(app, principal, managedJobs, paused, () => {});
  const refused = assert.rejects(applied, /of this job is still executing/);
  await passTheirWait(clock, 1);
  await refused;
  held[0]?.end('ok');
});

test('a request concurrent with a large batch waits for one definition, not for all', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const definitions = Array.from({ length: 100 }, (_, index) => ({ key: `k${index}`, job: rare }));
  const applied = apply(ask, definitions);
  const isOver = applied.then(() => true);
  const isRefused = async () => (await ask('GET', '/jobs?limit=1')).status !== 200;
  let answers = 0;
  while (!(await Promise.race([isOver, isRefused()]))) answers += 1;
  assert.deepEqual(new Set((await applied).map(words)), new Set(['create']));
  assert.ok(answers >= 5, `${answers} answers beside the batch`);
});

test('ten applied definitions count as one request, and 25 that are compared', async (t) => {
  const clock = fakeClock();
  const { ask } = await startTestDaemon(t, { clock });
  const definitions = Array.from({ length: 100 }, (_, index) => ({ key: `k${index}`, job: null }));
  const left = async (): Promise<number> => {
    for (let count = 0; ; count += 1) {
      if ((await ask('GET', '/me')).status === 429) return count;
    }
  };
  assert.equal((await ask('POST', '/managed-jobs', { definitions, dryRun: true })).status, 200);
  assert.equal((await ask('POST', '/managed-jobs', { definitions })).status, 200);
  assert.equal(await left(), 120 - 4 - 10);
  const refused = await ask('POST', '/managed-jobs', { definitions });
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60']);
  clock.advanceBoth(60_000);
  for (let count = 0; count < 12; count += 1) {
    assert.equal((await ask('POST', '/managed-jobs', { definitions })).status, 200);
  }
  assert.equal((await ask('POST', '/managed-jobs', { definitions })).status, 429);
});

test('invalid input is refused as a whole', async (t) => {
  const { ask } = await startTestDaemon(t);
  const cases: [unknown, RegExp][] = [
    [{}, /definitions is required/],
    [{ definitions: [{ key: 'a' }] }, /definitions\.0\.job is required/],
    [
      { definitions: [{ key: 'a', job: { ...rare, workspaceId: 'x' } }] },
      /workspaceId is not a known field/,
    ],
    [
      { definitions: [{ key: 'a', job: { ...rare, retries: 3 } }] },
      /definitions\.0\.job\.retries must be between 0 and 2/,
    ],
    [
      { definitions: Array.from({ length: 101 }, (_, n) => ({ key: `k${n}`, job: rare })) },
      /at most 100 entries, got 101/,
    ],
    [
      {
        definitions: [
          { key: 'a', job: rare },
          { key: 'a', job: null },
        ],
      },
      /definitions\.1\.key must differ from definitions\.0\.key/,
    ],
  ];
  for (const [body, sentence] of cases) {
    assertRefused(
      await ask('POST', '/managed-jobs', body),
      400,
      sentence,
      JSON.stringify(body).slice(0, 80),
    );
  }
  const headers = { 'X-Token': 12_345 };
  const { body } = await ask('POST', '/managed-jobs', {
    definitions: [{ key: 'a', job: { ...rare, headers } }],
  });
  assert.doesNotMatch(body.error, /12345/, 'what may be a secret is not repeated');
  assert.deepEqual((await ask('GET', '/jobs')).body.jobs, []);
});

test('managed jobs are read in pages', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  await ask('POST', '/jobs', rare);
  const keys = Array.from({ length: 5 }, (_, index) => `k${index}`);
  for (const key of keys) await one(ask, { key, job: rare });
  const seen: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; page < 5 && cursor !== null; page += 1) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await ask('GET', `/managed-jobs?limit=2${query}`);
    seen.push(...body.managedJobs.map(({ key }: { key: string }) => key));
    cursor = body.nextCursor;
  }
  assert.deepEqual(seen, keys.toReversed());
});
