import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createHealth } from '../../../src/app/operator/health.ts';
import { found, type Finding, type FindingCode } from '../../../src/domain/findings.ts';
import { useZoneSource } from '../../../src/domain/schedule/zone-data.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { openTestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';
import { holdWriteLock } from '../../support/running/write-lock.ts';

/** The health of a store whose process finds this. */
function healthOf(store: Store, own: () => Finding[] = () => []) {
  const clock = fakeClock();
  const changes: (FindingCode | null)[][] = [];
  const onChange = (begun: readonly Finding[], over: readonly Finding[]): void =>
    void changes.push(
      begun.map(({ code }) => code),
      over.map(({ code }) => code),
    );
  const health = createHealth({ store, clock, dataDir: '/nowhere', own, onChange });
  return { ...health, clock, changes };
}

async function get(url: string, path: string): Promise<[number, unknown]> {
  const response = await fetch(`${url}${path}`);
  return [response.status, await response.json()];
}

test('ready while the database is writable, otherwise not ready with the reason', async (t) => {
  const { url, dataDir } = await startTestDaemon(t);
  assert.deepEqual(await get(url, '/readyz'), [200, { status: 'ready', notes: [] }]);
  const lock = await holdWriteLock(t, dataDir, 'until released');
  const notReady = await until('that it is not ready', async () => {
    const [status, body] = await get(url, '/readyz');
    return status === 503 ? (body as { error: string }) : null;
  });
  assert.deepEqual(Object.keys(notReady), ['error']);
  assert.match(
    notReady.error,
    /^not ready since 20\S+Z: .*the database cannot be used now: .*(database is locked|another session holds a lock)/,
  );
  assert.deepEqual(await get(url, '/healthz'), [200, { status: 'ok' }], 'alive all the same');
  lock.release();
  await lock.ended;
  await until('that it is ready again', async () => (await get(url, '/readyz'))[0] === 200);
});

test('a problem of the engine makes it not ready; concurrent checks share one write', async (t) => {
  const { store } = await openTestStore(t);
  let writes = 0;
  const counting: Store = {
    ...store,
    write(work) {
      writes += 1;
      return store.write(work);
    },
  };
  const short = found('space-short', { causes: ['disk'], freeBytes: 1 });
  let own = [found('calls-wait', { reason: 'no' }), short];
  const { ask, clock } = healthOf(counting, () => own);
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  for (const { problems, notes } of answers) {
    assert.deepEqual([problems, notes], [own.slice(0, 1), own.slice(1)]);
  }
  assert.equal(writes, 1);
  own = [];
  clock.pass(2_000);
  assert.deepEqual(await ask(), { problems: [], notes: [], since: null });
  assert.equal(writes, 2);
});

test('a database that cannot be used is said once, not for each loop that needs it', async (t) => {
  const { store } = await openTestStore(t);
  const reason = 'the database cannot be used now: gone';
  const failing: Store = { ...store, write: async () => Promise.reject(new Error(reason)) };
  const loops = found('loop-fails', { loops: ['claim', 'record'], reason, count: 2 });
  const waiting = found('calls-wait', { reason: 'b' });
  const { ask, problems } = healthOf(failing, () => [loops, waiting]);
  assert.deepEqual((await ask()).problems, [loops, waiting]);
  assert.deepEqual(problems(), [loops, waiting]);
  const idle = healthOf(failing, () => [waiting]);
  const unusable = found('database-unusable', { reason });
  assert.deepEqual((await idle.ask()).problems, [unusable, waiting]);
});

test('it is known since when it is not ready, also where nobody asked at first', async (t) => {
  const { store } = await openTestStore(t);
  let own = [found('calls-wait', { reason: 'no' })];
  const { ask, check, clock } = healthOf(store, () => own);
  const began = clock.now();
  await check();
  clock.advanceBoth(60_000);
  assert.equal((await ask()).since, began);
  own = [];
  clock.advanceBoth(10_000);
  await check();
  own = [found('calls-wait', { reason: 'again' })];
  clock.advanceBoth(60_000);
  assert.equal((await ask()).since, clock.now(), 'the first one is over');
});

test('what a check finds is known until it finds it no more, and both are said once', async (t) => {
  const { store } = await openTestStore(t);
  const { known, check, changes, ask } = healthOf(store);
  t.after(() => useZoneSource({ builtIn: '', find: () => null }));
  useZoneSource({ builtIn: '2001a', find: () => null });
  for (let times = 0; times < 2; times += 1) await check();
  assert.match(
    known()
      .map(({ detail }) => detail)
      .join(),
    /^the time-zone data is old \(2001a, built in\)/,
  );
  const answer = { problems: [], notes: known(), since: null };
  assert.deepEqual(await ask(), answer, 'it is ready all the same');
  useZoneSource({ builtIn: '2999a', find: () => null });
  for (let times = 0; times < 2; times += 1) await check();
  assert.deepEqual(known(), []);
  assert.deepEqual(changes, [['time-zones-old'], [], [], [], [], ['time-zones-old'], [], []]);
});

test('a check that fails leaves what is known, and jobd ready', async (t) => {
  const { store } = await openTestStore(t);
  await sql`drop table ledger_checks`.execute(store.db);
  const { ask, check } = healthOf(store);
  await assert.rejects(check());
  assert.deepEqual(await ask(), { problems: [], notes: [], since: null });
});

test('a check that does not end is shared by all who ask meanwhile', async (t) => {
  const { store } = await openTestStore(t);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let writes = 0;
  const stuck: Store = {
    ...store,
    async write(work) {
      writes += 1;
      await released;
      return await store.write(work);
    },
  };
  const { ask, clock } = healthOf(stuck);
  const first = ask();
  clock.pass(60_000);
  const second = ask();
  release();
  assert.deepEqual(await second, await first);
  assert.equal(writes, 1);
});
