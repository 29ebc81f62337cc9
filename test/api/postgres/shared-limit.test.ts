/** Servers that share a database on PostgreSQL share the limit of each key, and its end. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startServer } from '../../../src/serve/server.ts';
import { createKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { openLog } from '../../../src/base/log.ts';
import { openStore } from '../../../src/store/open.ts';
import { makeDatabase, onServer } from '../../support/postgres/database.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { quietApp } from '../../support/running/app.ts';
import { bearer, send } from '../../support/running/send.ts';
import { openTestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';

const { skip, started } = postgresOfFile();

/** Two servers, each with connections of its own. */
async function setup(t: TestContext) {
  const { url, port } = await started();
  const database = await makeDatabase(url);
  const proxy = await startProxy(t, port);
  const { store } = await openTestStore(t, database);
  const other = await openStore(proxy.urlOf(database));
  t.after(() => other[Symbol.asyncDispose]());
  const apps = [store, other].map((one) => quietApp({ store: one, clock: systemClock }));
  const [app = assert.fail()] = apps;
  const urls = await Promise.all(apps.map((one) => listen(t, one)));
  const newKey = () => createKey(app, { workspace: 'default', permission: 'write', name: '' });
  return { app, urls, proxy, database, newKey };
}

async function listen(t: TestContext, app: ReturnType<typeof quietApp>): Promise<string> {
  const where = { host: '127.0.0.1', port: 0, baseUrl: null, corsOrigins: [] };
  const { url, [Symbol.asyncDispose]: stop } = await startServer(app, where, openLog('silent'));
  t.after(stop);
  return url;
}

async function ask(url = '', key: string, path = '/jobs', body?: unknown) {
  const method = body === undefined ? 'GET' : 'POST';
  const { status, headers } = await send(`${url}/api/v1${path}`, method, body, bearer(key));
  const said = /^"key";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '');
  return {
    status,
    remaining: said && Number(said[1]),
    moreInSeconds: Number(said?.[2]),
    policy: headers.get('ratelimit-policy'),
    retryAfter: headers.get('retry-after'),
  };
}

test('of 300 requests at once to two servers exactly 120 are admitted', { skip }, async (t) => {
  const { urls, newKey } = await setup(t);
  const { secret } = await newKey();
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) => ask(urls[index % 2], secret)),
  );
  const admitted = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  assert.deepEqual([admitted.length, refused.length], [120, 180]);
  const left = admitted.map(({ remaining }) => remaining ?? -1).toSorted((a, b) => a - b);
  assert.deepEqual(
    left,
    Array.from({ length: 120 }, (_, index) => index),
    'each of them is told another number that is left',
  );
  for (const { status, remaining, moreInSeconds, policy, retryAfter } of answers) {
    assert.equal(policy, '"key";q=120;w=60');
    assert.ok(moreInSeconds > 0 && moreInSeconds <= 60, `t=${moreInSeconds}`);
    if (status === 429) assert.deepEqual([remaining, retryAfter], [0, '60']);
  }
});

test('sign-ins and items count for the key on every server', { skip }, async (t) => {
  const { urls, newKey } = await setup(t);
  const { secret } = await newKey();
  const ids = Array.from(
    { length: 100 },
    (_, index) => `01a1fc58-a505-7000-bebc-05915${1e6 + index}`,
  );
  const actions = { action: 'pause', ids };
  assert.equal((await ask(urls[0], secret, '/jobs/actions', actions)).remaining, 115);
  assert.equal((await ask(urls[1], secret, '/session', { key: secret })).remaining, 113);
  for (let count = 0; count < 22; count += 1) {
    assert.equal((await ask(urls[count % 2], secret, '/jobs/actions', actions)).status, 200);
  }
  assert.equal((await ask(urls[0], secret, '/jobs/actions', actions)).status, 429, 'it has 3 left');
  assert.equal((await ask(urls[1], secret)).status, 429, 'those that fit are counted');
});

test(
  'a key that one server revoked is refused by the next request to another',
  { skip },
  async (t) => {
    const { app, urls, newKey } = await setup(t);
    for (let count = 0; count < 10; count += 1) {
      const { secret, key } = await newKey();
      const both = async () =>
        (await Promise.all(urls.map((url) => ask(url, secret)))).map(({ status }) => status);
      assert.deepEqual(await both(), [200, 200]);
      await revokeKey(app, key.id);
      assert.deepEqual(await both(), [401, 401]);
    }
  },
);

test(
  'while the database is away the answer is 503, and limits go on when it is back',
  { skip },
  async (t) => {
    const { urls, proxy, newKey } = await setup(t);
    const { secret } = await newKey();
    assert.equal((await ask(urls[1], secret)).remaining, 119);
    proxy.decide = () => 'is lost';
    const away = await Promise.all(Array.from({ length: 20 }, () => ask(urls[1], secret)));
    assert.deepEqual(new Set(away.map(({ status }) => status)), new Set([503]));
    assert.equal((await ask(urls[0], secret)).remaining, 118, 'the other server is not affected');
    proxy.decide = () => 'passes';
    assert.equal((await ask(urls[1], secret)).remaining, 117);
  },
);

test('while the database can only be read, each server counts by itself', { skip }, async (t) => {
  const { urls, database, newKey } = await setup(t);
  const { secret } = await newKey();
  const left = async () =>
    (await Promise.all(urls.map((url) => ask(url, secret)))).map(({ remaining }) => remaining);
  assert.deepEqual(new Set(await left()), new Set([118, 119]));
  const name = new URL(database).pathname.slice(1);
  await onServer(database, `alter database ${name} set default_transaction_read_only = on`);
  await onServer(
    database,
    'select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await until('answers over new connections', async () => !(await left()).includes(null));
  const [mine = null, theirs = null] = await left();
  assert.ok(mine !== null && theirs !== null);
  assert.deepEqual(await left(), [mine - 1, theirs - 1]);
  assert.equal((await ask(urls[0], `cp_${'0'.repeat(64)}`)).status, 401);
});
