/** A channel that refuses alerts for good: each is tried once, and the channel counts them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findChannel } from '../../../src/store/alerts/channels.ts';
import { addChannel, deliveriesOf } from '../../support/records/channel.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { until } from '../../support/until.ts';

const minute = 60_000;
const hour = 60 * minute;

test('alerts to a chat that is gone are tried once each, and counted until one arrives', async (t) => {
  const setup = await setupEngine(t);
  const { store, workspaceId, clock } = setup;
  let status = 404;
  const chat = await startSink(t, (response) => response.writeHead(status).end('no_service'));
  const channel = await addChannel(setup, '', { type: 'slack', config: { url: chat.url } });
  const counted = async () =>
    (await findChannel(store.db, workspaceId, channel.id))?.consecutiveFailures;
  let works = false;
  const target = await startSink(t, (response) => response.writeHead(works ? 200 : 500).end());
  const jobs = [1, 2, 3];
  for (const _ of jobs) await setup.addJob({ ...dueOnce, url: target.url });
  clock.set(dueAt);
  const { wake } = await setup.start();
  await until('all are given up', async () => (await counted()) === jobs.length);
  assert.deepEqual(
    (await deliveriesOf(setup, channel)).map((delivery) => [
      delivery.status,
      delivery.attempts,
      delivery.lastError,
    ]),
    jobs.map(() => ['failed', 1, 'http: 404, no_service']),
  );
  status = 200;
  works = true;
  clock.set(dueAt + hour);
  wake();
  await until('the recoveries', () => chat.received.length === 2 * jobs.length);
  await until('they are counted', async () => (await counted()) === 0);
});

test('an alert to a webhook that is missing for a while is tried again, and ended by 410 alone', async (t) => {
  const setup = await setupEngine(t);
  let status = 404;
  const receiver = await startSink(t, (response) => response.writeHead(status).end());
  const channel = await addChannel(setup, receiver.url);
  const target = await startSink(t, (response) => response.writeHead(500).end());
  await setup.addJob({ ...dueOnce, url: target.url });
  setup.clock.set(dueAt);
  const { wake } = await setup.start();
  const delivered = async () => (await deliveriesOf(setup, channel))[0];
  await until('a first attempt', async () => (await delivered())?.attempts === 1);
  assert.equal((await delivered())?.status, 'pending');
  status = 410;
  setup.clock.set(dueAt + minute);
  wake();
  await until('the end', async () => (await delivered())?.status === 'failed');
  assert.equal((await delivered())?.attempts, 2);
});
