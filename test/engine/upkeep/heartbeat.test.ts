/** The dead man's switch: called each minute, but only while the scheduler is healthy. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createEgress } from '../../../src/egress/egress.ts';
import { startHeartbeat } from '../../../src/engine/upkeep/heartbeat.ts';
import { fakeClock, steadyClock } from '../../support/fakes/clock.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { loopback } from '../../support/running/store.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

test('it beats each minute, stops while there are problems, and logs failed beats', async (t) => {
  const beats = await startSink(t, (response) => {
    response.writeHead(beats.received.length === 3 ? 500 : 200).end();
  });
  const egress = createEgress({ allowTargets: loopback, connectionsPerHost: 1, userAgent: 'test' });
  t.after(() => egress[Symbol.asyncDispose]());
  const wall = fakeClock();
  const said: string[] = [];
  const log = pino({}, { write: (line) => said.push((JSON.parse(line) as { msg: string }).msg) });
  let isHealthy = true;
  const heartbeat = startHeartbeat({
    url: `${beats.url}/beat`,
    egress,
    clock: steadyClock(wall),
    log,
    isHealthy: () => isHealthy,
  });
  t.after(() => heartbeat[Symbol.asyncDispose]());
  const beatsAre = (count: number) =>
    until(`${count} beats`, () => beats.received.length === count);
  /** Steps twice: the second step begins after the first has ended. */
  const check = async (): Promise<void> => {
    heartbeat.wake();
    await new Promise(setImmediate);
    heartbeat.wake();
    await new Promise(setImmediate);
  };
  await beatsAre(1);
  assert.equal(beats.received[0]?.path, '/beat');
  wall.advance(59_000);
  await check();
  assert.equal(beats.received.length, 1);
  wall.advance(1_000);
  heartbeat.wake();
  await beatsAre(2);
  isHealthy = false;
  wall.advance(600_000);
  await check();
  assert.equal(beats.received.length, 2);
  isHealthy = true;
  heartbeat.wake();
  await beatsAre(3);
  await until('the failure in the log', () => said.includes('the heartbeat did not arrive'));
  wall.advance(60_000);
  heartbeat.wake();
  await beatsAre(4);
  await until('the success', () => said.includes('the heartbeat arrives again'));
});

test('the heartbeat may call an address that jobs may not', async (t) => {
  const beats = await startSink(t);
  const flags = { heartbeatUrl: `${beats.url}/beat?token=1`, allowTarget: [] };
  const { ask } = await startTestDaemon(t, { flags });
  await until('a beat', () => beats.received[0]?.path === '/beat?token=1');
  const job = await ask('POST', '/jobs', { name: 'a', url: beats.url });
  assert.equal(job.status, 400);
});
