/** A daemon that is killed in the middle of a storm and started again: what was under way is interrupted, and not called again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPostgres } from '../../support/postgres/server.ts';
import { prepareOnServer, skip, untilCalls, untilReady } from './service.ts';

const jobCount = 240;

test('a daemon that is killed and started again', { skip }, async (t) => {
  await using server = await startPostgres();
  const service = await prepareOnServer(t, server.url, jobCount);
  const { witness } = service;
  const first = await service.start();
  await service.storm(500, 5_000);
  await untilCalls(service, jobCount / 4);
  assert.equal(await first.stop('SIGKILL'), 'SIGKILL');
  // What is due by now is called at once, so this one dies while it calls many.
  const second = await service.start();
  await untilCalls(service, jobCount / 2);
  assert.equal(await second.stop('SIGKILL'), 'SIGKILL');
  const third = await service.start();
  await untilReady(service);
  const { runs } = await service.untilSettled();
  assert.equal(await third.stop(), 0, third.log());
  assert.deepEqual(await service.audit(), []);
  const called = new Set(witness.arrivals.map(({ runId }) => runId));
  assert.equal(witness.arrivals.length, called.size);
  const interrupted = runs.filter(({ status }) => status === 'interrupted');
  assert.ok(
    interrupted.some(({ id }) => called.has(id)),
    'some died after they were sent',
  );
  assert.equal(runs.length, jobCount);
});
