/** Readiness: whether jobd can do its work. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createReadiness } from '../../../src/app/operator/readiness.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { quietApp } from '../../support/running/app.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { openTestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';
import { holdWriteLock } from '../../support/running/write-lock.ts';

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
    /^not ready: the store cannot be used now: .*(database is locked|another session holds a lock)/,
  );
  assert.deepEqual(await get(url, '/healthz'), [200, { status: 'ok' }], 'alive all the same');
  lock.release();
  await lock.ended;
  await until('that it is ready again', async () => (await get(url, '/readyz'))[0] === 200);
});

test('a problem of the engine makes it not ready; concurrent checks share one write', async (t) => {
  const { store } = await openTestStore(t);
  const clock = fakeClock();
  let writes = 0;
  const counting: Store = {
    ...store,
    write(work) {
      writes += 1;
      return store.write(work);
    },
  };
  let troubles = ['claim fails: no'];
  const readiness = createReadiness(
    quietApp({ store: counting, clock, engineTroubles: () => troubles }),
  );
  const answers = await Promise.all(Array.from({ length: 20 }, readiness));
  for (const { troubles: found } of answers) assert.deepEqual(found, ['claim fails: no']);
  assert.equal(writes, 1);
  troubles = [];
  clock.pass(2_000);
  assert.deepEqual(await readiness(), { troubles: [], notes: [] });
  assert.equal(writes, 2);
});

test('a reason that several have is said once', async (t) => {
  const { store } = await openTestStore(t);
  const away = 'the store cannot be used now: gone';
  let isAway = true;
  const failing: Store = {
    ...store,
    write: async (work) => (isAway ? Promise.reject(new Error(away)) : await store.write(work)),
  };
  const clock = fakeClock();
  const engineTroubles = () => [`claim fails: ${away}`, 'calls wait: b', `own runs fails: ${away}`];
  const readiness = createReadiness(quietApp({ store: failing, clock, engineTroubles }));
  const expected = [`claim, own runs fail: ${away}`, 'calls wait: b'];
  assert.deepEqual((await readiness()).troubles, expected);
  isAway = false;
  clock.pass(2_000);
  assert.deepEqual((await readiness()).troubles, expected);
});

test('notes that cannot be read are left out: it is ready all the same', async (t) => {
  const { store } = await openTestStore(t);
  await sql`drop table ledger_checks`.execute(store.db);
  const readiness = createReadiness(quietApp({ store, clock: fakeClock() }));
  assert.deepEqual(await readiness(), { troubles: [], notes: [] });
});

test('a check that does not end is shared by all who ask meanwhile', async (t) => {
  const { store } = await openTestStore(t);
  const clock = fakeClock();
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
  const readiness = createReadiness(quietApp({ store: stuck, clock }));
  const first = readiness();
  clock.pass(60_000);
  const second = readiness();
  release();
  assert.deepEqual(await second, await first);
  assert.equal(writes, 1);
});
