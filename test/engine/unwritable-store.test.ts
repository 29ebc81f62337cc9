/**
 * A store that cannot be written for a while: no call goes out without a claim, and no outcome is
 * lost.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Egress } from '../../src/egress/egress.ts';
import { each } from '../support/each.ts';
import { testWriter } from '../support/running/writer.ts';
import { noReserve, type Store } from '../../src/store/database/store.ts';
import { detailsOf, dueAt, dueOnce, setupEngine } from '../support/running/engine.ts';
import { startSink } from '../support/fakes/sink.ts';
import { until } from '../support/until.ts';
import { holdWriteLock } from '../support/running/write-lock.ts';

interface BreakingStore extends Store {
  /** Writes that fail from now on, each after its work and before its commit. */
  failures: number;
}

/** The same store, with the given number of failing commits. */
function breaking(store: Store): BreakingStore {
  const broken: BreakingStore = {
    ...store,
    failures: 0,
    write: (work) =>
      store.write(async (tx) => {
        const result = await work(tx);
        if (broken.failures === 0) return result;
        broken.failures -= 1;
        throw new Error('the disk is full');
      }),
  };
  return broken;
}

test('a claim that cannot be stored sends nothing, holds no slot, and is retried', async (t) => {
  const { start, addJob, clock, logged, endedRuns, ...parts } = await setupEngine(t);
  const store = breaking(parts.store);
  const sentWhileBroken: number[] = [];
  const sink = await startSink(t, (response) => {
    sentWhileBroken.push(store.failures);
    response.end();
  });
  const job = await addJob({ ...dueOnce, url: sink.url });
  const engine = await start({ store, slots: 1 });
  store.failures = 3;
  clock.set(dueAt);
  engine.wake();
  const runs = await endedRuns(job, 1);
  assert.deepEqual(each(runs, 'status'), ['success']);
  assert.deepEqual(sentWhileBroken, [0], 'it was sent once, after the failures');
  const errors = logged.filter(({ level }) => level === 50);
  assert.deepEqual(
    errors.map(({ msg, err }) => [msg, err?.message]),
    Array.from({ length: 3 }, () => ['claim failed, will try again', 'the disk is full']),
  );
});

test('an outcome that cannot be stored is retried, and holds its slot until then', async (t) => {
  const { start, addJob, clock, logged, endedRuns, runsOf, ...parts } = await setupEngine(t);
  const store = breaking(parts.store);
  const sink = await startSink(t, (response, { path }) => {
    if (path === '/first') store.failures = 3;
    response.writeHead(202).end('kept');
  });
  const first = await addJob({ cronExpr: '10 * * * *', url: `${sink.url}/first` });
  clock.set(dueAt - 60_000);
  const second = await addJob({ ...dueOnce, url: `${sink.url}/second` });
  clock.set(dueAt - 30_000);
  const engine = await start({ store, slots: 1 });
  await until('the first failure', () => logged.some(({ level }) => level === 50));
  clock.set(dueAt);
  engine.wake();
  assert.deepEqual(await runsOf(second), []);
  const [run] = await endedRuns(first, 1);
  assert.deepEqual([run?.status, run?.httpStatus, run?.responseBody], ['success', 202, 'kept']);
  await endedRuns(second, 1);
  assert.deepEqual(each(sink.received, 'path'), ['/first', '/second']);
  const errors = logged.filter(({ level }) => level === 50).map(({ msg }) => msg);
  assert.deepEqual(
    errors,
    Array.from({ length: 3 }, () => 'record failed, will try again'),
  );
});

test('many outcomes wait for the store together, and all are stored', async (t) => {
  const { start, addJob, clock, endedRuns, ...parts } = await setupEngine(t);
  const store = breaking(parts.store);
  const sink = await startSink(t, (response) => {
    if (sink.received.length === 1) store.failures = 2;
    response.end();
  });
  const jobs = await Promise.all(
    Array.from({ length: 30 }, () => addJob({ ...dueOnce, url: sink.url })),
  );
  clock.set(dueAt);
  await start({ store });
  for (const job of jobs) {
    const [run, ...more] = await endedRuns(job, 1);
    assert.deepEqual([run?.status, more.length], ['success', 0]);
  }
  assert.equal(sink.received.length, 30, 'none was sent twice');
});

test('while another process locks the database nothing is sent; afterwards everything is', async (t) => {
  const { start, addJob, clock, dataDir, logged, endedRuns } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url });
  const engine = await start();
  const lock = await holdWriteLock(t, dataDir, 'until released');
  clock.set(dueAt);
  engine.wake();
  const noticed = await until('a failed claim', () => logged.find(({ level }) => level === 50));
  assert.equal(sink.received.length, 0);
  lock.release();
  const runs = await endedRuns(job, 1);
  assert.deepEqual(each(runs, 'status'), ['success']);
  assert.equal(sink.received.length, 1);
  assert.equal(noticed.msg, 'the database cannot be used, will try again');
  assert.match(noticed.error ?? '', /database is locked|another session holds a lock/);
  await until('the end of the outage', () => logged.some(({ msg }) => msg.endsWith('used again')));
});

