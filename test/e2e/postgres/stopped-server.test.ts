/** A server that is stopped in the middle of a storm, in each way, and started again: every due time is called once. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startPostgres } from '../../support/postgres/server.ts';
import {
  assertAllCalledOnce,
  assertAway,
  keepAsking,
  prepareOnServer,
  skip,
  untilCalls,
  untilReady,
} from './service.ts';

const jobCount = 240;

// They mostly wait.
describe('a server in a storm of due times', { concurrency: 3, skip }, () => {
  for (const how of ['fast', 'immediate', 'kill'] as const) {
    test(`is stopped (${how}) and started again`, async (t) => {
      await using server = await startPostgres();
      const service = await prepareOnServer(t, server.url, jobCount);
      const daemon = await service.start();
      await service.storm(500, 6_000);
      const endAsking = keepAsking(service);
      await untilCalls(service, jobCount / 4);
      await server.stop(how);
      await assertAway(service);
      await server.start();
      await untilReady(service);
      await service.untilSettled();
      await endAsking();
      assert.equal(await daemon.stop(), 0, daemon.log());
      await assertAllCalledOnce(service);
    });
  }
});
