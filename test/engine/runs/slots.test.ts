import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSlots } from '../../../src/engine/runs/slots.ts';
import { findRunningRuns } from '../../../src/store/runs/ended.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

/** A slot of a host, for the only workspace or for one of several. */
const to = (host: string, workspace: string | null = null) => ({
  host,
  workspace,
  workspaceId: workspace ?? 'only',
});

test('slots are taken up to both limits, and are free again when released', async () => {
  const slots = createSlots(3, 2);
  const take = (host: string): boolean => slots.take(to(host));
  assert.deepEqual([take('a'), take('a'), take('a')], [true, true, false]);
  assert.deepEqual(slots.full(), { exceptHosts: ['a'], exceptShares: [] });
  assert.deepEqual([take('b'), take('c')], [true, false]);
  assert.equal(slots.free, 0);
  slots.release(to('a'));
  assert.deepEqual([slots.free, slots.full().exceptHosts, slots.isShort], [1, [], false]);
  assert.equal(take('c'), true);
  let allReleased = false;
  const waiting = slots.allReleased().then(() => (allReleased = true));
  for (const host of ['a', 'b']) slots.release(to(host));
  await Promise.resolve();
  assert.equal(allReleased, false);
  slots.release(to('c'));
  await waiting;
  await slots.allReleased();
  assert.equal(slots.free, 3);
});

test('a workspace that has its share leaves the last eighth of the slots to others', () => {
  const slots = createSlots(64, 64);
  const takeAll = (workspace: string, of = slots): number => {
    let count = 0;
    while (of.take(to('a', workspace))) count += 1;
    return count;
  };
  assert.equal(takeAll('w1'), 56);
  assert.deepEqual(slots.full().exceptShares, ['* w1', 'a w1']);
  assert.equal(slots.isShort, true);
  assert.deepEqual([takeAll('w2', slots.copy()), takeAll('w2'), takeAll('w2')], [4, 4, 0]);
  const last = ['w3', 'w4', 'w5', 'w6'].map((workspace) => takeAll(workspace));
  assert.deepEqual(last, [2, 1, 1, 0], 'each leaves as many as it has');
  const release = (count: number, workspace = 'w1'): void => {
    for (let left = count; left > 0; left -= 1) slots.release(to('a', workspace));
  };
  for (const [workspace, count] of Object.entries({ w3: 2, w4: 1, w5: 1 }))
    release(count, workspace);
  release(2);
  assert.deepEqual(
    [takeAll('w1'), takeAll('w2')],
    [0, 2],
    'what is given back, until it has a share',
  );
  release(30);
  assert.deepEqual([takeAll('w2'), slots.free], [26, 8], 'above the last part, first come');
  const none = { exceptHosts: [], exceptShares: [] };
  assert.equal(slots.areFull({ ...none, exceptShares: ['* w1', '* w2'] }), true);
  assert.equal(slots.areFull({ ...none, exceptShares: ['* w2', '* w3'] }), false);
  assert.equal(slots.areFull({ ...none, exceptHosts: ['a'] }), false);
});

test('it leaves the last eighth of the slots of a host, too, and has others all the same', () => {
  const slots = createSlots(512, 64);
  const takeAll = (host: string, workspace: string): number => {
    let count = 0;
    while (slots.take(to(host, workspace))) count += 1;
    return count;
  };
  assert.equal(takeAll('a', 'w1'), 56);
  const full = { exceptHosts: [], exceptShares: ['a w1'] };
  assert.deepEqual(slots.full(), full);
  assert.deepEqual([slots.areFull(full), slots.isShort], [true, true]);
  assert.deepEqual(
    ['a w2', 'b w1'].map((pair) => slots.areFull({ ...full, exceptShares: [pair] })),
    [false, false],
  );
  assert.deepEqual([takeAll('a', 'w2'), takeAll('a', 'w3'), takeAll('b', 'w1')], [4, 2, 56]);
  for (let left = 56; left > 0; left -= 1) slots.release(to('a', 'w1'));
  assert.deepEqual(slots.full().exceptShares, ['b w1']);
});

test('the number of calls in flight is limited by the slots; other jobs stay due', async (t) => {
  const { start, addJob, clock, store, endedRuns, runsOf } = await setupEngine(t);
  const sink = await startHeldSink(t);
  const jobs = await Promise.all(
    Array.from({ length: 10 }, () => addJob({ ...dueOnce, url: sink.url })),
  );
  clock.set(dueAt);
  const engine = await start({ slots: 3 });
  await sink.waitFor(3);
  for (let turn = 0; turn < 8; turn += 1) {
    engine.wake();
    await sink.waitFor(3);
    const running = await findRunningRuns(store.db);
    assert.ok(running.length <= 3, `${running.length} are running`);
    if (turn === 0) {
      const runs = await Promise.all(jobs.map(runsOf));
      assert.equal(runs.flat().length, 3, 'nothing is kept of a job before it is called');
    }
    if (turn < 7) sink.release(1);
  }
  sink.release();
  await Promise.all(jobs.map((job) => endedRuns(job, 1)));
  assert.equal(sink.mostWaiting, 3);
  assert.equal(sink.received.length, 10);
});