test('while a full disk has no space for runs, the database cannot be used, and is why due times are missed', async (t) => {
  const { start, addJob, clock, logged, endedRuns, store } = await setupEngine(t);
  let looks = 0;
  let hasSpace = false;
  const hasSpaceForRuns = async (): Promise<boolean> => (looks += 1) > 0 && hasSpace;
  const job = await addJob(dueOnce);
  clock.set(dueAt - 1_000);
  const engine = await start({
    store: { ...store, reserve: { ...noReserve, isInUse: true, isSpent: true, hasSpaceForRuns } },
  });
  const isOver = (): boolean => logged.some(({ msg }) => msg.endsWith('used again'));
  while (clock.now() < dueAt + 70_000) {
    const before = looks;
    clock.advanceBoth(5_000);
    await until('a look', () => looks > before);
    assert.equal(isOver(), false);
  }
  if (store.file !== null)
    assert.match(detailsOf(engine)[0] ?? '', /; until then nothing more is called$/);
  hasSpace = true;
  clock.advanceBoth(5_000);
  const [missed] = await endedRuns(job, 1);
  assert.match(missed?.error ?? '', /: the database could not be used from 2026-03-02T10:11:\d\d/);
  await until('the end of the outage', isOver);
  const [noticed, ...more] = logged.filter(({ level }) => level === 50);
  assert.deepEqual(more, []);
  assert.match(
    noticed?.error ?? '',
    /: the disk is full, and nothing is called until space is free$/,
  );
});

test('an internal error of a call ends its run as interrupted, and frees the slot', async (t) => {
  const { start, addJob, clock, logged, endedRuns, readJob } = await setupEngine(t);
  const job = await addJob(dueOnce);
  const egress: Egress = {
    call: () => Promise.reject(new Error('a bug')),
    prepare() {},
    useCallKeys() {},
    [Symbol.asyncDispose]: async () => {},
  };
  const engine = await start({ egress, slots: 1 });
  for (const count of [1, 2]) {
    clock.set(dueAt + (count - 1) * 3_600_000);
    engine.wake();
    const runs = await endedRuns(job, count);
    assert.equal(runs.at(-1)?.status, 'interrupted');
    assert.equal(runs.at(-1)?.error, 'interrupted: an error inside jobd, see its log');
  }
  assert.equal((await readJob(job)).health, 'new');
  assert.ok(logged.some(({ level, err }) => level === 50 && err?.message === 'a bug'));
});

test('a stop ends even if the store cannot be written, and the log keeps the outcome; the next start marks the run as interrupted', async (t) => {
  const { start, addJob, clock, logged, endedRuns, runsOf, ...parts } = await setupEngine(t);
  const store = breaking(parts.store);
  const sink = await startSink(t, (response) => {
    store.failures = Infinity;
    response.writeHead(202).end();
  });
  const job = await addJob({ ...dueOnce, url: sink.url });
  clock.set(dueAt);
  const [drainMs, longestLastWriteMs] = [60_000, 10_000];
  const engine = await start({ store, drainMs });
  await until('the call', () => logged.some(({ msg }) => msg === 'record failed, will try again'));
  const stopping = engine[Symbol.asyncDispose]();
  // It waits for the call, and then for the store.
  await until('the wait', () => clock.leftMs().includes(drainMs + longestLastWriteMs));
  clock.pass(drainMs + longestLastWriteMs);
  await stopping;
  const [run] = await runsOf(job);
  assert.equal(run?.status, 'running');
  const kept = logged.filter(
    ({ msg }) => msg === 'the outcome of a run could not be stored before the stop',
  );
  assert.equal(kept.length, 1);
  const { level, runId, status, httpStatus } = { runId: '', status: '', httpStatus: 0, ...kept[0] };
  assert.deepEqual([level, runId, status, httpStatus], [50, run.id, 'success', 202]);
  await start();
  assert.equal((await endedRuns(job, 1))[0]?.status, 'interrupted');
  assert.equal(sink.received.length, 1, 'and is not sent again');
});

test('after a failure the claims are smaller, and then grow again', async (t) => {
  const { store, addJob, clock } = await setupEngine(t);
  for (let count = 0; count < 100; count += 1) await addJob(dueOnce);
  clock.set(dueAt);
  const broken = breaking(store);
  const claimer = testWriter(broken, clock, 64);
  broken.failures = 3;
  for (let tries = 0; tries < 3; tries += 1) {
    await assert.rejects(claimer.claim(), /disk is full/);
    assert.deepEqual(await claimer.settle(), []);
  }
  const sizes: number[] = [];
  for (let tries = 0; tries < 5; tries += 1) sizes.push((await claimer.claim()).executions.length);
  assert.deepEqual(sizes, [8, 16, 32, 8, 0], 'until all slots are taken');
});
