/** Many pending deliveries: no event of their channel writes all of them at once. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { newId } from '../../../src/domain/id.ts';
import {
  endDeliveries,
  endOldDeliveries,
  findEndedQueue,
  findOldDelivery,
  settleEndedDeliveries,
} from '../../../src/store/alerts/deliveries.ts';
import {
  bringForward,
  findDueChannels,
  findDueDeliveries,
  findNextDeliveryTime,
  insertDeliveries,
} from '../../../src/store/alerts/delivery-queue.ts';
import { recordAttempt } from '../../support/records/attempt.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { each } from '../../support/each.ts';
import { testServer } from '../../support/postgres/database.ts';
import { addChannel, deliveriesOf } from '../../support/records/channel.ts';
import { openTestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';

const bounds = { limit: 1_000, except: [], exceptOf: [] };

/** A channel, and a function that queues deliveries of other jobs and monitors. */
async function setup(t: TestContext) {
  const testStore = await openTestStore(t);
  const { db } = testStore.store;
  const channel = await addChannel(testStore, 'http://127.0.0.1:1/');
  const add = async (
    subjectId: string,
    createdAt: number,
    tx: Db = db,
    id = newId(createdAt),
  ): Promise<string> => {
    const given = { id, channelId: channel.id, event: 'job.failed', subject: null } as const;
    await insertDeliveries(tx, [
      { ...given, subjectId, payload: '{}', createdAt, dueAt: createdAt },
    ]);
    return id;
  };
  const due = async (now: number) => await findDueDeliveries(db, channel.id, now, bounds);
  return { ...testStore, db, channel, add, due };
}

test('a disabled channel delivers nothing more at once, and its queue is settled in bounded steps', async (t) => {
  const { db, channel, add, due, ...testStore } = await setup(t);
  await testStore.store.write(async (tx) => {
    for (let made = 1; made <= 250; made += 1) await add(`job ${made}`, made, tx);
  });
  await endDeliveries(db, channel.id, 'the channel was disabled');
  assert.deepEqual(await due(1_000), []);
  assert.deepEqual(await findDueChannels(db, 1_000, bounds), []);
  const settled = async (): Promise<number> =>
    (await deliveriesOf(testStore, channel)).filter(({ status }) => status === 'failed').length;
  assert.equal(await settled(), 100);
  const id = await add('job 1', 300);
  assert.deepEqual(
    (await due(1_000)).map((delivery) => delivery.id),
    [id],
    'newer deliveries',
  );
  const steps: number[] = [];
  for (
    let ended = await findEndedQueue(db);
    ended !== undefined;
    ended = await findEndedQueue(db)
  ) {
    steps.push(await settleEndedDeliveries(db, ended, 60));
  }
  assert.deepEqual(steps, [60, 60, 31]);
  assert.equal(await settled(), 250);
  const [{ lastError } = assert.fail()] = await deliveriesOf(testStore, channel);
  assert.equal(lastError, 'the channel was disabled');
  assert.deepEqual(
    (await due(1_000)).map((delivery) => delivery.id),
    [id],
  );
});

test('deliveries of a subject keep their order, whatever the clock said that their ids begin with', async (t) => {
  const { db, add, due } = await setup(t);
  const ids = Array.from({ length: 3 }, () => newId(1)).toReversed();
  for (const id of ids) await add('job 1', 1, db, id);
  const order: string[] = [];
  for (const now of [10, 20, 30]) {
    const [delivery = assert.fail()] = await due(now);
    order.push(delivery.id);
    const tried = { at: now, startedAt: now, durationMs: 1, httpStatus: 200, error: null };
    const ended = { backOff: null, nextAttemptAt: null };
    assert.ok(await recordAttempt(db, { delivery, ...tried, ...ended }));
  }
  assert.deepEqual(order, ids);
});

test('an expired delivery is given up, and the next one of its subject becomes due', async (t) => {
  const { db, channel, add, due, ...testStore } = await setup(t);
  await add('job 1', 10);
  const next = await add('job 1', 20);
  await add('job 2', 11);
  assert.equal(await findOldDelivery(db, 10), undefined);
  assert.equal(await endOldDeliveries(db, 15, 1), 1);
  assert.equal(await endOldDeliveries(db, 15, 5), 1);
  const [first, , last] = await deliveriesOf(testStore, channel);
  assert.match(first?.lastError ?? '', /^its time was over/);
  assert.equal(last?.status, 'failed');
  assert.deepEqual(each(await due(20), 'id'), [next]);
  assert.equal((await findDueChannels(db, 20, bounds)).length, 1);
});

test('deliveries with a long wait are brought forward in steps, and by a success', async (t) => {
  const { db, channel, add, due, store } = await setup(t);
  await store.write(async (tx) => {
    for (let made = 1; made <= 130; made += 1) await add(`job ${made}`, 1, tx);
  });
  const failed = {
    startedAt: 1,
    durationMs: 1,
    httpStatus: 500,
    error: 'http: 500',
    backOff: null,
  };
  const all = await due(1);
  await store.write(async (tx) => {
    for (const delivery of all) {
      await recordAttempt(tx, { ...failed, delivery, at: 2, nextAttemptAt: 3_600_000 });
    }
  });
  const id = await add('another', 5);
  const [delivery = assert.fail()] = await due(5);
  assert.equal(delivery.id, id);
  const arrived = { ...failed, httpStatus: 200, error: null, nextAttemptAt: null };
  await recordAttempt(db, { ...arrived, delivery, at: 6 });
  assert.equal((await due(60_006)).length, 100);
  assert.equal(await findNextDeliveryTime(db, 6), 60_006);
  const twenty = { limit: 20 };
  assert.deepEqual(
    [await bringForward(db, 70_000, twenty), await bringForward(db, 70_000, twenty)],
    [20, 10],
  );
  assert.equal((await due(70_000)).length, 130);
  assert.equal((await findDueChannels(db, 70_000, bounds))[0]?.id, channel.id);
});

// In SQLite one transaction comes after the other.
if (testServer !== undefined) {
  for (const [line, subjectId] of [
    ['the same line', 'job 1'],
    ['another line', 'job 2'],
  ] as const) {
    test(`what is added to ${line} while an attempt is recorded is due after it`, async (t) => {
      const { store, db, add, due } = await setup(t);
      await add('job 1', 1);
      const [delivery] = await due(10);
      assert.ok(delivery);
      const [isAdded, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let id = '';
      const adding = store.write(async (tx) => {
        id = await add(subjectId, 2, tx);
        isAdded.resolve();
        await mayCommit.promise;
      });
      await isAdded.promise;
      const arrived = { error: null, httpStatus: 200, startedAt: 10, durationMs: 1 };
      const recording = store.write((tx) =>
        recordAttempt(tx, { ...arrived, delivery, at: 11, nextAttemptAt: null, backOff: null }),
      );
      await until('the record to wait', async () => {
        const { rows } = await sql`select from pg_locks where not granted`.execute(db);
        return rows.length > 0;
      });
      mayCommit.resolve();
      await Promise.all([adding, recording]);
      assert.deepEqual(
        (await due(1_000)).map((one) => one.id),
        [id],
      );
      assert.equal((await findDueChannels(db, 1_000, bounds)).length, 1);
    });
  }
}
