/**
 * A commit that fails and may still have been stored: the store is read again, nothing is guessed.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Written } from '../../../src/engine/runs/writer.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { each } from '../../support/each.ts';
import { detailsOf, dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

interface LyingStore extends Store {
  /** The number of commits of each kind that are stored but reported as failed, from now on. */
  lies: number;
}

/** The same store, which misreports some commits; the result of the write tells the kind. */
function lying(store: Store, isTheKind: (result: unknown) => boolean): LyingStore {
  const liar: LyingStore = {
    ...store,
    lies: 0,
    async write(work) {
      const result = await store.write(work);
      if (liar.lies === 0 || !isTheKind(result)) return result;
      liar.lies -= 1;
      throw new Error('the commit failed');
    },
  };
  return liar;
}

const isClaim = (result: unknown): boolean =>
  ((result as Partial<Written>).claim?.executions ?? []).length > 0;
const isRecord = (result: unknown): boolean =>
  ((result as Partial<Written>).ended ?? []).length > 0;

test('a claim that was stored although its commit failed is sent once', async (t) => {
  const { start, addJob, ask, clock, logged, endedRuns, readJob, ...parts } = await setupEngine(t);
  const store = lying(parts.store, isClaim);
  const sink = await startSink(t);
  const jobs = await Promise.all(
    Array.from({ length: 4 }, () => addJob({ ...dueOnce, url: sink.url })),
  );
  const byHand = await addJob({ cronExpr: '0 0 1 1 *', url: sink.url });
  const engine = await start({ store, slots: 3 });
  store.lies = 1;
  await ask(byHand);
  clock.set(dueAt);
  engine.wake();
  for (const job of [...jobs, byHand]) {
    const [run, ...more] = await endedRuns(job, 1);
    assert.deepEqual([run?.status, run?.attempts, more.length], ['success', 1, 0]);
    assert.equal((await readJob(job)).activeRunId, null);
  }
  assert.equal(sink.received.length, 5);
  const errors = logged.filter(({ level }) => level === 50);
  assert.deepEqual(
    errors.map(({ msg, err }) => [msg, err?.message]),
    [['claim failed, will try again', 'the commit failed']],
  );
});

test('a claim that cannot be confirmed within a minute is interrupted and not sent', async (t) => {
  const { start, addJob, clock, logged, endedRuns, ...parts } = await setupEngine(t);
  const store = lying(parts.store, isClaim);
  const sink = await startSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url });
  const engine = await start({ store });
  store.lies = 1;
  clock.set(dueAt);
  engine.wake();
  await until('the failure', () => logged.some(({ level }) => level === 50));
  clock.advance(61_000);
  const [run, ...more] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.attempts, more.length], ['interrupted', 0, 0]);
  assert.match(
    run?.error ?? '',
    /^interrupted: not sent: its claim could not be confirmed within a minute$/,
  );
  assert.equal(sink.received.length, 0);
});

test('an outcome that was stored although its commit failed is recorded once', async (t) => {
  const { start, addJob, clock, endedRuns, logged, ...parts } = await setupEngine(t);
  const store = lying(parts.store, isRecord);
  const sink = await startSink(t, (response) => {
    store.lies = 2;
    response.end();
  });
  const job = await addJob({ ...dueOnce, url: sink.url });
  const engine = await start({ store, slots: 1 });
  clock.set(dueAt);
  engine.wake();
  await endedRuns(job, 1);
  clock.set(dueAt + 3_600_000);
  await until('the slot to be free again', async () => {
    engine.wake();
    return sink.received.length === 2;
  });
  const runs = await endedRuns(job, 2);
  assert.deepEqual(each(runs, 'status'), ['success', 'success']);
  const about = await until('both ends in the log', () => {
    const said = logged.filter(({ msg }) => /^run ended|^a run that ended/.test(msg));
    return said.length >= 2 && said;
  });
  assert.deepEqual(each(about, 'msg'), ['run ended', 'run ended'], 'each is said once');
});

