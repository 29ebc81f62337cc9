/** Pruning beyond a plan's retention: by age, by number, the oldest first, and nothing else. */

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { createAccount, setPlan } from '../../../src/app/accounts/accounts.ts';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import type { AuditEntry } from '../../../src/domain/accounts/audit.ts';
import { newId } from '../../../src/domain/id.ts';
import { defineJob } from '../../../src/domain/jobs/job-input.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { createPruner, type Pruner } from '../../../src/engine/upkeep/prune.ts';
import { createSpaceWatch } from '../../../src/engine/upkeep/space-watch.ts';
import { createPrunings } from '../../../src/engine/upkeep/prunings.ts';
import { insertAuditEntries, listAuditEntries } from '../../../src/store/accounts/audit.ts';
import { insertJob, markJobDeleted } from '../../../src/store/jobs/jobs.ts';
import { storePath } from '../../../src/store/sqlite/reader.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { readSpace } from '../../../src/store/sqlite/space.ts';
import { uncounted } from '../../support/fakes/meter.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import {
  assertTotalsCounted,
  dueTimesOf,
  keepHistory,
  successes,
} from '../../support/checks/history.ts';
import { loopback, openTestStore } from '../../support/running/store.ts';
import { sealed } from '../../support/fakes/vault.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
/** The time that the wall clock must advance before results are removed for their age. */
const steadyFor = 10 * minute;
const now = Date.parse('2026-03-02T10:00:00Z');

interface LogLine {
  removed: Record<string, number>;
  kept: { history: number };
  databaseBytes: number;
  freeBytes: number;
  longestWriteMs: number;
}

async function setup(t: TestContext) {
  const testStore = await openTestStore(t);
  const { store } = testStore;
  const clock = fakeClock(now - steadyFor);
  const logged: LogLine[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) });
  const prunerOn = (on: Store): Pruner =>
    createPruner(
      { store: on, clock, log },
      createPrunings(
        { store: on, clock, log },
        createSpaceWatch({ store: on, clock, log, meter: uncounted, limitBytes: null }),
      ),
    );
  const pruner = prunerOn(store);
  clock.advanceBoth(steadyFor);
  return {
    ...testStore,
    clock,
    logged,
    prunerOn,
    pruner,
    setPlan: (plan: Parameters<typeof setPlan>[2]) => setPlan({ store, clock }, 'default', plan),
  };
}

/** Steps until there is no work; `afterEach` gets the number of steps. */
async function pruneAll(pruner: Pruner, afterEach?: (steps: number) => Promise<unknown>) {
  for (let steps = 1; steps <= 5_000; steps += 1) {
    const restMs = await pruner.step();
    await afterEach?.(steps);
    if (restMs === Infinity) return;
  }
  assert.fail('pruning does not end');
}

const ids = (jobs: readonly Job[]): string[] => jobs.map(({ id }) => id);

test("results older than the plan's days are removed, those of exactly that age stay", async (t) => {
  const { store, addJob, pruner, logged, setPlan: toPlan } = await setup(t);
  const job = await addJob();
  await toPlan('free');
  const cutoff = now - 7 * day;
  await keepHistory(store, job.id, [
    { status: 'missed', at: cutoff - day },
    { status: 'running', at: cutoff - 2 },
    { status: 'failed', at: cutoff - 1 },
    { status: 'success', at: cutoff },
    { status: 'success', at: now },
  ]);
  await pruneAll(pruner);
  assert.deepEqual(await dueTimesOf(store, [job.id]), [cutoff - 2, cutoff, now]);
  await assertTotalsCounted(store);
  assert.deepEqual(
    logged.map(({ removed, kept }) => ({ removed, kept })),
    [{ removed: { history: 2 }, kept: { history: 2 } }],
  );
});

test('audit entries are kept for 400 days, and longer while the clock may be wrong', async (t) => {
  const { store, clock, pruner, workspaceId } = await setup(t);
  const entryOf = (days: number): AuditEntry => ({
    workspaceId,
    at: now - days * day,
    actor: { type: 'command', id: 'root', name: 'root' },
    address: null,
    forwardedFor: null,
    action: 'key.create',
    subject: { id: workspaceId, name: '' },
    fields: [],
  });
  const ages = [401, 399, 1].map(entryOf);
  await store.write((tx) => insertAuditEntries(tx, workspaceId, ages));
  const left = async (): Promise<number[]> =>
    (
      await listAuditEntries(store.db, workspaceId, { subjectId: null, before: null, limit: 9 })
    ).map(({ number }) => number);
  clock.advance(10 * 365 * day);
  await pruneAll(pruner);
  assert.deepEqual(await left(), [3, 2, 1]);
  clock.advance(-10 * 365 * day);
  clock.advanceBoth(minute);
  await pruneAll(pruner);
  assert.deepEqual(await left(), [3, 2, 1]);
  clock.advanceBoth(steadyFor);
  await pruneAll(pruner);
  assert.deepEqual(await left(), [3, 2]);
});

