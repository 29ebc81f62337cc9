/**
 * Two nodes that both take themselves for the one that does what is done once for all: one that froze at its work, and the one
 * that took over. Each thing is done once all the same.
 */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { Channel } from '../../../src/domain/alerts/channel.ts';
import type { HealthChange } from '../../../src/domain/alerts/health-change.ts';
import { newId } from '../../../src/domain/id.ts';
import { rotateSigningKey } from '../../../src/app/proof/signing-keys.ts';
import type { Receipt } from '../../../src/domain/proof/receipt.ts';
import { unheard } from '../../support/fakes/changes.ts';
import { createExpander } from '../../../src/engine/alerts/expand.ts';
import { createWatch } from '../../../src/engine/alerts/monitor-watch.ts';
import { alone } from '../../../src/engine/nodes/membership.ts';
import { createSigner } from '../../../src/engine/proof/sign.ts';
import { holdQueues } from '../../../src/store/alerts/delivery-queue.ts';
import { insertHealthChanges } from '../../../src/store/alerts/outbox.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { recordEndedRuns } from '../../../src/store/runs/ended.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { racesIn } from '../../support/postgres/races.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { storedMonitors } from '../../support/records/monitor.ts';
import { beginRuns, endedRun, startingRun } from '../../support/records/run.ts';
import { testVault } from '../../support/fakes/vault.ts';
import { addChannel } from '../../support/records/channel.ts';
import { openTestStore } from '../../support/running/store.ts';

const { skip, newDatabase } = postgresOfFile();
const url = 'http://127.0.0.1:1/';
/** Longer than the window in which a second alert is held back. */
const afterWindowMs = 30_000;

async function setup(t: TestContext, channelCount = 1) {
  const database = await newDatabase();
  const testStore = await openTestStore(t, database);
  const { store, workspaceId, addJob } = testStore;
  const channels: Channel[] = [];
  for (let made = 0; made < channelCount; made += 1) {
    channels.push(await addChannel(testStore, url));
  }
  const clock = fakeClock();
  const { race } = racesIn(store, database);
  const change = (
    subjectId: string,
    type: 'job.failed' | 'job.recovered' = 'job.failed',
  ): HealthChange => {
    const of = { id: newId(clock.now()), workspaceId, subjectId, runId: null };
    return { ...of, type, failures: type === 'job.failed' ? 1 : 0, data: {}, at: clock.now() };
  };
  return {
    ...testStore,
    clock,
    race,
    leaders: [createExpander(sendingAtOnce(store), clock), createExpander(store, clock)] as const,
    add: (...changes: HealthChange[]) => insertHealthChanges(store.db, changes),
    change,
    addJobs: async (count: number) =>
      await Promise.all(Array.from({ length: count }, async () => (await addJob({})).id)),
    /** Lets both work while neither can write a delivery, and then both go on. */
    meetAtQueues: (...works: (() => Promise<unknown>)[]) =>
      race(
        (tx) =>
          holdQueues(
            tx,
            channels.map(({ id }) => id),
          ),
        ...works,
      ),
    /** What each channel is sent, in its order. */
    sent: async () => {
      const columns = ['channel_id', 'event', 'subject_id'] as const;
      const rows = await store.db.selectFrom('deliveries').select(columns).orderBy('id').execute();
      const of = Map.groupBy(rows, (row) => row.channel_id);
      return channels.map(({ id }) =>
        (of.get(id) ?? []).map(({ event, subject_id: subject }) => `${event} ${subject}`),
      );
    },
    left: async () => await store.db.selectFrom('outbox').select('id').execute(),
  };
}

/** As if a node sent each alert before the other one looks. */
function sendingAtOnce(store: Store): Store {
  const write: Store['write'] = (work) =>
    store.write(async (tx) => {
      const done = await work(tx);
      await tx.updateTable('deliveries').set({ attempts: 1 }).execute();
      return done;
    });
  return { ...store, write };
}

