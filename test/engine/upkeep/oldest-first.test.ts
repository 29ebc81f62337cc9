import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { mergeOldestFirst } from '../../../src/engine/upkeep/oldest-first.ts';
import { listHistories } from '../../../src/store/runs/retention.ts';
import { keepHistory } from '../../support/checks/history.ts';
import { openTestStore } from '../../support/running/store.ts';

test('runs are taken in the order of their due times over all histories', async (t) => {
  const { store, addJob } = await openTestStore(t);
  const jobs = await Promise.all(Array.from({ length: 4 }, () => addJob()));
  const history = fc.uniqueArray(fc.nat(300), { maxLength: 150 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(history, { minLength: 4, maxLength: 4 }),
      fc.integer({ min: 1, max: 90 }),
      fc.nat(320),
      async (histories, count, before) => {
        await store.db.deleteFrom('runs').execute();
        for (const [index, times] of histories.entries()) {
          const runs = times.map((at) => ({ status: 'missed' as const, at }));
          await keepHistory(store, jobs[index]?.id ?? '', runs);
        }
        const heads = (await listHistories(store.db, { afterId: '', limit: 10 })).flatMap(
          ({ id, oldestAt }) => (oldestAt === null ? [] : [{ jobId: id, oldestAt }]),
        );
        const oldest = mergeOldestFirst(heads);
        const reached = new Map<string, number>();
        for (let step = 0; step <= 600; step += 1) {
          const taken = await oldest.take(store.db, count, before);
          if (taken.length === 0) break;
          for (const { jobId, scheduledFor } of taken) reached.set(jobId, scheduledFor);
          // As many as asked for were taken, and none of the rest is older.
          const newest = Math.max(...taken.map(({ scheduledFor }) => scheduledFor));
          const isTaken = (index: number, at: number): boolean =>
            at <= (reached.get(jobs[index]?.id ?? '') ?? -1);
          const all = histories.flatMap((times, index) => times.map((at) => ({ index, at })));
          const doomed = all.filter(({ at }) => at < before).length;
          assert.ok(all.every(({ index, at }) => at >= newest || isTaken(index, at)));
          assert.equal(
            all.filter(({ index, at }) => isTaken(index, at)).length,
            Math.min(doomed, (step + 1) * count),
          );
        }
      },
    ),
    { numRuns: 40 },
  );
});
