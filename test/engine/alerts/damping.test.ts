/**
 * The stored state of jobs and monitors whose health changes fast, and of channels that do not
 * answer.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMailServer } from '../../../src/domain/alerts/mail-server.ts';
import type { Monitor } from '../../../src/domain/monitors/monitor.ts';
import { createMailer } from '../../../src/egress/mail.ts';
import { markMonitorDeleted } from '../../../src/store/monitors/monitors.ts';
import { updateChannel } from '../../../src/store/alerts/channels.ts';
import { findChannel } from '../../../src/store/alerts/channels.ts';
import { each } from '../../support/each.ts';
import { addChannel, deliveriesOf, expandAll } from '../../support/records/channel.ts';
import { dueAt, dueOnce, setupEngine, type EngineTest } from '../../support/running/engine.ts';
import { startMailServer } from '../../support/fakes/mail-server.ts';
import { storedMonitors } from '../../support/records/monitor.ts';
import { startSink, type Sink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const types = ({ received }: Sink): string[] =>
  received.map(({ body }) => (JSON.parse(body) as { type: string }).type);

/** A monitor with its own channel, and pings that wake the notifier as the API does. */
async function flapping(setup: EngineTest, url: string) {
  const monitors = storedMonitors(setup, setup.clock);
  const monitor = await monitors.add({ name: 'backup' });
  const channel = await addChannel(setup, url, { jobIds: [], monitorIds: [monitor.id] });
  const isExpanded = async (): Promise<boolean> =>
    (await setup.store.db.selectFrom('outbox').select('id').execute()).length === 0;
  return {
    monitor,
    channel,
    change: async (kind: 'success' | 'fail', wake: () => void): Promise<void> => {
      await monitors.ping(monitor, kind);
      wake();
      await until('the outbox to be empty', isExpanded);
    },
  };
}

const heldOf = async ({ store }: EngineTest, { id }: Monitor): Promise<unknown[]> => {
  const rows = await store.db
    .selectFrom('alert_states')
    .select('held')
    .where('subject_id', '=', id)
    .execute();
  return rows.filter(({ held }) => held !== null);
};

