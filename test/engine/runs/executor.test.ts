/**
 * The executor, step by step: when claims and records are separate, and when they share a
 * transaction.
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { unheard } from '../../support/fakes/changes.ts';
import type { AttemptResult } from '../../../src/domain/runs/outcome.ts';
import type { Egress } from '../../../src/egress/egress.ts';
import { each } from '../../support/each.ts';
import { unidentified } from '../../support/fakes/unidentified.ts';
import { alone } from '../../../src/engine/nodes/membership.ts';
import { Executor } from '../../../src/engine/runs/executor.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { testVault } from '../../support/fakes/vault.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { uncounted } from '../../support/fakes/meter.ts';
import { until } from '../../support/until.ts';

const minute = 60_000;
const answer: AttemptResult = {
  kind: 'response',
  response: {
    httpStatus: 200,
    location: null,
    retryAfter: null,
    body: 'ok',
    truncated: false,
    broken: null,
  },
};

/** Calls answered only by `answerNext`, and counted writes. Rests end when the clock passes. */
async function setup(t: TestContext, slots: number, slotsPerHost = slots) {
  const engine = await setupEngine(t, fakeClock(undefined, { timers: 'fake' }));
  const open: (() => void)[] = [];
  let writes = 0;
  let isBroken = false;
  let tookMs = 0;
  const store: Store = {
    ...engine.store,
    write(work) {
      writes += 1;
      engine.clock.pass(tookMs);
      if (isBroken) return Promise.reject(new Error('the disk is full'));
      return engine.store.write(work);
    },
  };
  const egress: Egress = {
    call: () => new Promise((resolve) => open.push(() => resolve(answer))),
    prepare() {},
    useCallKeys() {},
    async [Symbol.asyncDispose]() {},
  };
  const woken = new Set<string>();
  const executor = new Executor({
    changes: unheard,
    store,
    egress,
    membership: alone(engine.clock),
    vault: testVault,
    callers: unidentified,
    clock: engine.clock,
    log: pino({ level: 'silent' }),
    traceContext: false,
    reportUrlOf: (runId: string) => `https://jobd.test/report/${runId}`,
    spans: null,
    meter: uncounted,
    slots,
    slotsPerHost,
    heldJobs: () => [],
    receipts: false,
    wake: (work) => void woken.add(work),
  });
  const answerNext = async (): Promise<void> => {
    woken.clear();
    open.shift()?.();
    await until('the end of a call', () => woken.has('record'));
  };
  return {
    ...engine,
    executor,
    answerNext,
    woken,
    calls: () => open.length,
    writes: () => writes,
    breakStore: (broken: boolean) => void (isBroken = broken),
    slowDown: (ms: number) => void (tookMs = ms),
  };
}

test('a claim pauses until the next due time, and starts due calls', async (t) => {
  const { executor, addJob, clock, calls } = await setup(t, 5);
  await addJob(dueOnce);
  clock.set(dueAt - 400);
  assert.equal(await executor.claim(), 400);
  assert.deepEqual([calls(), executor.slotsUsed], [0, 0]);
  clock.set(dueAt);
  assert.equal(await executor.claim(), 0, 'there may be more');
  assert.deepEqual([calls(), executor.slotsUsed], [1, 1]);
});

test('of two runs that people asked for, the second one waits for the end of the first', async (t) => {
  const { executor, addJob, ask, clock, calls, answerNext, runsOf } = await setup(t, 5);
  const job = await addJob(dueOnce);
  await ask(job);
  clock.advance(minute);
  await ask(job);
  const statuses = async () => (await runsOf(job)).map(({ status }) => status);
  await executor.claim();
  assert.equal(calls(), 1);
  assert.deepEqual(await statuses(), ['running', 'queued']);
  await answerNext();
  await executor.record();
  await executor.claim();
  assert.equal(calls(), 1);
  assert.deepEqual(await statuses(), ['success', 'running']);
});

test('under load one transaction records a run and claims the next one', async (t) => {
  const { executor, addJob, clock, calls, answerNext, writes, readJob } = await setup(t, 1);
  const jobs = [await addJob(dueOnce), await addJob(dueOnce)];
  clock.set(dueAt);
  assert.equal(await executor.claim(), 0);
  assert.equal(executor.isPressed, true, 'a job is due and no slot is free');
  await answerNext();
  const before = writes();
  assert.equal(await executor.record(), Infinity);
  assert.equal(writes() - before, 1);
  assert.deepEqual([calls(), executor.slotsUsed], [1, 1], 'the next call has the slot');
  const healths = await Promise.all(jobs.map(async (job) => (await readJob(job)).health));
  assert.deepEqual(healths.toSorted(), ['new', 'up']);
});

