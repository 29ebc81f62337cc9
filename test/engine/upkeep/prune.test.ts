/** Deleted data leaves the disk in small steps. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertScheduledRuns, type MissedRun } from '../../../src/store/runs/claims.ts';
import { markJobDeleted } from '../../../src/store/jobs/jobs.ts';
import { markMonitorDeleted } from '../../../src/store/monitors/monitors.ts';
import {
  defaultWorkspace,
  findWorkspace,
  insertWorkspace,
  markWorkspaceDeleted,
} from '../../../src/store/accounts/workspaces.ts';
import { insertSession } from '../../../src/store/accounts/sessions.ts';
import { insertCode } from '../../../src/store/accounts/sign-in-codes.ts';
import { setupEngine } from '../../support/running/engine.ts';
import { missedRun } from '../../support/records/run.ts';
import { storedMonitors } from '../../support/records/monitor.ts';
import { until } from '../../support/until.ts';

function missedRuns(jobId: string, count: number): MissedRun[] {
  const first = Date.parse('2026-03-02T09:00:00Z');
  return Array.from({ length: count }, (_, index) => missedRun(jobId, first + index));
}

test('a deleted job with a long history is removed while other jobs keep theirs and calls continue', async (t) => {
  const { store, addJob, start, clock, ask, endedRuns } = await setupEngine(t);
  const doomed = await addJob();
  const kept = await addJob();
  await insertScheduledRuns(store.db, missedRuns(doomed.id, 5_000));
  await insertScheduledRuns(store.db, missedRuns(kept.id, 3));
  await ask(doomed);
  await markJobDeleted(store.db, doomed.id, clock.now());

  const steps: number[] = [];
  const countingStore = {
    ...store,
    write: async <T>(work: Parameters<typeof store.write<T>>[0]): Promise<T> => {
      const before = await countRuns();
      const result = await store.write(work);
      steps.push(before - (await countRuns()));
      return result;
    },
  };
  async function countRuns(): Promise<number> {
    const { count } = await store.db
      .selectFrom('runs')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('job_id', '=', doomed.id)
      .executeTakeFirstOrThrow();
    return count;
  }
  await start({ store: countingStore });
  await until('the job to be removed', async () => {
    const rows = await store.db.selectFrom('jobs').select('id').execute();
    return rows.length === 1 && rows[0]?.id === kept.id;
  });
  assert.equal(await countRuns(), 0);
  assert.ok(Math.max(...steps) <= 1_000, `a step removed ${Math.max(...steps)} runs`);
  const left = await store.db.selectFrom('runs').select('job_id').execute();
  assert.deepEqual(new Set(left.map((row) => row.job_id)), new Set([kept.id]));
  await ask(kept);
  await endedRuns(kept, 4);
});

test('a monitor keeps its newest 1,000 pings; a deleted monitor and its workspace keep none', async (t) => {
  const engineTest = await setupEngine(t);
  const { store, start, clock } = engineTest;
  const own = await findWorkspace(store.db, defaultWorkspace);
  assert.ok(own);
  await insertWorkspace(store.db, { ...own, id: 'w', name: 'w' });
  const { add, ping, read } = storedMonitors(engineTest, clock);
  const others = storedMonitors({ store, workspaceId: 'w' }, clock);
  const [busy, deleted, orphan] = [await add(), await add(), await others.add()];
  const keptPings = async (): Promise<number[]> => {
    const rows = await store.db.selectFrom('pings').select('number').execute();
    return rows.map(({ number }) => number).toSorted((one, other) => one - other);
  };
  for (let sent = 0; sent < 1_250; sent += 250) {
    await Promise.all(Array.from({ length: 250 }, () => ping(busy)));
    clock.pass(60_000);
  }
  assert.deepEqual([(await keptPings()).length, (await keptPings()).at(0)], [1_000, 251]);
  for (let count = 0; count < 3; count += 1) await ping(deleted);
  await others.ping(orphan);
  await markMonitorDeleted(store.db, deleted.id, clock.now());
  await store.write((tx) => markWorkspaceDeleted(tx, 'w', clock.now()));
  await start();
  await until('pings of deleted monitors to go', async () => (await keptPings()).length === 1_000);
  await until('the workspace to be removed', async () => {
    const left = await store.db.selectFrom('workspaces').select('id').execute();
    return left.every(({ id }) => id !== 'w');
  });
  const monitors = await store.db.selectFrom('monitors').select('id').execute();
  assert.deepEqual(monitors, [{ id: busy.id }]);
  await ping(busy);
  assert.equal((await read(busy)).health, 'up');
});

test('sessions and codes that expired leave the disk once the clock is steady, others stay', async (t) => {
  const { store, start, clock } = await setupEngine(t);
  const own = (await findWorkspace(store.db, defaultWorkspace)) ?? assert.fail();
  const now = clock.now();
  const terms = { workspaceId: own.id, permission: 'read', isOwner: false } as const;
  for (const [name, expiresAt] of [
    ['old', now - 1],
    ['young', now + 1e12],
  ] as const) {
    const session = { id: name, name, keyId: null, createdAt: 0, lastSeenAt: now, expiresAt };
    await insertSession(store.db, { ...terms, ...session }, name);
    await insertCode(store.db, { ...terms, expiresAt }, name);
  }
  await insertWorkspace(store.db, { ...own, id: 'w', name: 'w' });
  await store.write((tx) => markWorkspaceDeleted(tx, 'w', now));
  await start();
  const left = async () => [
    ...(await store.db.selectFrom('sessions').select('sha256').execute()),
    ...(await store.db.selectFrom('sign_in_codes').select('sha256').execute()),
  ];
  await until('the last of all to be removed', async () => {
    const workspaces = await store.db.selectFrom('workspaces').select('id').execute();
    return workspaces.every(({ id }) => id !== 'w');
  });
  assert.equal((await left()).length, 4, 'the clock may be ahead');
  await until('both to go', async () => {
    // Also after the rest of a look that began before.
    clock.advanceBoth(600_000);
    return (await left()).length === 2;
  });
  assert.deepEqual(await left(), [{ sha256: 'young' }, { sha256: 'young' }]);
});
