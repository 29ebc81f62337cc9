/** A server that gives jobd no connections: it says so, and continues as soon as there are some. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onServer } from '../../support/postgres/database.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';
import {
  assertAllCalledOnce,
  assertAway,
  keepAsking,
  prepareOnServer,
  skip,
  untilCalls,
  untilReady,
} from './service.ts';

const jobCount = 120;

test('a server without a free connection', { skip }, async (t) => {
  await using server = await startPostgres();
  const service = await prepareOnServer(t, server.url, jobCount);
  const { database, askSite } = service;
  await onServer(
    database,
    'create role jobd login; grant all on schema jobd to jobd; grant all on all tables in schema jobd to jobd',
  );
  const daemon = await service.start(Object.assign(new URL(database), { username: 'jobd' }).href);
  await service.storm(500, 5_000);
  const endAsking = keepAsking(service);
  await untilCalls(service, jobCount / 4);
  await onServer(database, 'alter role jobd connection limit 0');
  await onServer(
    database,
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'jobd'",
  );
  await assertAway(service);
  // First it says that its connections ended.
  await until('why there are none', async () => {
    const { error = '' } = (await askSite('/readyz')).body as { error?: string };
    return /the server has no connection left for this role: raise .* \(53300\)/.test(error);
  });
  await onServer(database, 'alter role jobd connection limit -1');
  await untilReady(service);
  await service.untilSettled();
  await endAsking();
  assert.equal(await daemon.stop(), 0, daemon.log());
  await assertAllCalledOnce(service);
});