describe('two nodes that lead', { skip, concurrency: 2 }, () => {
  test('alert of each health change once', async (t) => {
    const { leaders, add, change, addJobs, meetAtQueues, sent, left } = await setup(t, 3);
    const jobs = await addJobs(12);
    await add(...jobs.map((id) => change(id)));
    const [one, other] = leaders;
    await meetAtQueues(
      () => one.expand([]),
      () => other.expand([]),
    );
    for (const of of await sent()) {
      assert.deepEqual(of.toSorted(), jobs.map((id) => `job.failed ${id}`).toSorted());
    }
    assert.deepEqual(await left(), []);
  });

  test('alert once of what was held back', async (t) => {
    const { clock, leaders, add, change, addJobs, meetAtQueues, sent } = await setup(t, 2);
    const [id = ''] = await addJobs(1);
    const [one, other] = leaders;
    await add(change(id));
    while ((await one.expand([])) > 0);
    await add(change(id, 'job.recovered'));
    while ((await one.expand([])) > 0);
    clock.advanceBoth(afterWindowMs);
    await meetAtQueues(
      () => one.release([]),
      () => other.release([]),
    );
    const wanted = [`job.failed ${id}`, `job.recovered ${id}`];
    assert.deepEqual(await sent(), [wanted, wanted]);
  });

  test('alert once of a change that comes while an earlier one is released', async (t) => {
    const { clock, leaders, add, change, addJobs, meetAtQueues, sent } = await setup(t);
    const [id = ''] = await addJobs(1);
    const [one, other] = leaders;
    await add(change(id));
    while ((await one.expand([])) > 0);
    await add(change(id, 'job.recovered'));
    while ((await one.expand([])) > 0);
    clock.advanceBoth(afterWindowMs);
    await add(change(id, 'job.recovered'));
    await meetAtQueues(
      () => one.release([]),
      () => other.expand([]),
    );
    assert.deepEqual(await sent(), [[`job.failed ${id}`, `job.recovered ${id}`]]);
  });

  test('say once that a monitor is down', async (t) => {
    const { store, clock, race, left, ...testStore } = await setup(t);
    const { add, ping } = storedMonitors({ store, ...testStore }, clock);
    await ping(await add({ scheduleType: 'period', periodSeconds: 60, graceSeconds: 0 }));
    const said: string[] = [];
    const log = pino({}, { write: (line: string) => void said.push(line) });
    const watching = () =>
      createWatch({ store, clock, membership: alone(clock), log, changes: unheard });
    const watches = [watching(), watching()] as const;
    for (let passed = 0; passed < 10; passed += 1) {
      clock.advanceBoth(6_500);
      if (passed < 9) for (const watch of watches) await watch();
    }
    await race((tx) => sql`lock table outbox in share row exclusive mode`.execute(tx), ...watches);
    assert.equal((await left()).length, 1);
    assert.equal(said.length, 1);
  });

  test('sign one chain of receipts', async (t) => {
    const { store, clock, addJob, race } = await setup(t);
    await rotateSigningKey({ store, clock, vault: testVault });
    const { id: jobId } = await addJob({});
    for (const dueAt of [1, 2, 3]) {
      const run = startingRun(jobId, dueAt);
      await beginRuns(store.db, run);
      const ended = endedRun({ ...run, runId: run.id }, 'success');
      await recordEndedRuns(store.db, [ended], { receipts: true });
    }
    const signer = () =>
      createSigner({ store, clock, vault: testVault, siteUrl: () => 'https://jobs.example.com' });
    const signers = [signer(), signer()] as const;
    await race(
      (tx) => sql`select from jobs where id = ${jobId} for update`.execute(tx),
      ...signers.map((one) => () => one.sign()),
    );
    const kept = await store.db.selectFrom('receipts').select('receipt').execute();
    const before = kept.map(({ receipt }) => (JSON.parse(receipt) as Receipt).payload);
    assert.equal(new Set(before.map((payload) => payload.previousReceiptSha256)).size, 3);
    assert.equal(await signers[0].sign(), 0);
  });
});
