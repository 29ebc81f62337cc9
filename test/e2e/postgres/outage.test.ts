/**
 * A server that is away for a while: nothing is called meanwhile, and when it is back, jobd continues by itself.
 *
 *   JOBD_OUTAGE_SECONDS=120   how long it is away (8); after a minute, due times are missed
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { until } from '../../support/until.ts';
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

const outageMs = Number(process.env['JOBD_OUTAGE_SECONDS'] ?? 8) * 1_000;
/** A due time is called up to a minute late. */
const latestStartMs = 60_000;
const jobCount = 120;

test('a server that is away for a while', { skip }, async (t) => {
  await using server = await startPostgres();
  const service = await prepareOnServer(t, server.url, jobCount);
  const daemon = await service.start();
  await service.storm(500, outageMs + 3_000);
  const endAsking = keepAsking(service);
  await untilCalls(service, 10);
  await server.stop('fast');
  const stoppedAt = Date.now();
  await assertAway(service);
  await setTimeout(outageMs);
  await assertAway(service);
  // A call that was claimed before may arrive a moment later.
  const late = service.witness.arrivals.filter(({ at }) => at > stoppedAt);
  const called = new Set(late.map(({ runId }) => runId));
  await server.start();
  await untilReady(service);
  const { runs } = await service.untilSettled();
  const unclaimed = runs.filter(({ id, started_at: at }) => called.has(id) && at! > stoppedAt);
  assert.deepEqual(unclaimed, [], 'nothing is called that is not claimed');
  await endAsking();
  await until('the line about its end', () => daemon.log().includes('can be used again'));
  assert.equal(await daemon.stop(), 0, daemon.log());
  const lines = daemon.log().split('\n');
  const aboutIt = lines.filter((line) => /"level":50|can be used again|was refused/.test(line));
  assert.ok(aboutIt.length <= 10, `a line for each reason and for the end:\n${aboutIt.join('\n')}`);
  assert.doesNotMatch(aboutIt.join('\n'), /"stack"/);
  t.diagnostic(`${aboutIt.length} lines about the outage`);
  if (outageMs < latestStartMs) await assertAllCalledOnce(service);
  assert.deepEqual(await service.audit(), []);
  const missed = runs.filter(({ status }) => status === 'missed');
  assert.equal(missed.length > 0, outageMs > latestStartMs, `${missed.length} are missed`);
});

test('a daemon stops cleanly while the server is away', { skip }, async (t) => {
  await using server = await startPostgres();
  const service = await prepareOnServer(t, server.url, 1);
  const daemon = await service.start();
  await server.stop('immediate');
  await assertAway(service);
  assert.equal(await daemon.stop(), 0, daemon.log());
});
