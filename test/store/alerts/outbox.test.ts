/**
 * The outbox and its deliveries: each health change once, even if repeated; no query if health did
 * not change.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Kysely } from 'kysely';
import { jobHealthChange } from '../../../src/domain/alerts/health-change.ts';
import { deliveryLifeMs, nextAttemptAt } from '../../../src/domain/alerts/delivery.ts';
import { newId } from '../../../src/domain/id.ts';
import { recordHealthChanges } from '../../../src/engine/alerts/health-changes.ts';
import { recordBatch } from '../../../src/engine/runs/record.ts';
import { markJobDeleted } from '../../../src/store/jobs/jobs.ts';
import { findDeleted, removeDeleted } from '../../../src/store/database/owned.ts';
import { removeOldRows } from '../../../src/store/database/old-rows.ts';
import type { Schema } from '../../../src/store/database/schema.ts';
import { dialectOn } from '../../../src/store/sqlite/connection.ts';
import { openDatabase } from '../../../src/store/sqlite/file.ts';
import { markChannelDeleted } from '../../../src/store/alerts/channels.ts';
import { endDeliveries } from '../../../src/store/alerts/deliveries.ts';
import {
  findDueChannels,
  findDueDeliveries,
  findNextDeliveryTime,
} from '../../../src/store/alerts/delivery-queue.ts';
import { listAttempts } from '../../../src/store/alerts/attempts.ts';
import { recordAttempt } from '../../support/records/attempt.ts';
import { insertHealthChanges } from '../../../src/store/alerts/outbox.ts';
import { each } from '../../support/each.ts';
import { addChannel, deliveriesOf, expandAll } from '../../support/records/channel.ts';
import { beginRuns, endedRun, startingRun } from '../../support/records/run.ts';
import { openTestStore, type TestStore } from '../../support/running/store.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';

type FailingRun = Awaited<ReturnType<typeof failingRun>>;

/** Records a run. Returns the number of alerts in the outbox. */
async function record({ store }: TestStore, run: FailingRun): Promise<number> {
  const batch = { executions: [run], attempts: [] };
  const recorded = await store.write((tx) => recordBatch(tx, batch, { receipts: false }));
  return recorded.followUp.alerts;
}

/** A job's run that ends as failed, ready to be recorded. */
async function failingRun(setup: TestStore, failures = 0) {
  const { store, addJob, workspaceId } = setup;
  const job = await addJob();
  const run = startingRun(job.id, 60_000);
  await beginRuns(store.db, run);
  const ended = endedRun({ ...run, runId: run.id }, 'failed');
  const health = failures === 0 ? ('up' as const) : ('down' as const);
  return { job, ended, claimed: { workspaceId, health, failures, scheduledFor: 60_000 } };
}

test('the health of a job changes with its first failure, each further one and the recovery', () => {
  const rows: [
    before: number,
    status: 'success' | 'failed' | 'interrupted',
    change: string | null,
  ][] = [
    [0, 'success', null],
    [0, 'failed', 'job.failed 1'],
    [3, 'failed', 'job.failed 4'],
    [3, 'success', 'job.recovered 0'],
    [0, 'interrupted', null],
    [3, 'interrupted', null],
  ];
  for (const [before, status, expected] of rows) {
    const change = jobHealthChange(endedRun({ runId: 'r', jobId: 'j' }, status), 'w', before);
    const found = change && `${change.type} ${change.failures}`;
    assert.equal(found, expected, `${before} ${status}`);
  }
});

test('recording a run twice makes one health change; expanding it twice makes one delivery', async (t) => {
  const setup = await openTestStore(t);
  const { store } = setup;
  const channel = await addChannel(setup, 'http://127.0.0.1:1/');
  const run = await failingRun(setup);
  assert.deepEqual([await record(setup, run), await record(setup, run)], [1, 0]);
  const changes = await store.db.selectFrom('outbox').selectAll().execute();
  assert.deepEqual(
    changes.map(({ type, subject_id: subject, failures }) => [type, subject, failures]),
    [['job.failed', run.job.id, 1]],
  );
  const [job] = await store.db.selectFrom('jobs').select('failures').execute();
  assert.deepEqual(job, { failures: 1 });
  assert.equal(await expandAll(setup, 5), 1);
  assert.equal(await expandAll(setup, 6), 0);
  assert.equal((await deliveriesOf(setup, channel)).length, 1);
});

