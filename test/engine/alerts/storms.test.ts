/** Storms of alerts: what waits, what is held back and what is over is small, and making deliveries leaves the time to others. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '../../../src/domain/alerts/channel.ts';
import { runsOf, type Alert } from '../../../src/domain/alerts/alert.ts';
import { mostDeliveriesKept, mostWaiting } from '../../../src/domain/alerts/delivery.ts';
import { newId } from '../../../src/domain/id.ts';
import { createExpander } from '../../../src/engine/alerts/expand.ts';
import { endDeliveries, endOldDeliveries } from '../../../src/store/alerts/deliveries.ts';
import { findDueDeliveries, insertDeliveries } from '../../../src/store/alerts/delivery-queue.ts';
import { insertHealthChanges } from '../../../src/store/alerts/outbox.ts';
import { keepHistory } from '../../support/checks/history.ts';
import { each } from '../../support/each.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { recordAttempt } from '../../support/records/attempt.ts';
import { addChannel, deliveriesOf, expandAll } from '../../support/records/channel.ts';
import { setupEngine } from '../../support/running/engine.ts';
import { openTestStore, type TestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';

const url = 'http://127.0.0.1:1/';
/** Longer than a channel that is full is left alone. */
const later = 300_000;

/** Adds the failure of a job, or its recovery, to the outbox. */
async function change(
  { store, workspaceId }: TestStore,
  subjectId: string,
  given: { runId?: string; isUp?: boolean; at?: number } = {},
): Promise<void> {
  const { runId = null, isUp = false, at = 1 } = given;
  const type = isUp ? 'job.recovered' : 'job.failed';
  const about = { id: newId(at), type, workspaceId, subjectId, runId } as const;
  const data = runId === null ? {} : null;
  await insertHealthChanges(store.db, [{ ...about, failures: isUp ? 0 : 1, data, at }]);
}

/** Adds deliveries to a channel, each of a subject of its own. */
async function addDeliveries(
  { store }: TestStore,
  { id }: Channel,
  { count, status }: { count: number; status: 'pending' | 'delivered' },
): Promise<void> {
  const about = { channel_id: id, event: 'job.failed', queue: 0, status, payload: '' } as const;
  const rows = Array.from({ length: count }, (_, index) => {
    return { ...about, id: newId(0), subject_id: `${status} ${index}`, created_at: 1 };
  });
  for (let from = 0; from < count; from += 500) {
    await store.db
      .insertInto('deliveries')
      .values(rows.slice(from, from + 500))
      .execute();
  }
}

test('a channel for which much waits gets no more until it has room, and then the last state; others go on', async (t) => {
  const setup = await openTestStore(t);
  const { store } = setup;
  const [gone, other] = [await addChannel(setup, url), await addChannel(setup, url)];
  await addDeliveries(setup, gone, { count: mostWaiting / 2, status: 'pending' });
  const { id: down } = await setup.addJob();
  const { id: upAgain } = await setup.addJob();
  for (const id of [down, upAgain]) await change(setup, id);
  const clock = fakeClock(1);
  const expander = createExpander(store, clock);
  const makeAll = async (): Promise<void> => {
    while ((await expander.expand([])) > 0);
    while ((await expander.release([])) > 0);
  };
  const madeFor = async (channel: Channel): Promise<string[]> => {
    const rows = store.db.selectFrom('deliveries').select(['event', 'subject_id']);
    const its = await rows.where('channel_id', '=', channel.id).orderBy('id').execute();
    return its.flatMap(({ event, subject_id: id }) =>
      id === down ? `${event} down` : id === upAgain ? `${event} up again` : [],
    );
  };
  await makeAll();
  assert.deepEqual((await madeFor(other)).toSorted(), ['job.failed down', 'job.failed up again']);
  assert.deepEqual(await madeFor(gone), []);
  assert.deepEqual(await store.db.selectFrom('outbox').select('id').execute(), []);
  clock.advance(later);
  await change(setup, upAgain, { isUp: true, at: clock.now() });
  await makeAll();
  assert.equal((await madeFor(other)).length, 3);
  assert.deepEqual(await madeFor(gone), [], 'it is still full');
  const some = store.db.selectFrom('deliveries').select('id').where('channel_id', '=', gone.id);
  await store.db
    .updateTable('deliveries')
    .set({ status: 'delivered' })
    .where('id', 'in', some.limit(10))
    .execute();
  clock.advance(later);
  await makeAll();
  assert.deepEqual(await madeFor(gone), ['job.failed down'], 'nothing of what is up again');
});

