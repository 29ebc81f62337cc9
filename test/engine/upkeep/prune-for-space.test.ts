/** Removing history before its time: only while space is short, from whoever takes most, and never what is still needed. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { newId } from '../../../src/domain/id.ts';
import { alwaysKept } from '../../../src/domain/space.ts';
import { createHistoryPruning } from '../../../src/engine/upkeep/prune-history.ts';
import { createSpaceWatch } from '../../../src/engine/upkeep/space-watch.ts';
import { findEarlyRemovals, startInstance } from '../../../src/store/accounts/instance.ts';
import { noReserve, type Store } from '../../../src/store/database/store.ts';
import { defineJob } from '../../../src/domain/jobs/job-input.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import {
  assertTotalsCounted,
  dueTimesOf,
  keepHistory,
  successes,
} from '../../support/checks/history.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { uncounted } from '../../support/fakes/meter.ts';
import { sealed } from '../../support/fakes/vault.ts';
import { storedMonitors } from '../../support/records/monitor.ts';
import { testServer } from '../../support/postgres/database.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';
import { loopback, openTestStore } from '../../support/running/store.ts';

const now = Date.parse('2026-03-02T10:00:00Z');
const body = 'x'.repeat(2_000);

async function usedBytes({ file }: Store): Promise<number> {
  const space = await file?.readSpace();
  assert.ok(space && file);
  return (space.pages - space.freePages) * space.pageBytes + file.logBytes();
}

/** `prune(part)`: prunes with a limit of which the database takes this part now. */
async function setup(t: TestContext) {
  const testStore = await openTestStore(t);
  const { store } = testStore;
  await startInstance(store, '00000000');
  const clock = fakeClock(now);
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => void logged.push(JSON.parse(line)) });
  async function prune(part: number | null): Promise<number> {
    const limitBytes = part === null ? null : Math.round((await usedBytes(store)) / part);
    const space = createSpaceWatch({ store, clock, log, meter: uncounted, limitBytes });
    const { step } = createHistoryPruning(store, clock, space);
    let removed = 0;
    for (let steps = 0; steps < 5_000; steps += 1) {
      const count = await step();
      if (count === null) return removed;
      removed += count;
    }
    return assert.fail('it does not end');
  }
  return { ...testStore, clock, logged, prune };
}

sqliteTest('with enough space nothing is removed before its time', async (t) => {
  const { store, addJob, prune, logged } = await setup(t);
  const job = await addJob();
  await keepHistory(store, job.id, successes(200, now, body));
  assert.equal(await prune(null), 0);
  assert.equal(await prune(0.89), 0);
  assert.deepEqual(logged, []);
});

sqliteTest(
  'near the limit the oldest results go until there is enough space, and it is said',
  async (t) => {
    const { store, addJob, prune, logged } = await setup(t);
    const job = await addJob();
    await keepHistory(store, job.id, successes(1_000, now, body));
    const removed = await prune(0.95);
    assert.ok(removed > 50 && removed < 600, `${removed}`);
    const left = await dueTimesOf(store, [job.id]);
    assert.equal(left.length, 1_000 - removed);
    assert.deepEqual(
      left,
      successes(left.length, now).map(({ at }) => at),
      'the newest stay',
    );
    await assertTotalsCounted(store);
    const { results, pings, at } = await findEarlyRemovals(store.db);
    assert.deepEqual([results, pings, at], [removed, 0, now]);
    assert.deepEqual(
      logged.map(({ msg, results: gone }) => [msg, gone]),
      [
        ['space is short', undefined],
        ['history was removed before its time, as space was short', removed],
        ['there is enough space again', undefined],
      ],
    );
  },
);

sqliteTest(
  'a workspace that takes most loses most, and one that takes little loses nothing',
  async (t) => {
    const { store, clock, addJob, prune } = await setup(t);
    const quiet = await addJob();
    await keepHistory(store, quiet.id, successes(50, now - 3_600_000, body));
    await createWorkspace({ store, clock }, { name: 'loud', account: 'default' });
    const { id: workspaceId } = await store.db
      .selectFrom('workspaces')
      .select('id')
      .where('name', '=', 'loud')
      .executeTakeFirstOrThrow();
    const input = { name: 'loud', url: 'http://127.0.0.1:1/', cronExpr: '* * * * *' };
    const loud = defineJob(input, { id: newId(now), workspaceId, now, allowTargets: loopback });
    await insertJob(store.db, await sealed(loud));
    await keepHistory(store, loud.id, successes(900, now, body));
    assert.ok((await prune(0.99)) > 0);
    assert.equal((await dueTimesOf(store, [quiet.id])).length, 50);
    assert.ok((await dueTimesOf(store, [loud.id])).length < 900);
  },
);

