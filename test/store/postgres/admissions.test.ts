/** The limit of keys as PostgreSQL counts it, by its own clock: what was admitted is made older to let time pass. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { sql } from 'kysely';
import { createKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import { sha256Of } from '../../../src/app/accounts/secrets.ts';
import { createWorkspace, deleteWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { keyRule } from '../../../src/domain/accounts/key.ts';
import { databaseNow } from '../../../src/store/database/dialect.ts';
import { removeDeletedWorkspace } from '../../../src/store/accounts/workspaces.ts';
import type { Admissions } from '../../../src/store/database/admissions.ts';
import { openStore } from '../../../src/store/open.ts';
import { noPgbouncer, startPgbouncer } from '../../support/postgres/pgbouncer.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { quietApp } from '../../support/running/app.ts';
import { openTestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';

const { skip, newDatabase } = postgresOfFile();
const { limit, windowMs } = keyRule;
const usPerMs = 1_000;

async function setup(t: TestContext, through = async (url: string) => url) {
  const direct = await newDatabase();
  const url = await through(direct);
  const { store } = await openTestStore(t, url);
  const app = quietApp({ store, clock: systemClock });
  const admissions = store.admissions ?? assert.fail();
  const newKey = async (workspace = 'default') => {
    const { key, secret } = await createKey(app, { workspace, permission: 'write', name: '' });
    return { id: key.id, sha256: sha256Of(secret) };
  };
  /** Admitted times of a key, in microseconds. */
  const timesOf = async (id: string): Promise<number[]> => {
    const { rows } = await sql<{ times: string }>`
      select array_to_string(times, ',') as times from admissions where key_id = ${id}`.execute(
      store.db,
    );
    return rows.flatMap(({ times }) => times.split(',').map(Number));
  };
  /** Makes the admitted times of all keys older; younger if it is negative. */
  const pass = async (ms: number): Promise<void> => {
    const us = sql.lit(ms * usPerMs);
    await sql`update admissions set times = array(
      select at - ${us} from unnest(times) as at order by at)`.execute(store.db);
  };
  const now = async (): Promise<number> => {
    const { rows } = await sql<{ now: number }>`select ${databaseNow} as now`.execute(store.db);
    return rows[0]?.now ?? assert.fail();
  };
  return { url, store, app, admissions, newKey, timesOf, pass, now };
}

async function ask(admissions: Admissions, sha256: string, requests = 1) {
  const [counted] = (await admissions.admit([{ sha256, requests }], Date.now())) ?? [];
  return counted ?? assert.fail('the key is not known');
}

test(
  'the statement admits exactly what counting every admitted request would admit',
  { skip },
  async (t) => {
    const { store, admissions, newKey, timesOf, pass, now } = await setup(t);
    const { id, sha256 } = await newKey();
    // A second is longer than a step takes.
    const gaps = fc.constantFrom(0, 1_000, 15_000, 29_000, windowMs - 2_000, windowMs, 200_000);
    const sizes = fc.oneof(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: limit + 20 }),
      fc.constantFrom(limit - 1, limit, limit + 1),
    );
    const steps = fc.array(fc.tuple(gaps, sizes, fc.boolean()), { minLength: 2, maxLength: 12 });
    const property = fc.asyncProperty(steps, async (asked) => {
      await sql`truncate admissions`.execute(store.db);
      let model: number[] = [];
      for (const [gap, requests, isById] of asked) {
        await pass(gap);
        model = model.map((at) => at - gap * usPerMs);
        const before = await now();
        const counted = isById
          ? ((await admissions.count(id, requests)) ?? assert.fail())
          : await ask(admissions, sha256, requests);
        const inWindow = (ms: number) => model.filter((at) => at > (ms - windowMs) * usPerMs);
        const kept = inWindow(before);
        // A slow machine: some of it left the window meanwhile.
        const after = (await now()) + 1;
        fc.pre(kept.length === inWindow(after).length);
        const admitted = Math.min(requests, limit - kept.length);
        assert.equal(counted.admitted, admitted, 'admitted');
        assert.equal(counted.remaining, limit - kept.length - admitted, 'remaining');
        const times = await timesOf(id);
        const added = times.slice(times.length - admitted);
        const newest = added[0] ?? before * usPerMs;
        assert.equal(new Set(added).size, admitted === 0 ? 0 : 1, 'they were admitted at once');
        assert.ok(admitted === 0 || newest >= (before - 1) * usPerMs, 'by the clock');
        if (admitted > 0) model = [...kept, ...added];
        assert.deepEqual(times, model, 'what is kept');
        const moreInMs = ((model[0] ?? newest) - newest) / usPerMs + windowMs;
        const isRight = Math.abs(counted.moreInMs - moreInMs) <= after - before + 1;
        assert.ok(isRight, `${counted.moreInMs} ms`);
        assert.ok(counted.moreInMs > 0 && counted.moreInMs <= windowMs, `${counted.moreInMs} ms`);
      }
    });
    await fc.assert(property, { numRuns: 30 });
  },
);