test('a delayed alert is sent at the end of the window with the last state, even after a restart', async (t) => {
  const setup = await setupEngine(t);
  const receiver = await startSink(t);
  const { monitor, change } = await flapping(setup, receiver.url);
  const first = await setup.start();
  await change('fail', first.wakeNotifier);
  await until('the failure', () => receiver.received.length === 1);
  for (const kind of ['success', 'fail', 'success'] as const)
    await change(kind, first.wakeNotifier);
  setup.clock.advance(29_000);
  first.wakeNotifier();
  assert.equal((await heldOf(setup, monitor)).length, 1);
  await first[Symbol.asyncDispose]();
  assert.deepEqual(types(receiver), ['monitor.down']);
  setup.clock.advance(1_000);
  await setup.start();
  await until('the last state', () => receiver.received.length === 2);
  assert.deepEqual(types(receiver), ['monitor.down', 'monitor.up']);
  assert.match(receiver.received[1]?.body ?? '', /"workspace":\{"id":"[^"]+","name":"default"\}/);
  setup.clock.advance(900_000);
  await until('it to be forgotten', async () => {
    const rows = await setup.store.db.selectFrom('alert_states').selectAll().execute();
    return rows.length === 0;
  });
});

test('a return to the alerted state raises no alert', async (t) => {
  const setup = await setupEngine(t);
  const receiver = await startSink(t);
  const { monitor, change } = await flapping(setup, receiver.url);
  const { wakeNotifier } = await setup.start();
  await change('fail', wakeNotifier);
  for (const kind of ['success', 'fail'] as const) await change(kind, wakeNotifier);
  assert.deepEqual(await heldOf(setup, monitor), []);
  setup.clock.advance(3_600_000);
  wakeNotifier();
  await change('success', wakeNotifier);
  await until('the recovery', () => receiver.received.length === 2);
  assert.deepEqual(types(receiver), ['monitor.down', 'monitor.up']);
});

test('nothing is sent at the end of the window if the monitor was deleted or the channel disabled', async (t) => {
  const setup = await setupEngine(t);
  const receiver = await startSink(t);
  const gone = await flapping(setup, receiver.url);
  const off = await flapping(setup, receiver.url);
  const { wakeNotifier } = await setup.start();
  for (const { change } of [gone, off]) {
    await change('fail', wakeNotifier);
    await change('success', wakeNotifier);
  }
  await until('both failures', () => receiver.received.length === 2);
  await markMonitorDeleted(setup.store.db, gone.monitor.id, setup.clock.now());
  await updateChannel(setup.store.db, { ...off.channel, enabled: false }, null);
  setup.clock.advance(30_000);
  wakeNotifier();
  await until('it to be forgotten', async () => {
    const rows = await setup.store.db.selectFrom('alert_states').selectAll().execute();
    return rows.length === 0;
  });
  assert.equal(receiver.received.length, 2);
});

test('however fast a monitor changes, the outbox keeps one health change of each type, the last one', async (t) => {
  const setup = await setupEngine(t);
  const { store, clock } = setup;
  const { monitor, channel } = await flapping(setup, 'http://127.0.0.1:1/');
  const monitors = storedMonitors(setup, clock);
  for (let pings = 0; pings < 50; pings += 1) {
    clock.advance(1);
    await monitors.ping(monitor, pings % 2 === 0 ? 'fail' : 'success');
  }
  const changes = await store.db.selectFrom('outbox').selectAll().orderBy('id').execute();
  assert.deepEqual(
    changes.map(({ type, at }) => [type, clock.now() - at]),
    [
      ['monitor.down', 1],
      ['monitor.up', 0],
    ],
  );
  await expandAll(setup, clock.now());
  assert.deepEqual(each(await deliveriesOf(setup, channel), 'event'), ['monitor.down']);
  assert.equal((await heldOf(setup, monitor)).length, 1);
});

test('a channel that does not answer is tried with one alert at a time, and gets all of them once it answers', async (t) => {
  const setup = await setupEngine(t);
  const target = await startSink(t, (response) => response.writeHead(500).end());
  let isSilent = true;
  const together = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const receiver = await startSink(t, async (response) => {
    together[receiver.received.length - 1]?.resolve();
    // Until then nothing is known of the channel.
    await Promise.all(together.map(({ promise }) => promise));
    if (isSilent) response.destroy();
    else response.end();
  });
  const channel = await addChannel(setup, receiver.url);
  for (let made = 0; made < 10; made += 1) await setup.addJob({ ...dueOnce, url: target.url });
  setup.clock.set(dueAt);
  const { wakeNotifier } = await setup.start();
  const attempted = async (count: number): Promise<void> => {
    await until(`${count} attempts kept`, async () => {
      const all = await deliveriesOf(setup, channel);
      return all.reduce((sum, { attempts }) => sum + attempts, 0) === count;
    });
  };
  await until('all alerts', async () => (await deliveriesOf(setup, channel)).length === 10);
  // Attempts in flight at the same time count as one.
  await until('it to be left alone', async () => {
    const [row] = await setup.store.db.selectFrom('channels').selectAll().execute();
    return row?.unanswered === 1 && row.next_delivery_at === row.backed_off_until;
  });
  const shown = await findChannel(setup.store.db, setup.workspaceId, channel.id);
  assert.equal(shown?.nextAttemptAt, setup.clock.now() + 5_000, 'people see that its alerts wait');
  await attempted(4);
  for (const [index, waitMs] of [5_000, 30_000, 120_000, 120_000].entries()) {
    setup.clock.advance(waitMs - 1);
    wakeNotifier();
    setup.clock.advance(1);
    wakeNotifier();
    await attempted(4 + index + 1);
  }
  isSilent = false;
  setup.clock.advance(120_000);
  await until('all to be delivered', async () => {
    wakeNotifier();
    setup.clock.advance(1_000);
    const all = await deliveriesOf(setup, channel);
    return all.every(({ status }) => status === 'delivered');
  });
});

test('an address that the operator no longer allows gets no email and no retry', async (t) => {
  const setup = await setupEngine(t);
  const { host, received } = await startMailServer(t);
  const value = `smtp://${host}?from=jobd@example.com`;
  const server = parseMailServer({ name: '--smtp-url', value }) ?? assert.fail();
  const mailer = createMailer(server, { allow: ['example.org'] });
  t.after(() => mailer[Symbol.asyncDispose]());
  const target = await startSink(t, (response) => response.writeHead(500).end());
  const mailTo = (to: string) => addChannel(setup, '', { type: 'email', config: { to } });
  const refused = await mailTo('ann@example.org, ops@example.com');
  await mailTo('ops@example.org');
  await setup.addJob({ ...dueOnce, url: target.url });
  setup.clock.set(dueAt);
  await setup.start({ mailer });
  await until('the mail that may go', () => received.length === 1);
  const ended = await until('the end of the other', async () => {
    const [delivery] = await deliveriesOf(setup, refused);
    return delivery?.status === 'failed' && delivery;
  });
  assert.equal(ended.attempts, 1);
  assert.equal(
    ended.lastError,
    'mail: the operator of this jobd does not allow mail to o…@example.com',
  );
  assert.deepEqual(received[0]?.to, ['ops@example.org']);
});
