/**
 * Expired accounts: their jobs are neither called nor missed, and a renewal counts from its moment.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancel, createAccount, setTrial, subscribe } from '../../../src/app/accounts/accounts.ts';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { newId } from '../../../src/domain/id.ts';
import { defineJob } from '../../../src/domain/jobs/job-input.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { testWriter } from '../../support/running/writer.ts';
import { createRenewer, type Renewer } from '../../../src/engine/upkeep/renew.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { dueAt, setupEngine, type EngineTest } from '../../support/running/engine.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { loopback } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';
import { sealed } from '../../support/fakes/vault.ts';
import { databaseOf } from '../../support/running/local.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const everyMinute = { cronExpr: '* * * * *' };

/** The jobs of `addJob` belong to this account. */
const own = 'default';

/** A job of another account, which never expires, to show the engine's progress. */
async function addOthersJob({ store, clock }: EngineTest, url: string): Promise<Job> {
  const parts = { store, clock };
  await createAccount(parts, { name: 'other', plan: 'pro', trialDays: null });
  const { id: workspaceId } = await createWorkspace(parts, { name: 'other', account: 'other' });
  const job = defineJob(
    { name: 'other', url, ...everyMinute },
    { id: newId(0), workspaceId, now: dueAt - minute, allowTargets: loopback },
  );
  await insertJob(store.db, await sealed(job));
  return job;
}

const summary = (runs: readonly { status: string; scheduledFor: number }[]) =>
  runs.map(({ status, scheduledFor }) => [status, (scheduledFor - dueAt) / minute]);

test('after expiry no job is called or missed; after a renewal the next due time is called', async (t) => {
  const engineTest = await setupEngine(t);
  const { start, addJob, clock, endedRuns, runsOf, readJob, logged } = engineTest;
  const sink = await startSink(t);
  const cron = await addJob({ ...everyMinute, url: sink.url }, dueAt - minute);
  const period = await addJob(
    { scheduleType: 'period', periodSeconds: 60, url: sink.url },
    dueAt - minute,
  );
  const paused = await addJob({ ...everyMinute, url: sink.url, paused: true });
  const other = await addOthersJob(engineTest, sink.url);
  await setTrial(engineTest, own, dueAt + 2 * minute);
  clock.set(dueAt);
  const engine = await start();
  for (const job of [cron, period, other]) await endedRuns(job, 1);
  clock.set(dueAt + 2 * minute - 1);
  engine.wake();
  for (const job of [cron, period, other]) await endedRuns(job, 2);

  // Due at the very moment of expiry, and minutes or days after it.
  for (const [index, at] of [2 * minute, 3 * minute, 3 * day].entries()) {
    clock.set(dueAt + at);
    engine.wake();
    await endedRuns(other, [3, 4, 6][index] ?? 0);
  }
  for (const job of [cron, period]) {
    assert.deepEqual(summary(await runsOf(job)), [
      ['success', 0],
      ['success', 1],
    ]);
    assert.equal((await readJob(job)).nextRunAt, null);
  }
  assert.equal(logged.filter(({ msg }) => msg === 'schedules of expired accounts stop').length, 1);

  clock.set(dueAt + 3 * day + 1_000);
  await subscribe(engineTest, own, null);
  const next = dueAt + 3 * day + minute;
  for (const job of [cron, period]) {
    await until('the due time', async () => (await readJob(job)).nextRunAt === next);
  }
  clock.set(next);
  engine.wake();
  for (const job of [cron, period]) {
    assert.deepEqual(summary(await endedRuns(job, 3)).at(-1), ['success', (next - dueAt) / minute]);
    assert.equal((await runsOf(job)).length, 3, 'nothing is missed');
  }
  assert.equal((await readJob(paused)).nextRunAt, null, 'a paused job stays paused');
  assert.deepEqual(await runsOf(paused), []);
});

test('an expiry and a renewal during downtime leave nothing missed either', async (t) => {
  const { start, addJob, clock, endedRuns, readJob, runsOf, ...parts } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ ...everyMinute, url: sink.url }, dueAt - minute);
  clock.set(dueAt + hour);
  await cancel({ ...parts, clock }, own);
  clock.set(dueAt + 2 * hour);
  await subscribe({ ...parts, clock }, own, dueAt + day);
  const engine = await start();
  await until(
    'the due time',
    async () => (await readJob(job)).nextRunAt === dueAt + 2 * hour + minute,
  );
  clock.set(dueAt + 2 * hour + minute);
  engine.wake();
  assert.deepEqual(summary(await endedRuns(job, 1)), [['success', 121]]);
  assert.equal((await runsOf(job)).length, 1);
});