test('what is held back for a full channel is put off at once, so that it does not delay what others are to hear', async (t) => {
  const setup = await openTestStore(t);
  const { store } = setup;
  const [gone, other] = [await addChannel(setup, url), await addChannel(setup, url)];
  await addDeliveries(setup, gone, { count: mostWaiting / 2, status: 'pending' });
  const { id } = await setup.addJob();
  await change(setup, id);
  await change(setup, id, { isUp: true, at: 2 });
  await expandAll(setup, 2);
  const states = store.db.selectFrom('alert_states').selectAll();
  const its = await states.where('channel_id', '=', other.id).executeTakeFirstOrThrow();
  assert.notEqual(its.held, null);
  const many = Array.from({ length: 1_000 }, (_, index) => {
    return { ...its, subject_id: `${index}`, channel_id: gone.id, due_at: 3 };
  });
  await store.db.insertInto('alert_states').values(many).execute();
  const now = (its.due_at ?? 0) + 1;
  const expander = createExpander(store, fakeClock(now));
  for (let steps = 0; steps < 3; steps += 1) await expander.release([]);
  assert.deepEqual((await deliveriesOf(setup, other)).map(({ event }) => event).toSorted(), [
    'job.failed',
    'job.recovered',
  ]);
  const putOff = await states
    .where('channel_id', '=', gone.id)
    .where('held', 'is not', null)
    .execute();
  assert.ok(putOff.length >= 1_000);
  assert.ok(putOff.every(({ due_at: dueAt }) => (dueAt ?? 0) > now));
});

test('what is held back is without what is long, which is in the alert all the same', async (t) => {
  const setup = await openTestStore(t);
  const { store } = setup;
  const channel = await addChannel(setup, url);
  const labels = { client: 'acme' };
  const { id } = await setup.addJob({ labels });
  const [failed = '', succeeded = ''] = await keepHistory(store, id, [
    { status: 'failed', at: 1 },
    { status: 'success', at: 2 },
  ]);
  const responseBody = 'x'.repeat(4_000);
  await store.db.updateTable('runs').set({ response_body: responseBody }).execute();
  await change(setup, id, { runId: failed });
  await change(setup, id, { runId: succeeded, isUp: true, at: 2 });
  await expandAll(setup, 2);
  const [state] = await store.db.selectFrom('alert_states').select('held').execute();
  assert.ok(state?.held && state.held.length < 1_000, state?.held ?? 'nothing is held back');
  await createExpander(store, fakeClock()).release([]);
  const payloads = store.db.selectFrom('deliveries').select('payload').orderBy('position');
  const [, released = assert.fail()] = await payloads.execute();
  const { type, data } = JSON.parse(released.payload) as Alert;
  assert.deepEqual([type, data.job?.labels], ['job.recovered', labels]);
  assert.deepEqual([data.run?.id, data.run?.responseBody], [succeeded, responseBody]);
  assert.equal((await deliveriesOf(setup, channel)).length, 2);
});

