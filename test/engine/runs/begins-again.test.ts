/** A transaction of the writer that begins again, since another one was faster: nothing of its first try counts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../../src/store/database/store.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { dueAt, dueOnce } from '../../support/running/engine.ts';
import { openTestStore } from '../../support/running/store.ts';
import { testWriter } from '../../support/running/writer.ts';

test('a claim that begins again has all free slots again', async (t) => {
  const { store, addJob } = await openTestStore(t);
  for (let added = 0; added < 3; added += 1) await addJob(dueOnce);
  const clock = fakeClock();
  clock.set(dueAt);
  const writer = testWriter(losing(store), clock, 3);
  const { executions } = await writer.claim();
  assert.equal(executions.length, 3);
  assert.deepEqual(await writer.settle(), [], 'nothing is in doubt');
});

/** A store in which the first try of each transaction loses. */
function losing(store: Store): Store {
  const write: Store['write'] = async (work) => {
    const lost = new Error('lost');
    const first = store.write(async (tx) => {
      await work(tx);
      throw lost;
    });
    await assert.rejects(first, lost);
    return await store.write(work);
  };
  return { ...store, write };
}