test('all slots in use for half a minute are found, though each is given back and taken again', async (t) => {
  const { start, addJob, clock, logged } = await setupEngine(t);
  const sink = await startHeldSink(t);
  for (let count = 0; count < 6; count += 1) await addJob({ ...dueOnce, url: sink.url });
  clock.set(dueAt);
  const engine = await start({ slots: 2 });
  const slotsFound = (): unknown[] => engine.findings().map(({ code, facts }) => [code, facts]);
  await sink.waitFor(2);
  clock.set(dueAt + 29_999);
  assert.deepEqual(slotsFound(), []);
  sink.release(2);
  await sink.waitFor(2);
  clock.set(dueAt + 30_000);
  const since = new Date(dueAt).toISOString();
  assert.deepEqual(slotsFound(), [['slots-full', { slots: 2, since }]]);
  const said = (): unknown[] =>
    logged.map(({ msg }) => msg).filter((msg) => msg.endsWith(' slots'));
  engine.wake();
  await until('the log', () => said().length === 1);
  await until('no finding', () => {
    sink.release();
    return slotsFound().length === 0;
  });
  assert.ok(engine.slotsUsed() < 2);
  engine.wake();
  await until('both lines', () => said().length === 2);
  assert.deepEqual(said(), ['calls wait for slots', 'calls no longer wait for slots']);
});

test('what is missed because all slots are in use says so', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startHeldSink(t);
  const jobs = [];
  for (let count = 0; count < 3; count += 1) jobs.push(await addJob({ ...dueOnce, url: sink.url }));
  clock.set(dueAt);
  const engine = await start({ slots: 1 });
  await sink.waitFor(1);
  // A longer step would be a standstill.
  for (let passedMs = 0; passedMs <= 60_000; passedMs += 3_000) {
    clock.advanceBoth(3_000);
    engine.wake();
    await setImmediate();
  }
  sink.release();
  const runs = await Promise.all(jobs.map(async (job) => (await endedRuns(job, 1))[0]));
  const missed = runs.filter((run) => run?.status === 'missed');
  assert.equal(missed.length, 2);
  for (const run of missed)
    assert.match(run?.error ?? '', /: all slots it could have were in use by other calls/);
});

test('a released slot is taken again at once', async (t) => {
  const setup = await setupEngine(t, fakeClock(undefined, { timers: 'fake' }));
  const { start, addJob, clock, runsOf } = setup;
  const sink = await startSink(t);
  const jobs = await Promise.all(
    Array.from({ length: 12 }, () => addJob({ ...dueOnce, url: sink.url })),
  );
  clock.set(dueAt);
  await start({ slots: 1 });
  // No time passes: whatever rested would rest for ever.
  await until('all calls', () => sink.received.length === 12);
  await until('the last outcome', async () => {
    clock.pass(10);
    const runs = await Promise.all(jobs.map((job) => runsOf(job)));
    return runs.flat().every(({ status }) => status === 'success');
  });
});

test('one host gets no more calls than its limit, and delays no other host', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const slow = await startHeldSink(t);
  const quick = await startSink(t);
  const slowJobs = await Promise.all(
    Array.from({ length: 8 }, () => addJob({ cronExpr: '10 * * * *', url: slow.url })),
  );
  // Another name: a different port counts as the same host.
  const quickUrl = quick.url.replace('127.0.0.1', 'localhost');
  const quickJobs = await Promise.all(
    Array.from({ length: 8 }, () => addJob({ ...dueOnce, url: quickUrl })),
  );
  clock.set(dueAt);
  await start({ slots: 4, slotsPerHost: 2 });
  await Promise.all(quickJobs.map((job) => endedRuns(job, 1)));
  await slow.waitFor(2);
  assert.equal(slow.waiting, 2, 'they were due first, and take no more than their share');
  for (let answered = 0; answered < 8; answered += 1) {
    await slow.waitFor(1);
    slow.release(1);
  }
  await Promise.all(slowJobs.map((job) => endedRuns(job, 1)));
  assert.equal(slow.mostWaiting, 2);
});

test('manual runs respect the same limits', async (t) => {
  const { start, addJob, ask, endedRuns } = await setupEngine(t);
  const sink = await startHeldSink(t);
  const jobs = await Promise.all(
    Array.from({ length: 6 }, () => addJob({ ...dueOnce, url: sink.url })),
  );
  for (const job of jobs) await ask(job);
  await start({ slots: 5, slotsPerHost: 2 });
  for (let answered = 0; answered < 6; answered += 1) {
    await sink.waitFor(1);
    sink.release(1);
  }
  await Promise.all(jobs.map((job) => endedRuns(job, 1)));
  assert.ok(sink.mostWaiting <= 2);
});

test('a thousand due jobs are all called once', async (t) => {
  const { start, addJob, clock, store } = await setupEngine(t);
  const sink = await startSink(t);
  await Promise.all(Array.from({ length: 1_000 }, () => addJob({ ...dueOnce, url: sink.url })));
  clock.set(dueAt);
  await start({ slots: 64, slotsPerHost: 64 });
  await until('a thousand successes', async () => {
    const row = await store.db
      .selectFrom('runs')
      .select((of) => of.fn.countAll<number>().as('ended'))
      .where('status', '=', 'success')
      .executeTakeFirst();
    return row?.ended === 1_000;
  });
  const ids = sink.received.map(({ headers }) => headers['x-service-run-id']);
  assert.equal(ids.length, 1_000);
  assert.equal(new Set(ids).size, 1_000);
});
