/** Claims and declarations of the same node: one waits for the other, so that every run of a node that is gone is found. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { updateClaimedJobs } from '../../../src/store/runs/claims.ts';
import { createRescueStep } from '../../../src/engine/runs/rescue.ts';
import { openLog } from '../../../src/base/log.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { unheard } from '../../support/fakes/changes.ts';
import { uncounted } from '../../support/fakes/meter.ts';
import { findAbandonedRuns, findRunningRunsOf } from '../../../src/store/runs/ended.ts';
import {
  addNode,
  endNode,
  endSilentNodes,
  findLatenessOfOthers,
  findLiveNodes,
  holdNode,
  listNodes,
  renewNode,
} from '../../../src/store/nodes/nodes.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { hasOldRows, removeOldRows } from '../../../src/store/database/old-rows.ts';
import { each } from '../../support/each.ts';
import { onServer } from '../../support/postgres/database.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { openTestStore } from '../../support/running/store.ts';
import { claimOf, startingRun } from '../../support/records/run.ts';
import { until } from '../../support/until.ts';

const { skip, newDatabase } = postgresOfFile();
const own = { clockLeadMs: 0, calls: 0, isDraining: false, settings: {} };
const stats = { ...own, lateness: new Map([[3, 2]]) };

/** As others see the first node before it renews its lease. */
const seen = [{ id: 'n1', renewals: 0 }];

function node(id: string) {
  return { id, host: 'a', pid: 1, version: '0', slots: 1, settings: {}, masterKeys: [] };
}

function idsOf(nodes: readonly { id: string }[]): string[] {
  return nodes.map(({ id }) => id);
}

async function setup(t: TestContext) {
  const database = await newDatabase();
  const { store, addJob } = await openTestStore(t, database);
  await addNode(store, node('n1'));
  const lapse = () => onServer(database, "update nodes set expires_at = 0 where id = 'n1'");
  /** Resolves when a connection waits for a lock. */
  const untilWaiting = () =>
    until('a wait for a lock', async () => {
      const waiting = `select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`;
      return (await onServer(database, waiting)).length > 0;
    });
  return { store, addJob, lapse, untilWaiting, database };
}

/** Claims a run of a job for a node, and commits it when `mayCommit` resolves. Returns whether it was claimed. */
async function claim(
  store: Store,
  { nodeId, jobId, at }: { nodeId: string; jobId: string; at: number },
  mayCommit: Promise<unknown> = Promise.resolve(),
): Promise<boolean> {
  return await store.write(async (tx) => {
    if (!(await holdNode(tx, nodeId))) return false;
    await updateClaimedJobs(tx, [claimOf(startingRun(jobId, at), { nodeId })]);
    await mayCommit;
    return true;
  });
}

