/** Monitors that are paused and resumed: who is told of what changed meanwhile. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateMonitor } from '../../../src/app/monitors/monitors.ts';
import { isoTime } from '../../../src/domain/clock.ts';
import { createExpander } from '../../../src/engine/alerts/expand.ts';
import { addChannel } from '../../support/records/channel.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { storedMonitors } from '../../support/records/monitor.ts';
import { writerIn } from '../../support/records/principal.ts';
import { quietApp } from '../../support/running/app.ts';
import { setupEngine } from '../../support/running/engine.ts';
import { until } from '../../support/until.ts';

test('what a monitor became while it was paused is alerted once it is resumed, where it is news, and since when', async (t) => {
  const setup = await setupEngine(t);
  const { clock, store, workspaceId } = setup;
  const app = quietApp({ store, clock });
  const { add, ping } = storedMonitors(setup, clock);
  const [fails, recovers, stays, silent] = [
    await add({ name: 'fails' }),
    await add({ name: 'recovers' }),
    await add({ name: 'stays down' }),
    await add({ name: 'silent' }),
  ];
  const receiver = await startSink(t);
  await addChannel(setup, receiver.url);
  await setup.start();
  const heard = async (count: number) => {
    await until(`${count} alerts`, () => receiver.received.length >= count);
    await until('all changes to be expanded', async () => {
      const left = await store.db.selectFrom('outbox').select('id').execute();
      return left.length === 0;
    });
    return receiver.received
      .map(({ body }) => JSON.parse(body))
      .map(({ type, timestamp, data }) => `${timestamp} ${data.monitor.name}: ${type}`);
  };
  const all = async (action: 'pause' | 'resume') => {
    for (const { id } of [fails, recovers, stays, silent])
      await updateMonitor(app, writerIn(workspaceId), id, { action });
  };
  await ping(recovers, 'fail');
  await ping(stays, 'fail');
  await heard(2);
  clock.advance(60_000);
  await all('pause');
  await ping(fails, 'fail');
  await ping(recovers, 'success');
  await ping(stays, 'success');
  await ping(stays, 'fail');
  const changedAt = isoTime(clock.now());
  clock.advance(60_000);
  await all('resume');
  assert.deepEqual((await heard(4)).slice(2).toSorted(), [
    `${changedAt} fails: monitor.down`,
    `${changedAt} recovers: monitor.up`,
  ]);
});

test('nobody is told of a paused monitor what was held back before', async (t) => {
  const setup = await setupEngine(t);
  const { clock, store, workspaceId } = setup;
  const app = quietApp({ store, clock });
  const { add, ping } = storedMonitors(setup, clock);
  const [back, again] = [await add({ name: 'back' }), await add({ name: 'again' })];
  await addChannel(setup, 'https://example.com/');
  const told = async () => {
    const expander = createExpander(store, clock);
    while ((await expander.expand([])) > 0 || (await expander.release([])) > 0);
    const found = await store.db.selectFrom('deliveries').select(['event', 'subject_id']).execute();
    return found
      .map(({ event, subject_id: id }) => `${id === back.id ? 'back' : 'again'}: ${event}`)
      .toSorted();
  };
  const both = async (action: 'pause' | 'resume') => {
    for (const { id } of [back, again])
      await updateMonitor(app, writerIn(workspaceId), id, { action });
  };
  const first = ['again: monitor.down', 'back: monitor.down'];
  for (const one of [back, again]) await ping(one, 'fail');
  assert.deepEqual(await told(), first);
  clock.advance(10_000);
  for (const one of [back, again]) await ping(one, 'success');
  assert.deepEqual(await told(), first, 'held back');
  await both('pause');
  await ping(again, 'fail');
  clock.advance(3_600_000);
  assert.deepEqual(await told(), first, 'paused');
  await both('resume');
  clock.advance(400_000);
  assert.deepEqual(await told(), ['again: monitor.down', 'back: monitor.down', 'back: monitor.up']);
});
