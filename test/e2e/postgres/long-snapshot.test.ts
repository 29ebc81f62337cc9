/** Another program keeps a snapshot open while jobs become due again and again: calls go on, and the doctor tells it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTo, onServer } from '../../support/postgres/database.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { jobd } from '../../support/running/executable.ts';
import { testSecretKey } from '../../support/running/local.ts';
import { until } from '../../support/until.ts';
import { prepareOnServer, skip, untilCalls } from './service.ts';

const jobCount = 1_000;
const storms = 4;

test(
  'with a snapshot that stays open, all that is due is called in time, and doctor says why the tables grow',
  { skip },
  async (t) => {
    await using server = await startPostgres();
    const service = await prepareOnServer(t, server.url, jobCount);
    const { database, witness } = service;
    const node = await service.start();
    const other = await connectTo(database);
    t.after(() => other.end());
    await other.query('begin isolation level repeatable read; select count(*) from runs');
    for (let storm = 1; storm <= storms; storm += 1) {
      await service.storm(0, 0);
      await untilCalls(service, storm * jobCount);
      await service.untilSettled();
    }
    const { damage, runs } = await service.books();
    assert.deepEqual(damage, []);
    assert.deepEqual([...new Set(runs.map(({ status }) => status))], ['success']);
    const callsOf = Map.groupBy(witness.arrivals, ({ path }) => path);
    assert.deepEqual([...new Set([...callsOf.values()].map((calls) => calls.length))], [storms]);
    assert.equal(callsOf.size, jobCount);

    const env = { JOBD_DATABASE_URL: database, JOBD_SECRET_KEY: testSecretKey };
    const isTold = async (): Promise<boolean> => {
      // What autovacuum does every minute, and cannot finish.
      await onServer(database, 'analyze jobs');
      const { stdout } = await jobd(['doctor'], env);
      return /^warn\tdead rows\tthe table jobs has \d+ dead rows beside 1000, /m.test(stdout);
    };
    await until('the warning', isTold);
    await other.query('commit');
    assert.equal(await node.stop(), 0, node.log());
  },
);