test('of an alert that is over its run alone is kept, however it ended', async (t) => {
  const setup = await openTestStore(t);
  const { store } = setup;
  const channel = await addChannel(setup, url);
  const runs: string[] = [];
  for (let made = 0; made < 4; made += 1) {
    const { id } = await setup.addJob({ labels: { client: 'acme' } });
    const [runId = ''] = await keepHistory(store, id, [{ status: 'failed', at: 1 }]);
    runs.push(runId);
    await change(setup, id, { runId });
    await expandAll(setup, made + 1);
  }
  const bounds = { limit: 2, except: [] };
  const [first, second] = await findDueDeliveries(store.db, channel.id, 9, bounds);
  assert.ok(first && second);
  const ended = { at: 9, startedAt: 9, durationMs: 1, backOff: null, nextAttemptAt: null };
  const arrived = { ...ended, httpStatus: 200, error: null };
  await recordAttempt(store.db, { delivery: first, ...arrived });
  const refused = { ...ended, httpStatus: 410, error: 'http: 410' };
  await recordAttempt(store.db, { delivery: second, ...refused });
  assert.equal(await endOldDeliveries(store.db, 4, 9), 1);
  await endDeliveries(store.db, channel.id, 'the channel was disabled');
  const rows = await store.db.selectFrom('deliveries').selectAll().orderBy('created_at').execute();
  assert.deepEqual(each(rows, 'status'), ['delivered', 'failed', 'failed', 'failed']);
  for (const [index, { payload }] of rows.entries()) {
    assert.ok(payload.length < 100, payload);
    assert.deepEqual(runsOf(payload), [runs[index]]);
  }
});

test('of a channel the newest deliveries that are over are kept, and all that wait', async (t) => {
  const setup = await openTestStore(t);
  const channel = await addChannel(setup, url);
  await addDeliveries(setup, channel, { count: 5, status: 'pending' });
  await addDeliveries(setup, channel, { count: mostDeliveriesKept + 9, status: 'delivered' });
  const { id } = await setup.addJob();
  await change(setup, id);
  await expandAll(setup, 1);
  const rows = await setup.store.db.selectFrom('deliveries').select('status').execute();
  const counts = Object.groupBy(rows, ({ status }) => status);
  assert.equal(counts.pending?.length, 6);
  assert.equal(counts.delivered?.length, mostDeliveriesKept - 1);
});

test('making deliveries rests seven times as long as it took; what is made is sent meanwhile', async (t) => {
  const setup = await setupEngine(t, fakeClock('2026-03-02T10:00:00Z', { timers: 'fake' }));
  const { store, clock } = setup;
  const sink = await startSink(t);
  const channel = await addChannel(setup, sink.url);
  const left = async (db = store.db): Promise<number> =>
    (await db.selectFrom('outbox').select('id').execute()).length;
  let isFirst = true;
  // Within the transaction: nobody else sees before it that ten are left.
  const write: typeof store.write = async (work, how) =>
    await store.write(async (tx) => {
      const done = await work(tx);
      if (isFirst && (await left(tx)) === 10) {
        isFirst = false;
        clock.pass(10);
      }
      return done;
    }, how);
  for (let made = 0; made < 60; made += 1) await change(setup, (await setup.addJob()).id);
  const engine = await setup.start({ store: { ...store, write } });
  await until('the first alerts', () => sink.received.length === 50);
  // A record that is under way while the clock is moved would rest seven times as long.
  const pending = store.db.selectFrom('deliveries').select('id').where('status', '=', 'pending');
  await until('their records', async () => (await pending.execute()).length === 0);
  assert.equal(await left(), 10);
  clock.pass(69);
  const sent = { id: newId(clock.now()), channelId: channel.id, event: 'test' } as const;
  const about = { subject: null, subjectId: sent.id, payload: '{}' };
  await insertDeliveries(store.db, [{ ...sent, ...about, createdAt: clock.now(), dueAt: 0 }]);
  engine.wakeNotifier();
  await until('the test', () => sink.received.length === 51);
  assert.equal(await left(), 10);
  await until('that the others are made', async () => {
    // The step may have asked for the time just before.
    clock.pass(1);
    return (await left()) === 0;
  });
  await until('the others', () => {
    // Records rest, too.
    clock.pass(100);
    return sink.received.length === 61;
  });
});
