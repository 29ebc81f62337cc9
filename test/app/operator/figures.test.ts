import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFigures } from '../../../src/app/operator/figures.ts';
import { JobdError } from '../../../src/domain/errors.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { openTestStore } from '../../support/running/store.ts';

test('they count due jobs and receipts that are not signed', async (t) => {
  const { start, addJob, clock, endedRuns, store } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url });
  const figures = createFigures({ store, clock });
  const counts = async () => {
    const { jobsDue = null, receiptsUnsigned = null } = (await figures()) ?? {};
    return { jobsDue, receiptsUnsigned };
  };
  assert.deepEqual(await counts(), { jobsDue: 0, receiptsUnsigned: 0 });
  clock.set(dueAt);
  assert.deepEqual(await counts(), { jobsDue: 1, receiptsUnsigned: 0 });
  await start({ signer: { sign: async () => 0, signText: async () => '' } });
  await endedRuns(job, 1);
  assert.deepEqual(await counts(), { jobsDue: 0, receiptsUnsigned: 1 });
});

test('they have the size of the database, and the free space where it is a file', async (t) => {
  const { store } = await openTestStore(t);
  const found = await createFigures({ store, clock: fakeClock() })();
  assert.ok((found?.databaseBytes ?? 0) > 0);
  assert.equal(found?.diskFreeBytes === null, store.file === null);
});

async function away(): Promise<number> {
  throw new JobdError('unavailable', 'it is away', { isOfStore: true });
}

test('a store that cannot be used or does not answer has none', async (t) => {
  const { store } = await openTestStore(t);
  const clock = fakeClock();
  assert.equal(await createFigures({ store: { ...store, sizeBytes: away }, clock })(), null);

  let asked = 0;
  const silent = async (): Promise<number> => {
    asked += 1;
    return await new Promise(() => {});
  };
  const figures = createFigures({ store: { ...store, sizeBytes: silent }, clock, waitMs: 1 });
  // Without a pending timer, the test would end before the answer.
  const pending = setInterval(() => {}, 1_000);
  t.after(() => clearInterval(pending));
  assert.equal(await figures(), null);
  assert.equal(await figures(), null);
  assert.ok(asked <= 1, 'one question is under way');
});