test('a record and a claim in one transaction, stored although the commit failed, each count once', async (t) => {
  const { start, addJob, clock, logged, endedRuns, ...parts } = await setupEngine(t);
  const store = lying(parts.store, isClaim);
  const sink = await startSink(t, (response) => {
    if (sink.received.length === 1) store.lies = 1;
    response.end();
  });
  const jobs = await Promise.all(
    Array.from({ length: 4 }, () => addJob({ ...dueOnce, url: sink.url })),
  );
  // With one slot, the second run is claimed in the transaction that records the first.
  const engine = await start({ store, slots: 1 });
  clock.set(dueAt);
  engine.wake();
  for (const job of jobs) {
    const [run, ...more] = await endedRuns(job, 1);
    assert.deepEqual([run?.status, run?.attempts, more.length], ['success', 1, 0]);
  }
  assert.equal(sink.received.length, 4);
  const errors = logged.filter(({ level }) => level === 50);
  assert.deepEqual(
    errors.map(({ msg, err }) => [msg, err?.message]),
    [['record failed, will try again', 'the commit failed']],
  );
});

test('a failing claim does not keep outcomes from being recorded', async (t) => {
  const { start, addJob, clock, logged, endedRuns, readJob, ...parts } = await setupEngine(t);
  let isBroken = false;
  const store: Store = {
    ...parts.store,
    write: (work) =>
      parts.store.write(async (tx) => {
        const result = await work(tx);
        if (isBroken && (result as Partial<Written>).claim) throw new Error('no claim');
        return result;
      }),
  };
  const sink = await startSink(t, (response) => {
    isBroken = true;
    response.end();
  });
  const jobs = await Promise.all(
    Array.from({ length: 2 }, () => addJob({ ...dueOnce, url: sink.url })),
  );
  const engine = await start({ store, slots: 1 });
  clock.set(dueAt);
  engine.wake();
  await until('the trouble', () => detailsOf(engine).includes('no claim (claim fails)'));
  const healths = await Promise.all(jobs.map(async (job) => (await readJob(job)).health));
  assert.equal(healths.filter((health) => health === 'up').length, 1);
  isBroken = false;
  for (const job of jobs) assert.equal((await endedRuns(job, 1))[0]?.status, 'success');
  assert.equal(sink.received.length, 2);
  assert.ok(logged.some(({ msg }) => msg === 'record failed, will try again'));
});

test('a stop does not wait for an unconfirmed claim', async (t) => {
  const { start, addJob, clock, logged, endedRuns, ...parts } = await setupEngine(t);
  const store = lying(parts.store, isClaim);
  const sink = await startSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url });
  const engine = await start({ store, drainMs: 60_000 });
  store.lies = 1;
  clock.set(dueAt);
  engine.wake();
  await until('the failure', () => logged.some(({ level }) => level === 50));
  await engine[Symbol.asyncDispose]();
  await start();
  const [run] = await endedRuns(job, 1);
  assert.ok(run?.status === 'interrupted' || sink.received.length === 1);
  assert.ok(sink.received.length <= 1, 'it is not sent by both');
});

test('runs of a dead process are interrupted as soon as the store can be written', async (t) => {
  const { start, addJob, clock, logged, endedRuns, ...parts } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - 60_000);
  clock.set(dueAt);
  const dying = lying(parts.store, isClaim);
  dying.lies = 1;
  const first = await start({ store: dying });
  await until('the claim', () => logged.some(({ level }) => level === 50));
  await first[Symbol.asyncDispose]();
  let failures = 3;
  const store: Store = {
    ...parts.store,
    write: (work) => {
      if ((failures -= 1) >= 0) return Promise.reject(new Error('the disk is full'));
      return parts.store.write(work);
    },
  };
  clock.set(dueAt + 60_000);
  const engine = await start({ store });
  await until('the reported trouble', () => detailsOf(engine).length > 0);
  assert.deepEqual(detailsOf(engine), ['the disk is full (claim fails)']);
  const runs = await endedRuns(job, 2);
  assert.deepEqual(each(runs, 'status'), ['interrupted', 'success']);
  assert.deepEqual(detailsOf(engine), []);
});