test('a health change is stored with its run or not at all', async (t) => {
  const setup = await openTestStore(t);
  const { store } = setup;
  const run = await failingRun(setup);
  await assert.rejects(
    store.write(async (tx) => {
      await recordHealthChanges(tx, [run]);
      throw new Error('the disk is full');
    }),
  );
  assert.deepEqual(await store.db.selectFrom('outbox').selectAll().execute(), []);
});

sqliteTest(
  'if health does not change, no query runs; if a job keeps failing, one does',
  async (t) => {
    const setup = await openTestStore(t);
    let asked = 0;
    const db = new Kysely<Schema>({
      dialect: dialectOn(openDatabase(join(setup.dataDir, 'jobd.db'))),
      log: () => void (asked += 1),
    });
    t.after(() => db.destroy());
    const { workspaceId } = setup;
    const claimed = { workspaceId, health: 'up', failures: 0, scheduledFor: 0 } as const;
    const success = { ended: endedRun({ runId: 'r', jobId: 'j' }, 'success'), claimed };
    const interrupted = { ended: endedRun({ runId: 'r', jobId: 'j' }, 'interrupted'), claimed };
    const again = {
      ended: endedRun({ runId: 'r', jobId: 'j' }, 'failed'),
      claimed: { ...claimed, failures: 7 },
    };
    assert.equal(await recordHealthChanges(db, [success, interrupted]), 0);
    assert.equal(asked, 0);
    assert.equal(
      await recordHealthChanges(
        db,
        Array.from({ length: 500 }, () => again),
      ),
      0,
    );
    assert.equal(asked, 1, 'whether a channel waits for that');
  },
);

test('a recovery waits for its failure to arrive, the alerts of other jobs do not', async (t) => {
  const setup = await openTestStore(t);
  const { store, workspaceId } = setup;
  const { id: channelId } = await addChannel(setup, 'http://127.0.0.1:1/');
  const run = await failingRun(setup);
  const change = async (subjectId: string, type: 'job.failed' | 'job.recovered', at: number) => {
    const about = { id: newId(at), type, workspaceId, subjectId, runId: run.ended.runId };
    // The data of the alert does not matter here.
    await insertHealthChanges(store.db, [{ ...about, failures: 1, data: {}, at }]);
    await expandAll(setup, at);
  };
  const dueAt = async (now: number): Promise<string[]> => {
    const bounds = { limit: 9, except: [], exceptOf: [] };
    const [channel] = await findDueChannels(store.db, now, bounds);
    const due = await findDueDeliveries(store.db, channelId, now, bounds);
    assert.equal(channel === undefined, due.length === 0, 'the channel is due with its deliveries');
    return due.map(({ event }) => event);
  };
  await change(run.job.id, 'job.failed', 10);
  const [delivery = assert.fail()] = await findDueDeliveries(store.db, channelId, 10, {
    limit: 9,
    except: [],
  });
  const tried = { delivery, startedAt: 10, durationMs: 1, backOff: null };
  const failed = {
    ...tried,
    at: 11,
    httpStatus: 500,
    error: 'http: 500',
    nextAttemptAt: 60_000,
  };
  assert.ok(await recordAttempt(store.db, failed));
  assert.equal(await recordAttempt(store.db, failed), false, 'once');
  await change(run.job.id, 'job.recovered', 40_000);
  assert.deepEqual(await dueAt(40_000), []);
  assert.equal(await findNextDeliveryTime(store.db, 40_000), 60_000);
  await change((await setup.addJob()).id, 'job.failed', 40_030);
  assert.deepEqual(await dueAt(40_030), ['job.failed']);
  const arrived = {
    ...tried,
    delivery: { ...delivery, attempts: 1 },
    at: 40_040,
    httpStatus: 204,
    error: null,
    nextAttemptAt: null,
  };
  assert.ok(await recordAttempt(store.db, arrived));
  assert.equal(await recordAttempt(store.db, arrived), false, 'once');
  assert.deepEqual(await dueAt(40_040), ['job.failed', 'job.recovered']);
  assert.deepEqual(await listAttempts(store.db, delivery.id), [
    { number: 1, startedAt: 10, durationMs: 1, httpStatus: 500, error: 'http: 500' },
    { number: 2, startedAt: 10, durationMs: 1, httpStatus: 204, error: null },
  ]);
});

