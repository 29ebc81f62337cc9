/** Transactions that race: what one has read, another changes before it writes. No change is lost. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { AlertData } from '../../../src/domain/alerts/alert.ts';
import type { ReportedRun } from '../../../src/domain/alerts/digest.ts';
import { newId } from '../../../src/domain/id.ts';
import { gatherRuns, sendDigests } from '../../../src/engine/alerts/digests.ts';
import { updateChannel } from '../../../src/store/alerts/channels.ts';
import {
  endDeliveries,
  findEndedQueue,
  settleEndedDeliveries,
} from '../../../src/store/alerts/deliveries.ts';
import {
  findNextDeliveryTime,
  insertDeliveries,
} from '../../../src/store/alerts/delivery-queue.ts';
import { findDigests } from '../../../src/store/alerts/digests.ts';
import { insertHealthChanges } from '../../../src/store/alerts/outbox.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { insertScheduledRuns } from '../../../src/store/runs/claims.ts';
import { racesIn } from '../../support/postgres/races.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { addChannel, deliveriesOf, expandAll } from '../../support/records/channel.ts';
import { startingRun } from '../../support/records/run.ts';
import { openTestStore, type TestStore } from '../../support/running/store.ts';

const { skip, newDatabase } = postgresOfFile();
const now = Date.parse('2026-03-02T10:00:00Z');
const nowhere = 'http://127.0.0.1:1/';

async function setup(t: TestContext) {
  const database = await newDatabase();
  const testStore = await openTestStore(t, database);
  const { store } = testStore;
  return { ...testStore, db: store.db, ...racesIn(store, database) };
}

const gather = async (tx: Db, run: ReportedRun) =>
  await gatherRuns(tx, 'missed', { runs: [run], now });
const send = async (tx: Db) => await sendDigests(tx, now + 30_000);

async function setupDigests(t: TestContext) {
  const found = await setup(t);
  const { db, workspaceId } = found;
  const channel = await addChannel(found, nowhere, { alsoOn: ['missed'] });
  const missed = async (name: string): Promise<ReportedRun> => {
    const { id: jobId } = await found.addJob({ name });
    const at = { scheduledFor: now, lastDueAt: now };
    return { id: newId(now), jobId, workspaceId, ...at, reason: 'missed' };
  };
  const runs = [await missed('one'), await missed('other')] as const;
  /** How many runs wait to be reported, and how many each alert reports. */
  const counts = async () => {
    const [digest] = await findDigests(db, 'job.missed', [channel.id]);
    return { gathered: digest?.gathered?.count ?? 0, reported: await reportedIn(found) };
  };
  return { ...found, runs, counts };
}

async function reportedIn({ store }: TestStore): Promise<number[]> {
  const rows = await store.db.selectFrom('deliveries').select('payload').orderBy('id').execute();
  return rows.map(({ payload }) => {
    const { data } = JSON.parse(payload) as { data: AlertData & { runs: { count: number } } };
    return data.runs.count;
  });
}

describe('digests', { skip }, () => {
  test('report all runs that two nodes gather', async (t) => {
    const { store, runs, counts, race } = await setupDigests(t);
    await race(
      (tx) => gather(tx, runs[0]),
      () => store.write((tx) => gather(tx, runs[1])),
    );
    assert.deepEqual(await counts(), { gathered: 2, reported: [] });
    await race(
      (tx) => gather(tx, runs[0]),
      () => store.write((tx) => gather(tx, runs[1])),
    );
    assert.deepEqual(await counts(), { gathered: 4, reported: [] });
  });

  test('report a run once that is gathered while they are sent', async (t) => {
    const { store, runs, counts, race } = await setupDigests(t);
    await store.write((tx) => gather(tx, runs[0]));
    await race(send, () => store.write((tx) => gather(tx, runs[1])));
    assert.deepEqual(await counts(), { gathered: 1, reported: [1] });
  });

  test('report a run that is gathered before they are sent', async (t) => {
    const { store, runs, counts, race } = await setupDigests(t);
    await store.write((tx) => gather(tx, runs[0]));
    await race(
      (tx) => gather(tx, runs[1]),
      () => store.write(send),
    );
    assert.deepEqual(await counts(), { gathered: 0, reported: [2] });
  });

  test('are sent once by two nodes', async (t) => {
    const { store, runs, counts, race } = await setupDigests(t);
    await store.write((tx) => gather(tx, runs[0]));
    await race(send, () => store.write(send));
    assert.deepEqual(await counts(), { gathered: 0, reported: [1] });
  });
});

async function setupChannel(t: TestContext) {
  const found = await setup(t);
  const channel = await addChannel(found, nowhere);
  const queue = async (count: number) => {
    const about = { channelId: channel.id, event: 'job.failed', subject: null } as const;
    const added = Array.from({ length: count }, (_, index) => {
      const its = { id: newId(now), subjectId: `job ${index}`, payload: '{}' };
      return { ...about, ...its, createdAt: now, dueAt: now };
    });
    await found.store.write((tx) => insertDeliveries(tx, added));
  };
  const disable = async (tx: Db) => {
    await updateChannel(tx, { ...channel, enabled: false }, null);
    await endDeliveries(tx, channel.id, 'the channel was disabled');
  };
  const statuses = async () =>
    new Set((await deliveriesOf(found, channel)).map(({ status }) => status));
  return { ...found, channel, queue, disable, statuses };
}

describe('channels', { skip }, () => {
  test('settle all deliveries of a queue that ends while an earlier one is settled', async (t) => {
    const { store, db, channel, queue, disable, statuses, race } = await setupChannel(t);
    await queue(150);
    await store.write(disable);
    await queue(250);
    const settle = (tx: Db) => settleEndedDeliveries(tx, channel.id, 1_000);
    await race(disable, () => store.write(settle));
    if ((await findEndedQueue(db)) !== undefined) await store.write(settle);
    assert.deepEqual(await statuses(), new Set(['failed']));
    assert.equal(await findEndedQueue(db), undefined);
  });

  test('deliver nothing of a failure that comes while they are disabled', async (t) => {
    const found = await setupChannel(t);
    const { store, db, workspaceId, addJob, disable, race } = found;
    const job = await addJob();
    const run = startingRun(job.id, now);
    await insertScheduledRuns(db, [run]);
    const failed = { type: 'job.failed', runId: run.id, failures: 1, data: null } as const;
    const change = { ...failed, id: newId(now), workspaceId, subjectId: job.id, at: now };
    await insertHealthChanges(db, [change]);
    await race(disable, () => expandAll({ store }, now));
    assert.deepEqual(await deliveriesOf(found, found.channel), []);
    assert.equal(await findNextDeliveryTime(db, 0), null);
  });
});
