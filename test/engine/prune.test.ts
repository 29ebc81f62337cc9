/** What people deleted leaves the disk in small steps. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertScheduledRuns } from '../../src/store/claims.ts';
import type { ScheduledRun } from '../../src/store/claims.ts';
import { markJobDeleted } from '../../src/store/jobs.ts';
import { setupEngine } from '../support/engine.ts';
import { until } from '../support/until.ts';

function missedRuns(jobId: string, count: number): ScheduledRun[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${jobId}-${index}`,
    jobId,
    status: 'missed' as const,
    scheduledFor: index,
    startedAt: null,
    error: 'missed: 1 due time',
  }));
}

test('a deleted job with a long history is removed, others keep theirs, and calls go on', async (t) => {
  const { store, addJob, start, clock, ask, endedRuns } = await setupEngine(t);
  const doomed = await addJob();
  const kept = await addJob();
  await insertScheduledRuns(store.db, missedRuns(doomed.id, 2_000));
  await insertScheduledRuns(store.db, missedRuns(kept.id, 3));
  await ask(doomed);
  await markJobDeleted(store.db, doomed.id, clock.now());

  const steps: number[] = [];
  const countingStore = {
    ...store,
    write: async <T>(work: Parameters<typeof store.write<T>>[0]): Promise<T> => {
      const before = await countRuns();
      const result = await store.write(work);
      steps.push(before - (await countRuns()));
      return result;
    },
  };
  async function countRuns(): Promise<number> {
    const { count } = await store.db
      .selectFrom('runs')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('job_id', '=', doomed.id)
      .executeTakeFirstOrThrow();
    return count;
  }
  await start({ store: countingStore });
  await until('the job to be removed', async () => {
    const rows = await store.db.selectFrom('jobs').select('id').execute();
    return rows.length === 1 && rows[0]?.id === kept.id;
  });
  assert.equal(await countRuns(), 0);
  assert.ok(Math.max(...steps) <= 200, `a step removed ${Math.max(...steps)} runs`);
  const left = await store.db.selectFrom('runs').select('job_id').execute();
  assert.deepEqual(new Set(left.map((row) => row.job_id)), new Set([kept.id]));
  await ask(kept);
  await endedRuns(kept, 4);
});
