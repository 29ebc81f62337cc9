/** The main use of two nodes through PgBouncer in transaction mode, which shares three connections among all. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noPgbouncer, startPgbouncer } from '../../support/postgres/pgbouncer.ts';
import { onServer } from '../../support/postgres/database.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { jobd } from '../../support/running/executable.ts';
import { testSecretKey } from '../../support/running/local.ts';
import { until } from '../../support/until.ts';
import { assertAllCalledOnce, prepareOnServer, skip, untilCalls } from './service.ts';

const jobCount = 60;

test(
  'two nodes do all of the main job through PgBouncer',
  { skip: skip || noPgbouncer },
  async (t) => {
    await using server = await startPostgres();
    const service = await prepareOnServer(t, server.url, jobCount);
    const { ask, jobs, witness, database } = service;
    const pooled = await startPgbouncer(t, database);
    const nodes = [await service.start(pooled), await service.start(pooled)];
    await service.storm(500, 1_000);
    await untilCalls(service, jobCount);
    await service.untilSettled();
    await assertAllCalledOnce(service);
    const isSigned = async (): Promise<boolean> => {
      const counted = await onServer<{ receipts: number }>(
        database,
        'select count(*)::int as receipts from receipts',
      );
      return counted[0]?.receipts === jobCount;
    };
    await until('a receipt of every run', isSigned);

    // A monitor, a manual run, a change.
    const monitor = { name: 'backup', periodSeconds: 3_600, graceSeconds: 60 };
    const made = await ask('POST', '/monitors', { ...monitor, scheduleType: 'period' });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { pingUrl } = made.body.monitor as { pingUrl: string };
    const site = new URL((await nodes[0]?.listening) ?? '');
    const ping = new URL(new URL(pingUrl).pathname, site);
    assert.equal((await fetch(ping)).status, 200);
    const [job] = jobs;
    assert.equal((await ask('PATCH', `/jobs/${job}`, { notes: 'pooled' })).status, 200);
    const ran = await ask('POST', `/jobs/${job}/run`);
    assert.ok([201, 202].includes(ran.status), JSON.stringify(ran.body));
    await untilCalls(service, jobCount + 1);
    assert.equal(witness.arrivals.length, jobCount + 1);

    const env = { JOBD_DATABASE_URL: pooled, JOBD_SECRET_KEY: testSecretKey };
    const shown = await jobd(['nodes', '--json'], env);
    assert.equal(shown.exitCode, 0, shown.stderr);
    const { nodes: known } = JSON.parse(shown.stdout) as { nodes: { role: string }[] };
    assert.deepEqual(known.map(({ role }) => role).toSorted(), ['leader', 'serving']);
    const ledger = await ask('GET', '/ledger');
    assert.equal(ledger.status, 200, JSON.stringify(ledger.body));
    const doctor = await jobd(['doctor'], env);
    assert.doesNotMatch(doctor.stdout, /^fail/m);
    for (const node of nodes) assert.equal(await node.stop(), 0, node.log());
  },
);
