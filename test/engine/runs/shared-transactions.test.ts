/** Runs that end one after the other share transactions, and so share disk syncs. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Job } from '../../../src/domain/jobs/job.ts';
import type { Call, Egress } from '../../../src/egress/egress.ts';
import type { Engine, EngineParts } from '../../../src/engine/engine.ts';
import { signingBatch } from '../../../src/engine/proof/sign.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { dueAt, setupEngine } from '../../support/running/engine.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';
import { until } from '../../support/until.ts';

const minute = 60_000;
const jobs = 40;
/** Event loop turns in which an ended run could be recorded before the next one is due. */
const turnsBetween = 10;

// A server takes several transactions at a time, so they need not be shared there.
sqliteTest('an ended run is recorded in the transaction that claims the next one', async (t) => {
  const { start, callEach, endedRuns, store } = await setupSteady(t);
  const counted = countWrites(store);
  await start({ store: counted.store });
  await until('the start', () => (counted.writes() > 0 ? true : null));
  const before = counted.writes();
  const called = await callEach();
  for (const job of called) await endedRuns(job, 1);

  // Separate transactions would be a claim and a record for each job.
  const writes = counted.writes() - before;
  assert.ok(
    writes >= jobs,
    `${writes} writes cannot have claimed ${jobs} jobs one after the other`,
  );
  assert.ok(writes < 2 * jobs - jobs / 8, `${writes} writes for ${jobs} runs`);
});

test('signing continues at a steady rate, without bursts', async (t) => {
  const { start, callEach, clock } = await setupSteady(t);
  let signs = 0;
  let monotonic = 0;
  // A batch takes so long that a pause of the same length would outlast the test.
  const sign = async (): Promise<number> => {
    signs += 1;
    monotonic += minute;
    return signingBatch;
  };
  await start({
    signer: { sign, signText: async (text) => text },
    clock: { ...clock, monotonicMs: () => monotonic },
  });
  await callEach();
  const before = signs;
  await until('more batches', () => (signs > before + 10 ? true : null));
});

/** An engine whose jobs are due one a minute, and called one after the other by `callEach`. */
async function setupSteady(t: TestContext) {
  const parts = await setupEngine(t);
  const { addJob, clock } = parts;
  const { egress, begun } = instantEgress();
  const added: Job[] = [];
  for (let index = 0; index < jobs; index += 1) {
    const cronExpr = `${index} * * * *`;
    added.push(await addJob({ cronExpr, url: 'http://127.0.0.1:1/' }, dueAt));
  }
  const from = Math.ceil(dueAt / (60 * minute)) * 60 * minute;
  clock.set(from - 1);
  let engine: Engine;
  const start = async (changes: Partial<EngineParts>): Promise<void> => {
    engine = await parts.start({ egress, ...changes });
  };
  const callEach = async (): Promise<Job[]> => {
    for (let index = 0; index < jobs; index += 1) {
      const next = begun();
      clock.set(from + index * minute);
      engine.wake();
      await next;
      for (let turn = 0; turn < turnsBetween; turn += 1) await setImmediate();
    }
    return added;
  };
  return { ...parts, start, callEach };
}

/** Answers each call at once; `begun` resolves with the next call. */
function instantEgress(): { egress: Egress; begun: () => Promise<Call> } {
  let next = Promise.withResolvers<Call>();
  const response = {
    httpStatus: 200,
    location: null,
    retryAfter: null,
    body: 'ok',
    truncated: false,
    broken: null,
  };
  const egress: Egress = {
    call: (call) =>
      new Promise((resolve) => {
        next.resolve(call);
        resolve({ kind: 'response', response });
      }),
    prepare() {},
    useCallKeys() {},
    async [Symbol.asyncDispose]() {},
  };
  const begun = (): Promise<Call> => {
    next = Promise.withResolvers<Call>();
    return next.promise;
  };
  return { egress, begun };
}

function countWrites(store: Store): { store: Store; writes: () => number } {
  let count = 0;
  const write: Store['write'] = (work) => {
    count += 1;
    return store.write(work);
  };
  return { store: { ...store, write }, writes: () => count };
}