test(
  'requests that ask at once over several connections are admitted exactly, each key by itself',
  { skip },
  async (t) => {
    const { url, admissions, newKey, timesOf } = await setup(t);
    const other = await openStore(url);
    t.after(() => other[Symbol.asyncDispose]());
    const theirs = other.admissions ?? assert.fail();
    const keys = await Promise.all(Array.from({ length: 5 }, () => newKey()));
    const all = keys.map(({ sha256 }) => ({ sha256, requests: 3 }));
    // In any order: they wait for each other, and never in a circle.
    const counted = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? admissions : theirs).admit(
          index % 3 === 0 ? all : all.toReversed(),
          Date.now(),
        ),
      ),
    );
    for (const { id, sha256 } of keys) {
      const ofKey = counted.flatMap((ones) => ones ?? []).filter((one) => one.sha256 === sha256);
      assert.equal(
        ofKey.reduce((sum, one) => sum + one.admitted, 0),
        limit,
      );
      const times = await timesOf(id);
      assert.equal(times.length, limit);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    }
  },
);

test(
  'a clock that is set back locks no key out for longer than two minutes',
  { skip },
  async (t) => {
    const { admissions, newKey, timesOf, pass, now } = await setup(t);
    const { id, sha256 } = await newKey();
    await ask(admissions, sha256, 70);
    await pass(-10_000);
    await ask(admissions, sha256, 50);
    const times = await timesOf(id);
    assert.equal(times.at(-1), (times[0] ?? 0) + 1, 'as soon as possible after the first ones');
    await pass(-20_000);
    const refused = await ask(admissions, sha256);
    assert.deepEqual([refused.admitted, refused.moreInMs], [0, windowMs], 'time stands still');
    await pass(60_000);
    assert.equal((await ask(admissions, sha256)).admitted, 0, '30 s after the first ones');
    await pass(31_000);
    assert.equal((await ask(admissions, sha256, limit)).admitted, limit);
    await pass(-3_600_000);
    assert.equal((await ask(admissions, sha256, 50)).admitted, 50, 'limits begin anew');
    assert.equal((await ask(admissions, sha256, limit)).admitted, limit - 50);
    const newest = (await timesOf(id)).at(-1) ?? 0;
    assert.ok(Math.abs(newest / usPerMs - (await now())) < 10_000);
  },
);

test('only valid keys are counted, and their rows go away with them', { skip }, async (t) => {
  const { store, app, admissions, newKey } = await setup(t);
  const rows = async (): Promise<number> =>
    (await sql`select from admissions`.execute(store.db)).rows.length;
  await createWorkspace(app, { name: 'other', account: 'default' });
  const [kept, revoked, deleted] = [await newKey(), await newKey(), await newKey('other')];
  const asked = [kept, revoked, deleted].map(({ sha256 }) => ({ sha256, requests: 1 }));
  const unknown = { sha256: sha256Of('nothing'), requests: 1 };
  const found = async (): Promise<string[]> =>
    ((await admissions.admit([unknown, ...asked], Date.now())) ?? [])
      .map(({ id }) => id)
      .toSorted();
  assert.deepEqual(await found(), [kept.id, revoked.id, deleted.id].toSorted());
  assert.equal(await rows(), 3);
  await revokeKey(app, revoked.id);
  await deleteWorkspace(app, 'other');
  assert.deepEqual(await found(), [kept.id]);
  const other = await store.db
    .selectFrom('workspaces')
    .select('id')
    .where('name', '<>', 'default')
    .executeTakeFirstOrThrow();
  const now = Date.now();
  for (let steps = 0; steps < 10 && (await rows()) > 2; steps += 1) {
    await store.write((tx) => removeDeletedWorkspace(tx, other.id, { now, limit: 100 }));
  }
  assert.equal(await rows(), 2, 'a revoked key has its row');
  assert.equal(await admissions.count(deleted.id, 1), null);
});

test('a key that is removed while it is counted is not known', { skip }, async (t) => {
  const { store, admissions, newKey } = await setup(t);
  const { id, sha256 } = await newKey();
  const waits = async (): Promise<boolean> => {
    const { rows } = await sql`
      select from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`.execute(store.db);
    return rows.length > 0;
  };
  const { asked } = await store.write(async (tx) => {
    await tx.deleteFrom('keys').where('id', '=', id).execute();
    const asking = admissions.admit([{ sha256, requests: 1 }], Date.now());
    await until('the lock', waits);
    return { asked: asking };
  });
  assert.deepEqual(await asked, []);
});

test('a crash of the server empties the table, and nothing else', { skip }, async (t) => {
  const { store } = await setup(t);
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relpersistence = 'u'`.execute(
    store.db,
  );
  assert.deepEqual(rows, [{ name: 'admissions' }]);
});

test(
  'through PgBouncer in transaction mode it admits exactly as many',
  { skip: skip || noPgbouncer },
  async (t) => {
    const { admissions, newKey } = await setup(t, (url) => startPgbouncer(t, url));
    const { sha256 } = await newKey();
    const counted = await Promise.all(
      Array.from({ length: 30 }, () => ask(admissions, sha256, 10)),
    );
    assert.equal(
      counted.reduce((sum, { admitted }) => sum + admitted, 0),
      limit,
    );
  },
);