test('while calls wait for their host, a record refills its slots, and calls to others are searched for seldom', async (t) => {
  const { executor, addJob, clock, calls, answerNext, woken, writes } = await setup(t, 4, 1);
  for (let count = 0; count < 3; count += 1) await addJob(dueOnce);
  clock.set(dueAt);
  while ((await executor.claim()) === 0);
  assert.equal(calls(), 1, 'the host has one slot');
  assert.equal(executor.isPressed, false, 'a slow host is no reason to put off other work');
  await addJob({ ...dueOnce, url: 'https://other.example/' });
  await addJob({ cronExpr: '12 * * * *', url: 'https://later.example/' });
  const before = writes();
  assert.equal(await executor.claim(), Infinity, 'it has just been searched for');
  assert.equal(writes(), before);
  await answerNext();
  await executor.record();
  assert.deepEqual([writes() - before, calls()], [1, 1], 'the next call of the host');
  assert.equal(executor.isPressed, true, 'its calls end as fast as they are recorded');
  woken.clear();
  clock.pass(49);
  assert.equal(await executor.claim(), Infinity);
  clock.pass(1);
  assert.ok(woken.has('claim'));
  clock.set(dueAt + minute);
  while ((await executor.claim()) === 0);
  assert.equal(calls(), 2, 'a call that became due since the first search');
  clock.pass(949);
  while ((await executor.claim()) === 0);
  assert.equal(calls(), 2);
  clock.pass(50);
  while ((await executor.claim()) === 0);
  assert.equal(calls(), 3, 'one that was due then, after a second');
});

test('so it is while runs that people asked for wait for their host', async (t) => {
  const { executor, addJob, ask, calls, answerNext, writes, ...parts } = await setup(t, 4, 1);
  for (let count = 0; count < 3; count += 1) await ask(await addJob(dueOnce));
  parts.slowDown(10);
  while ((await executor.claim()) === 0);
  const before = writes();
  assert.equal(await executor.claim(), Infinity);
  assert.deepEqual([writes() - before, calls()], [0, 1], 'it has just been searched for');
  assert.deepEqual(parts.clock.leftMs(), [200], 'a slow search rests longer');
  await answerNext();
  await executor.record();
  assert.deepEqual([writes() - before, calls()], [1, 1], 'the next call of the host');
});

test('without load a record waits some milliseconds for others, unless a job is due', async (t) => {
  const { executor, addJob, clock, calls, answerNext, woken, writes } = await setup(t, 5);
  for (const cronExpr of ['11 * * * *', '11 * * * *', '12 * * * *']) await addJob({ cronExpr });
  clock.set(dueAt);
  while ((await executor.claim()) === 0);
  assert.equal(calls(), 2);
  await answerNext();
  assert.equal(await executor.record(), Infinity, 'the first one is written at once');
  await answerNext();
  const before = writes();
  clock.pass(9);
  assert.equal(await executor.record(), Infinity, 'the second one waits');
  clock.set(dueAt + minute);
  await executor.claim();
  assert.equal(writes() - before, 1, 'the claim records it, too');
  await answerNext();
  woken.clear();
  clock.pass(9);
  assert.deepEqual([await executor.record(), woken.has('record')], [Infinity, false]);
  clock.pass(1);
  assert.ok(woken.has('record'), 'then it is written');
  await executor.record();
  assert.equal(writes() - before, 2);
  assert.equal(executor.slotsUsed, 0);
});

test('if a shared transaction fails, records and claims are separate until a claim works again', async (t) => {
  const { executor, addJob, clock, calls, answerNext, breakStore } = await setup(t, 1);
  for (let count = 0; count < 2; count += 1) await addJob(dueOnce);
  clock.set(dueAt);
  await executor.claim();
  await answerNext();
  breakStore(true);
  await assert.rejects(executor.record(), /disk is full/);
  assert.deepEqual([executor.isPressed, executor.slotsUsed], [false, 1], 'the slot is kept');
  breakStore(false);
  assert.equal(await executor.record(), Infinity);
  assert.deepEqual([calls(), executor.slotsUsed], [0, 0], 'it is recorded, and nothing claimed');
  assert.equal(await executor.claim(), 0);
  assert.equal(calls(), 1);
});

test('a closed executor claims nothing, and waits for the calls in flight', async (t) => {
  const { executor, addJob, clock, calls, answerNext, runsOf } = await setup(t, 1);
  const jobs = [await addJob(dueOnce), await addJob(dueOnce)];
  clock.set(dueAt);
  await executor.claim();
  executor.close();
  let isDrained = false;
  const drained = executor.drain(60_000).then(() => (isDrained = true));
  await answerNext();
  assert.equal(isDrained, false, 'the outcome is not written yet');
  await executor.record();
  await drained;
  assert.equal(await executor.claim(), Infinity);
  assert.deepEqual([calls(), executor.slotsUsed], [0, 0]);
  const runs = await Promise.all(jobs.map(runsOf));
  assert.deepEqual(each(runs.flat(), 'status'), ['success']);
});