describe('nodes', { skip, concurrency: 3 }, () => {
  test('a claim under way is found by the declaration that waits for it', async (t) => {
    const { store, addJob, untilWaiting } = await setup(t);
    const job = await addJob();
    const mayCommit = Promise.withResolvers<void>();
    const claiming = claim(store, { nodeId: 'n1', jobId: job.id, at: 1 }, mayCommit.promise);
    await until('its row', async () => (await listNodes(store.db, 0)).length === 1);
    const declaring = endSilentNodes(store, seen);
    await untilWaiting();
    assert.deepEqual(await findAbandonedRuns(store.db, 10), [], 'it is not committed');
    mayCommit.resolve();
    assert.equal(await claiming, true);
    assert.deepEqual(await declaring, [{ id: 'n1', host: 'a', pid: 1 }]);
    const abandoned = await findAbandonedRuns(store.db, 10);
    assert.deepEqual(abandoned, await findRunningRunsOf(store.db, 'n1'));
    assert.equal(abandoned.length, 1);
    assert.equal(await claim(store, { nodeId: 'n1', jobId: job.id, at: 2 }), false);
    assert.equal(await renewNode(store, 'n1', stats), null);
    assert.deepEqual(await endSilentNodes(store, seen), [], 'once');
    const [clock, log] = [fakeClock(), openLog('silent')];
    await createRescueStep({ store, clock, log, meter: uncounted, changes: unheard })();
    const rows = await store.db.selectFrom('runs').select('detail').execute();
    const detail = 'process 1 on a gave no sign of life any more before the outcome was known';
    assert.deepEqual(rows, [{ detail }], 'its process may live');
  });

  test('a renewal need not wait for a claim, and keeps its node', async (t) => {
    const { store, addJob } = await setup(t);
    const job = await addJob();
    const mayCommit = Promise.withResolvers<void>();
    const claiming = claim(store, { nodeId: 'n1', jobId: job.id, at: 1 }, mayCommit.promise);
    const renewal = await renewNode(store, 'n1', stats);
    const ended = await endSilentNodes(store, seen);
    mayCommit.resolve();
    assert.equal(renewal?.renewals, 1);
    assert.deepEqual(each(renewal.nodes, 'id', 'renewals'), [['n1', 1]]);
    assert.deepEqual(ended, []);
    assert.equal(await claiming, true);
    assert.deepEqual(await findAbandonedRuns(store.db, 10), []);
  });

  test('a node that the database does not know may claim nothing, and is told so', async (t) => {
    const { store, addJob, database } = await setup(t);
    const job = await addJob();
    // As when a backup of another time was restored under a running node.
    await onServer(database, 'delete from nodes');
    assert.equal(await claim(store, { nodeId: 'n1', jobId: job.id, at: 1 }), false);
    assert.equal(await renewNode(store, 'n1', stats), null);
  });

  test('a lease that would last longer than any is no lease', async (t) => {
    const { store, database } = await setup(t);
    const liveWith = async (leftMs: number) => {
      const end = `extract(epoch from clock_timestamp()) * 1000 + ${leftMs}`;
      await onServer(database, `update nodes set expires_at = ${end}, serving_since = 1`);
      return idsOf(await findLiveNodes(store.db));
    };
    assert.deepEqual(await liveWith(10_000), ['n1']);
    // The clock of the server was set back since it was renewed.
    assert.deepEqual(await liveWith(60_000), []);
    assert.ok((await addNode(store, node('n2'))).servingSince > 1);
  });

  test('what nodes should have in common is as of their last renewal', async (t) => {
    const { store } = await setup(t);
    await renewNode(store, 'n1', { ...stats, settings: { 'time-zone data': '2026f' } });
    const [node1] = await findLiveNodes(store.db);
    assert.deepEqual(node1?.settings, { 'time-zone data': '2026f' });
  });

  test('how late the runs of the others began is known', async (t) => {
    const { store, lapse } = await setup(t);
    await addNode(store, node('n2'));
    assert.deepEqual(await findLatenessOfOthers(store.db, 'n2'), [new Map()]);
    await renewNode(store, 'n1', stats);
    assert.deepEqual(await findLatenessOfOthers(store.db, 'n2'), [new Map([[3, 2]])]);
    await lapse();
    assert.deepEqual(await findLatenessOfOthers(store.db, 'n2'), [], 'those that serve');
  });

  test('a node that has ended serves no more, and has ended once', async (t) => {
    const { store } = await setup(t);
    await addNode(store, node('n2'));
    await endNode(store, 'n1');
    assert.deepEqual(idsOf(await findLiveNodes(store.db)), ['n2']);
    assert.deepEqual(await findLatenessOfOthers(store.db, 'n2'), []);
    assert.equal(await renewNode(store, 'n1', stats), null);
    assert.deepEqual(idsOf((await renewNode(store, 'n2', stats))?.nodes ?? []), ['n2']);
    assert.equal(await store.write((tx) => holdNode(tx, 'n1')), false);
    assert.deepEqual(await endSilentNodes(store, seen), []);
    const ends = async () =>
      (await listNodes(store.db, 0)).map(({ id, endReason }) => [id, endReason]);
    assert.deepEqual(await ends(), [
      ['n1', 'stopped'],
      ['n2', null],
    ]);
    const first = (await listNodes(store.db, 0))[0]?.endedAt ?? assert.fail();
    await endNode(store, 'n1');
    assert.equal((await listNodes(store.db, 0))[0]?.endedAt, first);
    await endNode(store, 'n2');
    const third = await addNode(store, node('n3'));
    assert.ok(third.servingSince >= first, 'not since the first one');
  });

  test('nodes that ended long ago are forgotten, others are not', async (t) => {
    const { store } = await setup(t);
    assert.equal(await hasOldRows(store.db, 'nodes', Number.MAX_SAFE_INTEGER), false);
    await endSilentNodes(store, seen);
    await addNode(store, node('n2'));
    assert.equal(await hasOldRows(store.db, 'nodes', 1), false);
    const removed = await store.write((tx) =>
      removeOldRows(tx, 'nodes', Number.MAX_SAFE_INTEGER, 10),
    );
    assert.equal(removed, 1);
    assert.deepEqual(each(await listNodes(store.db, 0), 'id'), ['n2']);
  });

  test('there was always a node since the first of those that serve', async (t) => {
    const { store, lapse } = await setup(t);
    const first = await renewNode(store, 'n1', stats);
    const second = await addNode(store, node('n2'));
    assert.equal(second.servingSince, first?.servingSince);
    await lapse();
    const third = await addNode(store, node('n3'));
    assert.equal(third.servingSince, first?.servingSince, 'the second one continues');
  });

  test('nodes know until when others served before them', async (t) => {
    const { store, database } = await setup(t);
    assert.equal((await renewNode(store, 'n1', stats))?.servedUntil, null, 'the first one of all');
    await endNode(store, 'n1');
    const stopped = (await listNodes(store.db, 0))[0]?.endedAt ?? assert.fail();
    const second = await addNode(store, node('n2'));
    assert.equal(second.servedUntil, stopped);
    assert.equal((await addNode(store, node('n3'))).servedUntil, stopped, 'they serve together');
    await onServer(database, "update nodes set expires_at = 100000 where id in ('n2', 'n3')");
    await onServer(database, "update nodes set ended_at = 1 where id = 'n1'");
    assert.equal((await addNode(store, node('n4'))).servedUntil, 100_000 - 15_000);
  });
});
