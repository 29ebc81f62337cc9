/** The strip of a row has the newest runs, also where two of one moment stand at its beginning. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertScheduledRuns } from '../../../src/store/runs/claims.ts';
import { insertQueuedRun, listRuns } from '../../../src/store/runs/runs.ts';
import { findRecentRuns } from '../../../src/store/overview/recent.ts';
import { missedRun, queuedRun } from '../../support/records/run.ts';
import { openTestStore } from '../../support/running/store.ts';

test('of two runs of one moment at the beginning of a strip only the newer one is shown', async (t) => {
  const { store, addJob } = await openTestStore(t);
  const [job, other, fresh] = [await addJob(), await addJob(), await addJob()];
  for (const at of [1_000, 2_000, 3_000]) {
    await insertScheduledRuns(store.db, [missedRun(job.id, at), missedRun(other.id, at)]);
    await insertQueuedRun(store.db, queuedRun(job.id, at), null);
  }
  const ids = [job.id, other.id, fresh.id];
  for (const count of [1, 2, 3, 4, 5, 6, 7]) {
    const strips = await findRecentRuns(store.db, ids, count);
    for (const id of ids) {
      const newest = await listRuns(store.db, id, { limit: count, before: null });
      const expected = newest.map(({ status }) => status).toReversed();
      assert.deepEqual(strips.get(id)?.statuses ?? [], expected, `${count} of ${id}`);
    }
  }
});
