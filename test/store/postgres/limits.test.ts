/** What jobd stops waiting for ends at the server too, and says why: else each try would take another of its connections. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { findJob } from '../../../src/store/jobs/jobs.ts';
import { openStore } from '../../../src/store/open.ts';
import { connectTo, makeDatabase, onServer } from '../../support/postgres/database.ts';
import { noPgbouncer, startPgbouncer } from '../../support/postgres/pgbouncer.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';

const { skip, started } = postgresOfFile();
const newDatabase = async () => await makeDatabase((await started()).url);

const locked = {
  code: 'unavailable',
  message:
    'the database cannot be used now: another session holds a lock in the database: jobd doctor names it (55P03)',
};
const slow = {
  code: 'unavailable',
  message: 'the database cannot be used now: the database did not answer in time (57014)',
};
const pool = 3;

/** Locks a table as somebody else, until the test ends. */
async function lock(t: TestContext, url: string, table: string): Promise<void> {
  const holder = await connectTo(url, { application_name: 'somebody' });
  t.after(() => holder.end());
  await holder.query(`begin; lock table ${table}`);
}

/** How many connections of jobd there are at the server, and how many of them do something or wait. */
async function connectionsIn(url: string): Promise<{ all: number; busy: number }> {
  const [found] = await onServer<{ all: string; busy: string }>(
    url,
    `select count(*) as all, count(*) filter (where state <> 'idle') as busy from pg_stat_activity
      where datname = current_database() and application_name like 'jobd%'`,
  );
  return { all: Number(found?.all), busy: Number(found?.busy) };
}

async function untilNoneIsBusy(url: string): Promise<void> {
  await until('no statement at the server', async () => (await connectionsIn(url)).busy === 0);
}

const ways = [
  { through: 'directly', none: skip, way: async (_: TestContext, url: string) => url },
  { through: 'through PgBouncer', none: skip || noPgbouncer, way: startPgbouncer },
];

// They mostly wait.
describe('limits at the server', { concurrency: 5 }, () => {
  for (const { through, none, way } of ways) {
    test(`a lock that is not had, ${through}`, { skip: none }, async (t) => {
      const url = await newDatabase();
      await using store = await openStore(`${await way(t, url)}?pool=${pool}`);
      const { db } = store;
      await lock(t, url, 'jobs');
      for (let round = 0; round < 3; round += 1) {
        const asked = [
          db.selectFrom('jobs').selectAll().execute(),
          findJob(db, 'workspace', 'job'),
          store.write((tx) => findJob(tx, 'workspace', 'job')),
        ];
        await Promise.all(asked.map((answer) => assert.rejects(answer, locked)));
        await untilNoneIsBusy(url);
        assert.ok((await connectionsIn(url)).all <= pool);
      }
    });

    test(`a statement that takes too long, ${through}`, { skip: none }, async (t) => {
      const url = await newDatabase();
      await using store = await openStore(`${await way(t, url)}?pool=${pool}`);
      const sleep = sql`select pg_sleep(600)`;
      const asked = [sleep.execute(store.db), store.write((tx) => sleep.execute(tx))];
      await Promise.all(asked.map((answer) => assert.rejects(answer, slow)));
      await untilNoneIsBusy(url);
    });
  }

  test('a transaction that has them may still choose its isolation', { skip }, async () => {
    await using store = await openStore(await newDatabase());
    await store.write(async (tx) => {
      await sql`set transaction isolation level repeatable read`.execute(tx);
      const shown = await sql<{ found: string }>`select concat_ws(' ',
        current_setting('transaction_isolation'), current_setting('lock_timeout'),
        current_setting('statement_timeout')) as found`.execute(tx);
      assert.deepEqual(shown.rows, [{ found: 'repeatable read 2s 9s' }]);
    });
  });

  test('whoever wants to listen', { skip }, async (t) => {
    const url = await newDatabase();
    await using store = await openStore(url);
    await lock(t, url, 'hint_channel');
    await using hearing = store.hints.listen(() => {});
    hearing.noteOthers(true);
    const words = 'another session holds a lock in the database: jobd doctor names it (55P03)';
    await until('why', async () => (await hearing.check()) === words);
  });
});