test('jobs of an account that expired during downtime are not called or missed at the next start', async (t) => {
  const engineTest = await setupEngine(t);
  const { start, addJob, clock, endedRuns, runsOf, readJob } = engineTest;
  const sink = await startSink(t);
  const job = await addJob({ ...everyMinute, url: sink.url }, dueAt - minute);
  const other = await addOthersJob(engineTest, sink.url);
  await setTrial(engineTest, own, dueAt + hour);
  clock.set(dueAt + hour);
  const first = await start();
  await endedRuns(other, 2);
  assert.deepEqual(await runsOf(job), []);
  await first[Symbol.asyncDispose]();
  clock.set(dueAt + 2 * hour);
  await start();
  await endedRuns(other, 4);
  assert.deepEqual(await runsOf(job), []);
  assert.equal((await readJob(job)).nextRunAt, null);
});

test('a run requested before expiry is still called', async (t) => {
  const engineTest = await setupEngine(t);
  const { start, addJob, ask, clock, endedRuns, readJob } = engineTest;
  const sink = await startSink(t);
  const job = await addJob({ ...everyMinute, url: sink.url }, dueAt - minute);
  clock.set(dueAt);
  await ask(job);
  await cancel(engineTest, own);
  await start();
  const [run, ...more] = await endedRuns(job, 1);
  assert.deepEqual([run?.source, run?.status, more.length], ['manual', 'success', 0]);
  await until('the stop', async () => (await readJob(job)).nextRunAt === null);
});

test('the end of a run starts no job of an expired account', async (t) => {
  const engineTest = await setupEngine(t);
  const { start, addJob, ask, clock, endedRuns, runsOf } = engineTest;
  const sink = await startSink(t);
  const job = await addJob({ ...everyMinute, url: sink.url }, dueAt);
  const follower = await addJob({ url: sink.url, after: { jobId: job.id } }, dueAt);
  clock.set(dueAt);
  await ask(job);
  await cancel(engineTest, own);
  const { wake } = await start();
  await endedRuns(job, 1);
  // It would be there since the same transaction.
  assert.deepEqual(await runsOf(follower), []);
  await subscribe(engineTest, own, null);
  clock.advance(1_000);
  await ask(job);
  wake();
  await endedRuns(follower, 1);
});

test('a fast clock stops an account only until it is corrected', async (t) => {
  const engineTest = await setupEngine(t);
  const { start, addJob, clock, endedRuns, readJob } = engineTest;
  const sink = await startSink(t);
  const job = await addJob({ ...everyMinute, url: sink.url }, dueAt - minute);
  await subscribe(engineTest, own, dueAt + day);
  clock.set(dueAt + 2 * day);
  const engine = await start();
  await until('the stop', async () => (await readJob(job)).nextRunAt === null);
  clock.set(dueAt + 1_000);
  await until('the due time', async () => (await readJob(job)).nextRunAt === dueAt + minute);
  clock.set(dueAt + minute);
  engine.wake();
  assert.deepEqual(summary(await endedRuns(job, 1)), [['success', 1]]);
});