test('a clock that is set ahead removes nothing for its age until it has run for a while', async (t) => {
  const { store, addJob, clock, pruner } = await setup(t);
  const job = await addJob();
  await keepHistory(store, job.id, successes(10, now));
  const left = async (): Promise<number> => (await dueTimesOf(store, [job.id])).length;
  clock.advance(10 * 365 * day);
  await pruneAll(pruner);
  clock.advanceBoth(steadyFor - minute);
  await pruneAll(pruner);
  assert.equal(await left(), 10);
  clock.advance(-10 * 365 * day);
  await pruneAll(pruner);
  clock.advanceBoth(steadyFor);
  await pruneAll(pruner);
  assert.equal(await left(), 10, 'it was set right in time');
  clock.advance(10 * 365 * day);
  await pruneAll(pruner);
  clock.advanceBoth(steadyFor);
  await pruneAll(pruner);
  assert.equal(await left(), 0);
});

test("beyond the plan's number the oldest results of all jobs are removed, even of jobs that run rarely", async (t) => {
  const { store, addJob, pruner, setPlan: toPlan } = await setup(t);
  const jobs = [await addJob(), await addJob(), await addJob()];
  const [often, also, seldom] = jobs;
  const histories = [
    successes(700, now),
    successes(700, now - 1),
    [
      { status: 'success' as const, at: now - 6 * day },
      { status: 'missed' as const, at: now - 2 },
    ],
  ];
  for (const [index, job] of [often, also, seldom].entries()) {
    await keepHistory(store, job?.id ?? '', histories[index] ?? []);
  }
  await toPlan('free');
  await pruneAll(pruner);
  const newest = histories
    .flat()
    .map(({ at }) => at)
    .toSorted((a, b) => a - b)
    .slice(-1_000);
  assert.deepEqual(await dueTimesOf(store, ids(jobs)), newest);
  assert.deepEqual(await dueTimesOf(store, [seldom?.id ?? '']), [now - 2]);
  await assertTotalsCounted(store);
});

test('the results of other accounts are neither removed nor counted', async (t) => {
  const { store, addJob, clock, pruner, setPlan: toPlan } = await setup(t);
  const parts = { store, clock };
  await createAccount(parts, { name: 'other', plan: 'pro', trialDays: null });
  const { id: workspaceId } = await createWorkspace(parts, { name: 'other', account: 'other' });
  const others = defineJob(
    { name: 'other', url: 'http://127.0.0.1:1/', cronExpr: '* * * * *' },
    { id: newId(now), workspaceId, now, allowTargets: loopback },
  );
  await insertJob(store.db, await sealed(others));
  const own = await addJob();
  await keepHistory(store, own.id, successes(1_200, now));
  await keepHistory(store, others.id, successes(1_200, now - 60 * day));
  await toPlan('free');
  await pruneAll(pruner);
  assert.equal((await dueTimesOf(store, [own.id])).length, 1_000);
  assert.equal((await dueTimesOf(store, [others.id])).length, 1_200);
  await assertTotalsCounted(store);
});

test('a downgrade is applied by a pass a minute later, and an upgrade stops it', async (t) => {
  const { store, addJob, clock, pruner, setPlan: toPlan } = await setup(t);
  const job = await addJob();
  await keepHistory(store, job.id, successes(3_000, now));
  const left = async (): Promise<number> => (await dueTimesOf(store, [job.id])).length;
  await pruneAll(pruner);
  assert.equal(await left(), 3_000);
  await toPlan('free');
  clock.pass(59_000);
  await pruneAll(pruner);
  assert.equal(await left(), 3_000, 'the next pass is not due yet');
  clock.pass(1_000);
  let atRaise = 0;
  await pruneAll(pruner, async () => {
    if (atRaise !== 0 || (await left()) === 3_000) return;
    await toPlan('pro');
    atRaise = await left();
  });
  assert.ok(atRaise > 1_000, `${atRaise} were left when the plan was raised`);
  assert.equal(await left(), atRaise);
  await assertTotalsCounted(store);
});

test('deleting a job during pruning saves the results of the others', async (t) => {
  const { store, addJob, pruner, setPlan: toPlan } = await setup(t);
  const doomed = await addJob();
  const other = await addJob();
  await keepHistory(store, doomed.id, successes(900, now));
  await keepHistory(store, other.id, successes(900, now - 1));
  await toPlan('free');
  let isDeleted = false;
  await pruneAll(pruner, async () => {
    if (isDeleted || (await dueTimesOf(store, [doomed.id])).length === 900) return;
    await markJobDeleted(store.db, doomed.id, now);
    isDeleted = true;
  });
  assert.ok(isDeleted);
  const left = (await dueTimesOf(store, [other.id])).length;
  assert.ok(left > 700, `${left} of 900 are left, which is fewer than the plan keeps`);
  assert.deepEqual(await dueTimesOf(store, [doomed.id]), []);
  await assertTotalsCounted(store);
});

