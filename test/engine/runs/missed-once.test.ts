/** A wall clock that steps as it likes: a due time was missed or called, and not both. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime } from '../../../src/domain/clock.ts';
import { nextDue } from '../../../src/domain/schedule/next.ts';
import { scheduleOf } from '../../../src/domain/schedule/schedule.ts';
import { claimDueJobs } from '../../../src/engine/runs/due.ts';
import { createReplanner } from '../../../src/engine/upkeep/replan.ts';
import { recordEndedRuns } from '../../../src/store/runs/ended.ts';
import * as fc from '../../support/fast-check.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { dueAt } from '../../support/running/engine.ts';
import { endedRun } from '../../support/records/run.ts';
import { openTestStore } from '../../support/running/store.ts';

const minute = 60_000;

/** How far the clock moves, in minutes; halves, so that it stands between due times too. */
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) },
    { weight: 1, arbitrary: fc.integer({ min: -90, max: 90 }) },
  ),
  { minLength: 2, maxLength: 14 },
);

test('a due time is missed or called, and not both, however the clock is set', async (t) => {
  const { store, addJob } = await openTestStore(t);
  await fc.assert(
    fc.asyncProperty(steps, async (moves) => {
      const clock = fakeClock(dueAt);
      const jobs = [
        await addJob({ cronExpr: '* * * * *' }, dueAt),
        await addJob({ scheduleType: 'period', periodSeconds: 180 }, dueAt),
        await addJob({ cronExpr: null, runAt: isoTime(dueAt + 10 * minute) }, dueAt),
        await addJob({ cronExpr: '* * * * *', notAfter: isoTime(dueAt + 20 * minute) }, dueAt),
      ];
      const runs = store.db.selectFrom('runs');
      const missed = runs.where('status', '=', 'missed').select('job_id');
      const replanner = createReplanner(store, clock);
      const replan = async (): Promise<void> => {
        replanner.restart();
        while ((await replanner.step()).restMs !== Infinity);
      };
      for (const halves of moves) {
        clock.advance((halves * minute) / 2);
        if (halves < 0) {
          await replan();
          const ahead = missed.where('last_due_at', '>', clock.now());
          assert.deepEqual(await ahead.execute(), [], 'what is to come was not missed');
        }
        for (let isMore = true; isMore;) isMore = await claimAndEnd();
      }
      for (const job of jobs) {
        const its = await runs
          .select(['status', 'scheduled_for', 'last_due_at', 'missed_count'])
          .where('job_id', '=', job.id)
          .execute();
        const called = new Set<number>();
        for (const run of its) if (run.status === 'success') called.add(run.scheduled_for);
        const missedOfIts = its.filter(({ status }) => status === 'missed');
        const row = store.db.selectFrom('jobs').select('total_missed').where('id', '=', job.id);
        assert.equal((await row.executeTakeFirst())?.total_missed, missedOfIts.length);
        for (const run of missedOfIts) {
          const last = run.last_due_at ?? run.scheduled_for;
          let count = 0;
          for (let at: number | null = run.scheduled_for; at !== null && at <= last;) {
            assert.ok(!called.has(at), `${new Date(at).toISOString()} is both`);
            count += 1;
            at = nextDue(scheduleOf(job), at);
          }
          assert.equal(run.missed_count, count);
        }
      }
      await store.db.deleteFrom('runs').execute();
      await store.db.updateTable('jobs').set({ next_run_at: null, deleted_at: 1 }).execute();

      /** Claims what is due, and ends it at once. Whether there may be more. */
      async function claimAndEnd(): Promise<boolean> {
        return await store.write(async (tx) => {
          const bounds = { limit: 10, exceptHosts: [], exceptJobs: [] };
          const slots = { bounds: () => bounds, take: () => true };
          const moment = { now: clock.now(), servingSince: 0, nodeId: null };
          const { executions, more } = await claimDueJobs(tx, slots, moment);
          // Of a due time that was called before, it fails.
          await recordEndedRuns(
            tx,
            executions.map((run) => endedRun(run, 'success')),
          );
          return more;
        });
      }
    }),
    { numRuns: 100 },
  );
});