/** Jobs with a due time. */
async function countPlanned({ store }: EngineTest): Promise<number> {
  const { count } = await store.db
    .selectFrom('jobs')
    .where('next_run_at', 'is not', null)
    .select((of) => of.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

test('the expiry of an account with many due jobs needs no extra transaction', async (t) => {
  const engineTest = await setupEngine(t);
  const { addJob, clock, store } = engineTest;
  const count = 1_200;
  for (let added = 0; added < count; added += 1) await addJob(everyMinute, dueAt - minute);
  clock.set(dueAt);
  await cancel(engineTest, own);
  assert.equal(await countPlanned(engineTest), count, 'the end itself writes nothing of them');
  // Few slots are free; the others must not wait long.
  const claimer = testWriter(store, clock, 3);
  const stopped: number[] = [];
  for (let left = count; left > 0;) {
    const { executions, missed, more } = await claimer.claim();
    assert.deepEqual([executions.length, missed, more], [0, [], true]);
    const now = await countPlanned(engineTest);
    stopped.push(left - now);
    left = now;
  }
  assert.deepEqual(stopped, [500, 500, 200]);
  assert.equal((await claimer.claim()).more, false);
  assert.deepEqual(await store.db.selectFrom('runs').selectAll().execute(), []);
});

/** Completes all renewals. Returns the number of jobs rescheduled by each step that had any. */
async function planAll(by: Renewer): Promise<number[]> {
  const planned: number[] = [];
  for (;;) {
    const step = await by.step();
    if (step.restMs === Infinity) return planned;
    if (step.planned > 0) planned.push(step.planned);
  }
}

test('many jobs are renewed in steps; an expiry or restart in between loses none', async (t) => {
  const engineTest = await setupEngine(t);
  const { addJob, clock, store, dataDir, workspaceId } = engineTest;
  for (let count = 0; count < 1_200; count += 1) await addJob(everyMinute, dueAt - minute);
  const { id: second } = await createWorkspace(engineTest, { name: 'second', account: own });
  const job = await addJob(everyMinute, dueAt - minute);
  await store.db
    .updateTable('jobs')
    .set({ workspace_id: second })
    .where('id', '=', job.id)
    .execute();
  assert.ok(second > workspaceId);
  const expireAndRenew = async (): Promise<void> => {
    clock.advance(minute);
    await cancel(engineTest, own);
    const claimer = testWriter(store, clock, 500);
    while ((await claimer.claim()).more);
    clock.advance(hour);
    await subscribe(engineTest, own, null);
    assert.equal(await countPlanned(engineTest), 0);
  };
  clock.set(dueAt);
  let renewer = createRenewer(store, clock);
  assert.deepEqual(await renewer.step(), { restMs: Infinity, planned: 0 });
  await expireAndRenew();
  assert.equal((await renewer.step()).planned, 500);
  await expireAndRenew();
  assert.deepEqual(await planAll(renewer), [500, 500, 200, 1], 'it began with the first again');

  await expireAndRenew();
  await renewer.step();
  await using reopened = await openStore(databaseOf(dataDir) ?? dataDir);
  renewer = createRenewer(reopened, clock);
  assert.deepEqual(await planAll(renewer), [500, 200, 1]);
  const rows = await store.db.selectFrom('jobs').select('next_run_at').execute();
  assert.deepEqual(new Set(rows.map((row) => row.next_run_at)), new Set([clock.now() + minute]));
});

test('a renewal step that could not be stored is repeated', async (t) => {
  const engineTest = await setupEngine(t);
  const { addJob, clock, store } = engineTest;
  for (let count = 0; count < 600; count += 1) await addJob(everyMinute, dueAt - minute);
  clock.set(dueAt);
  await cancel(engineTest, own);
  const claimer = testWriter(store, clock, 10);
  while ((await claimer.claim()).more);
  await subscribe(engineTest, own, null);
  let isBroken = false;
  const broken: Store = {
    ...store,
    write: (work) =>
      store.write(async (tx) => {
        const result = await work(tx);
        if (isBroken) throw new Error('the disk is full');
        return result;
      }),
  };
  const renewer = createRenewer(broken, clock);
  isBroken = true;
  await assert.rejects(renewer.step(), /the disk is full/);
  isBroken = false;
  await renewer.step();
  isBroken = true;
  await assert.rejects(renewer.step(), /the disk is full/);
  isBroken = false;
  await planAll(renewer);
  assert.equal(await countPlanned(engineTest), 600);
});

test('after a renewal only later due times can be missed', async (t) => {
  const engineTest = await setupEngine(t);
  const { start, addJob, clock, endedRuns, readJob } = engineTest;
  const sink = await startSink(t);
  const job = await addJob({ ...everyMinute, url: sink.url }, dueAt - minute);
  clock.set(dueAt);
  await cancel(engineTest, own);
  clock.set(dueAt + hour);
  await subscribe(engineTest, own, null);
  // jobd is restarted long after that.
  clock.set(dueAt + 2 * hour);
  await start();
  const [missed] = await endedRuns(job, 3);
  assert.deepEqual([missed?.status, missed?.scheduledFor], ['missed', dueAt + hour + minute]);
  assert.match(missed?.error ?? '', /^missed: 58 due times .*: jobd was not running$/);
  assert.equal((await readJob(job)).nextRunAt, dueAt + 2 * hour + minute);
});