test('whenever pruning stops, totals match the rows, and the next start continues', async (t) => {
  const { store, addJob, prunerOn, setPlan: toPlan } = await setup(t);
  const jobs = [await addJob(), await addJob()];
  for (const { id } of jobs) await keepHistory(store, id, successes(800, now));
  await toPlan('free');
  const breaking = {
    ...store,
    write: <T>(work: Parameters<typeof store.write<T>>[0]): Promise<T> =>
      store.write(async (tx) => {
        await work(tx);
        throw new Error('the disk is gone');
      }),
  };
  const broken = prunerOn(breaking);
  const untilWrite = async (): Promise<void> => {
    for (let step = 0; step < 10; step += 1) await broken.step();
  };
  await assert.rejects(untilWrite, /the disk is gone/);
  assert.equal((await dueTimesOf(store, ids(jobs))).length, 1_600);
  await assertTotalsCounted(store);
  const ended = prunerOn(store);
  for (let step = 0; step < 5; step += 1) await ended.step();
  await assertTotalsCounted(store);
  assert.ok((await dueTimesOf(store, ids(jobs))).length < 1_600, 'it has started');
  await pruneAll(prunerOn(store));
  assert.equal((await dueTimesOf(store, ids(jobs))).length, 1_000);
  await assertTotalsCounted(store);
});

test('after a failed write the same pruner removes exactly what it had planned', async (t) => {
  const { store, addJob, prunerOn, setPlan: toPlan } = await setup(t);
  const job = await addJob();
  await keepHistory(store, job.id, successes(1_300, now));
  await toPlan('free');
  let failures = 8;
  const pruner = prunerOn({
    ...store,
    write: <T>(work: Parameters<typeof store.write<T>>[0]): Promise<T> =>
      store.write(async (tx) => {
        const result = await work(tx);
        if (failures-- > 0) throw new Error('the disk is full');
        return result;
      }),
  });
  const retrying: Pruner = { step: () => pruner.step().catch(() => 0) };
  await pruneAll(retrying);
  assert.ok(failures < 0, 'it was never written');
  assert.deepEqual(
    await dueTimesOf(store, [job.id]),
    successes(1_000, now).map(({ at }) => at),
  );
});

sqliteTest('freed space is returned to the file system, and logged', async (t) => {
  const { store, dataDir, addJob, pruner, logged, setPlan: toPlan } = await setup(t);
  const job = await addJob();
  await keepHistory(store, job.id, successes(5_000, now, 'x'.repeat(4_000)));
  const before = await readSpace(store.db);
  await toPlan('free');
  await pruneAll(pruner);
  const after = await readSpace(store.db);
  const fileBytes = statSync(storePath(dataDir)).size;
  assert.equal(fileBytes, after.pages * after.pageBytes);
  assert.ok(after.pages < before.pages / 2, `${before.pages} pages became ${after.pages}`);
  assert.ok(after.freePages <= 1_024, `${after.freePages} pages are free`);
  assert.equal(statSync(`${storePath(dataDir)}-wal`).size, 0);
  const [line, ...more] = logged;
  assert.deepEqual(more, []);
  assert.equal(line?.removed.history, 4_000);
  assert.equal(line?.removed.pages, before.pages - after.pages);
  assert.deepEqual(line?.kept, { history: 1_000 });
  assert.equal(line?.databaseBytes, fileBytes);
  assert.equal(line?.freeBytes, after.freePages * after.pageBytes);
  assert.equal((await dueTimesOf(store, [job.id])).length, 1_000);
});

test('with nothing to remove nothing is written', async (t) => {
  const { store, addJob, prunerOn, logged } = await setup(t);
  const job = await addJob();
  await keepHistory(store, job.id, successes(20, now));
  let writes = 0;
  const counting = {
    ...store,
    write: <T>(work: Parameters<typeof store.write<T>>[0]): Promise<T> => {
      writes += 1;
      return store.write(work);
    },
  };
  await pruneAll(prunerOn(counting));
  assert.equal(writes, 0);
  assert.deepEqual(logged, []);
});

test('after a downtime longer than the retention, results are removed once the clock has advanced', async (t) => {
  const { store, addJob, clock, prunerOn, setPlan: toPlan } = await setup(t);
  const job = await addJob();
  await toPlan('free');
  const days = Array.from({ length: 30 }, (_, index) => now - (29 - index) * day);
  await keepHistory(
    store,
    job.id,
    days.map((at) => ({ status: 'success', at })),
  );
  clock.set(now + 3 * day + minute);
  const pruner = prunerOn(store);
  await pruneAll(pruner);
  assert.deepEqual(await dueTimesOf(store, [job.id]), days);
  clock.advanceBoth(steadyFor);
  await pruneAll(pruner);
  assert.deepEqual(await dueTimesOf(store, [job.id]), days.slice(-4));
  await assertTotalsCounted(store);
});