test('a deleted job raises no alert, and leaves nothing behind', async (t) => {
  const setup = await openTestStore(t);
  const { store } = setup;
  const channel = await addChannel(setup, 'http://127.0.0.1:1/');
  const [kept, doomed] = [await failingRun(setup), await failingRun(setup)];
  await record(setup, kept);
  await expandAll(setup, 5);
  await record(setup, doomed);
  await markJobDeleted(store.db, doomed.job.id, 6);
  await expandAll(setup, 7);
  assert.equal((await deliveriesOf(setup, channel)).length, 1);
  await markJobDeleted(store.db, kept.job.id, 8);
  for (const { job } of [doomed, kept]) await removeDeleted(store.db, 'jobs', job.id, 10);
  assert.equal(await findDeleted(store.db, 'jobs'), undefined);
  assert.deepEqual(await store.db.selectFrom('alert_states').selectAll().execute(), []);
  assert.equal((await deliveriesOf(setup, channel)).length, 1, 'past deliveries stay readable');
});

test('old deliveries are removed in steps, pending ones are not', async (t) => {
  const setup = await openTestStore(t);
  const { store } = setup;
  const channel = await addChannel(setup, 'http://127.0.0.1:1/');
  for (let index = 0; index < 3; index += 1) await record(setup, await failingRun(setup));
  await expandAll(setup, 5);
  const ended = (await deliveriesOf(setup, channel)).slice(1).map(({ id }) => id);
  await store.db
    .updateTable('deliveries')
    .set({ status: 'delivered', next_attempt_at: null })
    .where('id', 'in', ended)
    .execute();
  assert.equal(await removeOldRows(store.db, 'deliveries', 5, 1), 0, 'none is old');
  assert.equal(await removeOldRows(store.db, 'deliveries', 6, 1), 1);
  assert.equal(await removeOldRows(store.db, 'deliveries', 6, 5), 1);
  assert.equal((await deliveriesOf(setup, channel)).length, 1);
});

/**
 * A channel with deliveries of this many jobs, each tried once without success; their due times do
 * not matter.
 */
async function triedDeliveries(setup: TestStore, count: number) {
  const { store, workspaceId } = setup;
  const channel = await addChannel(setup, 'http://127.0.0.1:1/');
  for (let at = 1; at <= count; at += 1) {
    const { id: subjectId } = await setup.addJob();
    const about = { id: newId(at), type: 'job.failed', workspaceId, runId: null } as const;
    const more = { subjectId, failures: 1, data: {}, at };
    await insertHealthChanges(store.db, [{ ...about, ...more }]);
  }
  await expandAll(setup, 1);
  const due = await findDueDeliveries(store.db, channel.id, 1, { limit: count, except: [] });
  assert.equal(due.length, count);
  const at = { at: 3, startedAt: 2, durationMs: 1, backOff: null };
  const tried = { ...at, httpStatus: 500, error: 'http: 500' };
  for (const delivery of due) {
    assert.ok(await recordAttempt(store.db, { delivery, ...tried, nextAttemptAt: 9 }));
  }
  return { channel, due, tried };
}