sqliteTest(
  'the newest results of each job stay, and jobd says that nothing more can go',
  async (t) => {
    const { store, addJob, prune, logged } = await setup(t);
    const [job, other] = [await addJob(), await addJob()];
    await keepHistory(store, job.id, successes(300, now, body));
    await keepHistory(store, other.id, successes(alwaysKept - 1, now, body));
    await prune(1_000);
    assert.equal(await prune(1_000), 0);
    assert.equal((await dueTimesOf(store, [job.id])).length, alwaysKept);
    assert.equal((await dueTimesOf(store, [other.id])).length, alwaysKept - 1);
    assert.equal(
      logged.at(-1)?.['msg'],
      'space is short, and no history is left to remove: free space',
    );
  },
);

sqliteTest(
  'everything since a run that is still needed stays: open, to be signed, or named by an alert',
  async (t) => {
    const { store, addJob, prune } = await setup(t);
    const [open, unsigned, named] = [await addJob(), await addJob(), await addJob()];
    const history = successes(100, now, body);
    await keepHistory(
      store,
      open.id,
      history.with(40, { status: 'running', at: history[40]?.at ?? 0 }),
    );
    const ids = await keepHistory(store, unsigned.id, history);
    await store.db
      .updateTable('runs')
      .set({ receipt_due: 1 })
      .where('id', '=', ids[50] ?? '')
      .execute();
    const runs = await keepHistory(store, named.id, history);
    await store.db
      .insertInto('outbox')
      .values({
        id: newId(now),
        type: 'job.failed',
        workspace_id: named.workspaceId,
        subject_id: named.id,
        run_id: runs[60] ?? '',
        failures: 1,
        position: 1,
        at: now,
      })
      .execute();
    await prune(1_000);
    const left = async ({ id }: { id: string }) => (await dueTimesOf(store, [id])).length;
    assert.deepEqual([await left(open), await left(unsigned), await left(named)], [60, 50, 40]);
  },
);

sqliteTest('monitors lose their oldest pings, and keep the newest', async (t) => {
  const testing = await setup(t);
  const { store, prune, clock } = testing;
  const { add, ping } = storedMonitors(testing, clock);
  const [many, few] = [await add(), await add()];
  const pingAll = async (monitor: typeof many, count: number): Promise<void> => {
    for (let number = 0; number < count; number += 1) await ping(monitor);
  };
  await pingAll(few, 5);
  await pingAll(many, 200);
  await prune(1_000);
  const kept = async ({ id }: { id: string }) =>
    (
      await store.db
        .selectFrom('pings')
        .select('number')
        .where('monitor_id', '=', id)
        .orderBy('number')
        .execute()
    ).map(({ number }) => number);
  assert.equal((await kept(few)).length, 5);
  const newest = Array.from({ length: alwaysKept }, (_, index) => 200 - alwaysKept + 1 + index);
  assert.deepEqual(await kept(many), newest);
  assert.equal((await findEarlyRemovals(store.db)).pings, 190);
});

sqliteTest('a disk that is short for seconds costs no history', async (t) => {
  const { store, clock } = await setup(t);
  const freeBytes = store.file?.diskFreeBytes() ?? 0;
  const reserve = { ...noReserve, wantedBytes: freeBytes * 4 };
  const log = pino({ enabled: false });
  const parts = { store: { ...store, reserve }, clock, log, meter: uncounted, limitBytes: null };
  const space = createSpaceWatch(parts);
  assert.equal(await space.look(), false);
  assert.deepEqual(space.causes(), ['disk']);
  clock.pass(29_000);
  assert.equal(await space.look(), false);
  clock.pass(1_000);
  assert.equal(await space.look(), true);
  reserve.wantedBytes = 0;
  assert.equal(await space.look(), false);
  reserve.wantedBytes = freeBytes * 4;
  assert.equal(await space.look(), false, 'the next one waits as long');
});

if (testServer !== undefined) {
  test('where a server sees to its files, space is never short', async (t) => {
    const { prune } = await setup(t);
    assert.equal(await prune(null), 0);
  });
}
