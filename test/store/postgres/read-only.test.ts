/** A server that can only be read, such as a copy after a failover: the next server of the URL is used. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../../../src/store/open.ts';
import { connectPostgres } from '../../../src/store/postgres/open.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { onServer } from '../../support/postgres/database.ts';
import { noPostgres, startPostgres } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';

const skip = noPostgres() ?? false;
const readOnly =
  /^the database cannot be used now: the database can only be read: it is a copy, or default_transaction_read_only is on \(25006\)$/;

test(
  'the only server can be read meanwhile, and is written again afterwards',
  { skip },
  async () => {
    await using server = await startPostgres();
    await using store = await openStore(server.url);
    await write(store);
    await setReadOnly(server.url, 'on');
    await assert.rejects(write(store), { code: 'unavailable', message: readOnly });
    assert.equal(await portOf(store), server.port);
    await setReadOnly(server.url, 'off');
    await write(store);
  },
);

test('of several servers, the one is used that can be written', { skip }, async () => {
  const [one, other] = await Promise.all([startPostgres(), startPostgres()]);
  await using first = one;
  await using second = other;
  for (const { url } of [first, second]) await (await openStore(url))[Symbol.asyncDispose]();
  const hosts = [first, second].map(({ port }) => `127.0.0.1:${port}`);
  await using store = await openStore(`postgres://postgres@${hosts.join()}/postgres`);
  assert.deepEqual(await portsOfMany(store), [first.port]);

  await setReadOnly(first.url, 'on');
  await assert.rejects(write(store), { code: 'unavailable', message: readOnly });
  assert.deepEqual(await portsOfMany(store), [second.port], 'no older connection is left');
  await write(store);

  await setReadOnly(first.url, 'off');
  await second.stop('immediate');
  await until('the first server', () =>
    write(store).then(
      () => true,
      () => false,
    ),
  );
  assert.deepEqual(await portsOfMany(store), [first.port]);

  await second.start();
  await setReadOnly(second.url, 'on');
  await first.stop('immediate');
  const both = new RegExp(
    `^the database cannot be used now: connect ECONNREFUSED ${hosts[0]}; ${hosts[1]}: the database can only be read: `,
  );
  await until('an end of all connections', async () => {
    const failure = await write(store).catch((error: Error) => error.message);
    return failure !== undefined && both.test(failure);
  });
});

/** Sets it for all transactions from now on. */
async function setReadOnly(url: string, value: 'on' | 'off'): Promise<void> {
  await onServer(url, `alter system set default_transaction_read_only = ${value}`);
  await onServer(url, 'select pg_reload_conf()');
  await until('the setting', async () => (await settingOf(url)) === value);
}

async function settingOf(url: string): Promise<string | undefined> {
  await using store = await connectPostgres(url);
  const { rows } = await sql<{ is: string }>`
    select current_setting('default_transaction_read_only') as is`.execute(store.db);
  return rows[0]?.is;
}

async function write(store: Store): Promise<void> {
  await store.write((tx) => tx.updateTable('instance').set({ site_url: '' }).execute());
}

async function portOf(store: Store): Promise<number> {
  const { rows } = await sql<{ port: number }>`
    select current_setting('port')::integer as port, pg_sleep(0.05)`.execute(store.db);
  return rows[0]?.port ?? 0;
}

/** The ports of the servers of several connections at the same time. */
async function portsOfMany(store: Store): Promise<number[]> {
  return [...new Set(await Promise.all(Array.from({ length: 5 }, () => portOf(store))))];
}
