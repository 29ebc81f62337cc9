/** Changes of an account by several nodes while one of them holds it for long, as one does that is far from the database. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { createJob } from '../../../src/app/jobs/jobs.ts';
import { runJob } from '../../../src/app/runs/runs.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { lockAccountOf } from '../../../src/store/accounts/accounts.ts';
import type { Db, Store } from '../../../src/store/database/store.ts';
import { makeDatabase, onServer } from '../../support/postgres/database.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { writerIn } from '../../support/records/principal.ts';
import { quietApp } from '../../support/running/app.ts';
import { loopback, openTestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';

const { skip, started } = postgresOfFile();
const nodes = 3;
const url = 'http://127.0.0.1:1/';

async function setup(t: TestContext) {
  const { url: serverUrl, port } = await started();
  const database = await makeDatabase(serverUrl);
  const proxy = await startProxy(t, port);
  /** How often a transaction of a node gave up. */
  let rollbacks = 0;
  proxy.decide = ({ text }) => {
    if (text === 'rollback') rollbacks += 1;
    return 'passes';
  };
  const far = await openTestStore(t, database);
  const principal = writerIn(far.workspaceId);
  const apps: ReturnType<typeof quietApp>[] = [];
  for (let node = 0; node < nodes; node += 1) {
    const { store } = await openTestStore(t, proxy.urlOf(database));
    apps.push(quietApp({ store, clock: systemClock, allowTargets: loopback }));
  }
  const waiting = async (): Promise<number> => {
    const text = `select 1 from pg_stat_activity where wait_event_type = 'Lock'
      and datname = '${new URL(database).pathname.slice(1)}'`;
    return (await onServer(database, text)).length;
  };
  /** Begins this while the account is held, for longer than any statement waits for a lock. */
  const race = async <T>(begin: () => T): Promise<T> =>
    await holding(far, async (tx) => {
      const begun = begin();
      await until('a wait that is given up', async () => {
        // The server ends a transaction in which nothing happens.
        await sql`select 1`.execute(tx);
        return rollbacks >= nodes;
      });
      assert.ok((await waiting()) <= nodes, 'one connection of each node waits');
      // As an array: what is begun must not be awaited here.
      return [begun] as const;
    }).then(([begun]) => begun);
  return { apps, principal, race };
}

async function holding<T>(
  { store, workspaceId }: { store: Store; workspaceId: string },
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  return await store.write(async (tx) => {
    await lockAccountOf(tx, workspaceId);
    return await work(tx);
  });
}

test('changes of other nodes wait for it, and are made', { skip }, async (t) => {
  const { apps, principal, race } = await setup(t);
  const many = Array.from({ length: 10 * nodes }, (_, number) => number);
  const jobs = await race(() =>
    Promise.all(
      many.map((number) => {
        const app = apps[number % nodes] ?? assert.fail();
        return createJob(app, principal, { name: `job-${number}`, url });
      }),
    ),
  );
  assert.equal(new Set(jobs.map(({ id }) => id)).size, many.length);
});

test('45 runs by hand with one Idempotency-Key are one run', { skip }, async (t) => {
  const { apps, principal, race } = await setup(t);
  const { id } = await createJob(apps[0] ?? assert.fail(), principal, { name: 'job', url });
  const many = Array.from({ length: 15 * nodes }, (_, number) => number);
  const runs = await race(() =>
    Promise.all(
      many.map((number) => runJob(apps[number % nodes] ?? assert.fail(), principal, id, 'once')),
    ),
  );
  assert.equal(new Set(runs.map((run) => run.id)).size, 1);
});
