/** Names in statements mean jobd's own tables, and PostgreSQL's functions and operators, whatever others do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../../../src/store/open.ts';
import type { Db, Store } from '../../../src/store/database/store.ts';
import { connectTo, makeEmptyDatabase, onServer } from '../../support/postgres/database.ts';
import { noPgbouncer, startPgbouncer } from '../../support/postgres/pgbouncer.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { runCommand } from '../../support/running/command.ts';

// Its roles are those of the whole server.
const { skip, started } = postgresOfFile({});

/** A database of the role `worker`, in which the role `other` may create schemas, and both URLs. */
async function sharedDatabase() {
  const { url } = await started();
  await onServer(
    url,
    `do $$ begin create role worker login; create role other login;
     exception when duplicate_object then null; end $$`,
  );
  const database = await makeEmptyDatabase(url, 'owner worker');
  const name = new URL(database).pathname.slice(1);
  await onServer(
    database,
    // As PostgreSQL 14 does by itself.
    `grant create on schema public to public; grant create on database ${name} to other`,
  );
  const as = (user: string): string => Object.assign(new URL(database), { username: user }).href;
  return { url: database, worker: as('worker'), other: as('other') };
}

/** What another role can make in a schema: a table that looks like jobd's, and an operator that fits better than PostgreSQL's. */
function trap(schema: string): string {
  return `
    create table ${schema}.workspaces (id text, name text);
    insert into ${schema}.workspaces values ('trap', 'trap');
    create function ${schema}.trap(jsonb, jsonb) returns text language sql as $$ select 'trap' $$;
    create operator ${schema}.->> (leftarg = jsonb, rightarg = jsonb, function = ${schema}.trap);
    grant usage on schema ${schema} to public;
    grant select on ${schema}.workspaces to public`;
}

const field = `select '{"1":"right"}'::jsonb ->> '1' as field`;

/** What the names mean in a statement of jobd. */
async function meaning(db: Db): Promise<unknown> {
  const { rows } = await sql<{ field: string; traps: number }>`
    ${sql.raw(field)}, (select count(*) from workspaces where id = 'trap') as traps`.execute(db);
  return rows;
}

/** Outside of a transaction and within one, on each of several connections. */
async function assertRight(store: Store): Promise<void> {
  const asked = [1, 2, 3].flatMap(() => [meaning(store.db), store.write(meaning)]);
  for (const found of await Promise.all(asked)) {
    assert.deepEqual(found, [{ field: 'right', traps: 0 }]);
  }
}

test('what another role puts into other schemas changes nothing', { skip }, async () => {
  const { worker, other } = await sharedDatabase();
  await using store = await openStore(worker);
  await onServer(other, `create schema worker; ${trap('worker')}; ${trap('public')}`);
  const client = await connectTo(worker, { options: '' });
  const { rows } = await client.query(field);
  await client.end();
  assert.deepEqual(rows, [{ field: 'trap' }], 'it would');
  await assertRight(store);
  await using again = await openStore(worker);
  await assertRight(again);
});

test('nor do settings of the role, and temporary tables', { skip }, async () => {
  const { url, worker, other } = await sharedDatabase();
  await onServer(other, `create schema evil; ${trap('evil')}`);
  for (const path of ['evil', 'evil, pg_catalog', 'pg_catalog', '']) {
    await onServer(url, `alter role worker set search_path = ${path || "''"}`);
    await using store = await openStore(worker);
    await assertRight(store);
  }
  await onServer(url, 'alter role worker reset search_path');
  await using store = await openStore(`${worker}?pool=2`);
  for (const _ of [1, 2]) {
    await sql`create temporary table if not exists pg_temp.workspaces as select 'trap' as id`.execute(
      store.db,
    );
  }
  await assertRight(store);
});

test('nor does PGOPTIONS', { skip }, async () => {
  const { worker, other } = await sharedDatabase();
  await using store = await openStore(worker);
  await onServer(other, `create schema evil; ${trap('evil')}`);
  const { stdout } = await runCommand(['workspace', 'list', '--json'], {
    JOBD_DATABASE_URL: worker,
    JOBD_SECRET_KEY: '7a'.repeat(32),
    PGOPTIONS: '-c search_path=evil',
  });
  assert.match(stdout, /"default"/);
  await assertRight(store);
});

test(
  'nor does what another client of PgBouncer left on a connection',
  { skip: skip || noPgbouncer },
  async (t) => {
    const { url, other } = await sharedDatabase();
    await onServer(other, `create schema evil; ${trap('evil')}`);
    const through = await startPgbouncer(t, url);
    await using store = await openStore(through);
    const clients = await Promise.all([1, 2, 3].map(() => connectTo(through, { options: '' })));
    // Each has a connection of its own while it is in a transaction.
    for (const words of ['begin', 'set search_path = evil', 'commit']) {
      await Promise.all(clients.map((client) => client.query(words)));
    }
    for (const client of clients) {
      const { rows } = await client.query(field);
      assert.deepEqual(rows, [{ field: 'trap' }], 'it is left there');
    }
    await assertRight(store);
    for (const client of clients) {
      const { rows } = await client.query('show search_path');
      assert.deepEqual(rows, [{ search_path: 'evil' }], 'and jobd leaves nothing');
      await client.end();
    }
  },
);

test('a schema of this name that is another role’s is refused', { skip }, async () => {
  const { url, worker, other } = await sharedDatabase();
  await onServer(other, 'create schema jobd; grant all on schema jobd to public');
  const refused = {
    code: 'unavailable',
    message: /^the schema jobd .* belongs to the role "other"/,
  };
  await assert.rejects(openStore(worker), refused);
  await assert.rejects(openStore(url), refused, 'also for a superuser');
  await onServer(url, 'alter schema jobd owner to worker');
  await (await openStore(worker))[Symbol.asyncDispose]();
});

test('no statement waits for more than one answer', { skip }, async (t) => {
  const { url, port } = await started();
  const proxy = await startProxy(t, port);
  await using store = await openStore(proxy.urlOf(await makeEmptyDatabase(url)));
  await meaning(store.db);
  const asked: string[] = [];
  let answers = 0;
  proxy.decide = ({ text }) => (asked.push(text), 'passes');
  proxy.rewrite = (answer) => ((answers += 1), answer);
  await meaning(store.db);
  assert.deepEqual([asked.length, answers], [1, 1]);
  await store.write(meaning);
  assert.deepEqual([asked.length, answers], [4, 4], 'with begin and commit');
});