const countOf = async (
  { store }: TestStore,
  table: 'deliveries' | 'delivery_attempts' | 'alert_states',
) => (await store.db.selectFrom(table).selectAll().execute()).length;

test('a deleted channel is gone at once, and leaves the disk in bounded steps', async (t) => {
  const setup = await openTestStore(t);
  const { db } = setup.store;
  const { channel, due, tried } = await triedDeliveries(setup, 5);
  const other = await triedDeliveries(setup, 2);
  await markChannelDeleted(db, channel.id, 10);
  const delivery = { ...(due[0] ?? assert.fail()), attempts: 1 };
  assert.ok(await recordAttempt(db, { delivery, ...tried, nextAttemptAt: 9 }), 'it was in flight');
  const bounds = { limit: 9, except: [], exceptOf: [] };
  const channels = (await findDueChannels(db, 100, bounds)).map(({ id }) => id);
  assert.deepEqual(channels, [other.channel.id], 'it delivers nothing more');
  const steps: number[] = [];
  while ((await findDeleted(db, 'channels')) !== undefined) {
    steps.push(await removeDeleted(db, 'channels', channel.id, 2));
  }
  assert.deepEqual(steps, [2, 2, 2, 2, 2, 2, 2, 1]);
  const left = await Promise.all([
    countOf(setup, 'deliveries'),
    countOf(setup, 'delivery_attempts'),
    countOf(setup, 'alert_states'),
  ]);
  assert.deepEqual(left, [2, 2, 2], 'those of the other channel');
});

test('attempts are removed with their delivery; one that ends after its delivery was given up is kept', async (t) => {
  const setup = await openTestStore(t);
  const { db } = setup.store;
  const { channel, due, tried } = await triedDeliveries(setup, 2);
  await endDeliveries(db, channel.id, 'the channel was disabled');
  const [one, two] = due;
  assert.ok(one && two);
  one.attempts = two.attempts = 1;
  const late = { delivery: one, ...tried, nextAttemptAt: 20 };
  assert.equal(await recordAttempt(db, late), false, 'it is not tried again');
  const arrived = { ...tried, httpStatus: 200, error: null, nextAttemptAt: null };
  assert.ok(await recordAttempt(db, { delivery: two, ...arrived }));
  const ended = await deliveriesOf(setup, channel);
  assert.deepEqual(each(ended, 'status', 'attempts', 'lastError'), [
    ['failed', 2, 'the channel was disabled'],
    ['delivered', 2, null],
  ]);
  assert.equal(await countOf(setup, 'delivery_attempts'), 4);
  assert.equal(await removeOldRows(db, 'deliveries', 2, 1), 1);
  assert.equal(await countOf(setup, 'delivery_attempts'), 2);
});

/** The waits between all attempts of a delivery. */
const waits = (random: number): number[] => {
  const found: number[] = [];
  let now = 0;
  for (let attempts = 1; attempts < 100; attempts += 1) {
    const at = nextAttemptAt({ createdAt: 0, attempts }, now, random);
    if (at === null) break;
    found.push(at - now);
    now = at;
  }
  assert.equal(now, deliveryLifeMs, 'the last attempt is a day after the first');
  return found;
};

test('waits grow to an hour, with jitter, until a day has passed', () => {
  const minute = 60_000;
  const middle = waits(0.5);
  assert.deepEqual(middle.slice(0, 5), [5_000, 30_000, 2 * minute, 10 * minute, 60 * minute]);
  assert.equal(middle.length, 28);
  assert.deepEqual(waits(0).slice(0, 2), [4_500, 27_000]);
  assert.equal(nextAttemptAt({ createdAt: 0, attempts: 1 }, 0, 0.5, 90_000), 90_000);
  assert.equal(nextAttemptAt({ createdAt: 0, attempts: 1 }, 0, 0.5, 1e12), 60 * minute);
  assert.equal(nextAttemptAt({ createdAt: 0, attempts: 1 }, deliveryLifeMs, 0.5), null);
});
