/**
 * A month of downtime: every due time is accounted for, and no missed call is made later.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../src/domain/id.ts';
import { defineJob } from '../../../src/domain/jobs/job-input.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { setupEngine } from '../../support/running/engine.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { loopback } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';
import { sealed } from '../../support/fakes/vault.ts';

const jobCount = 3_000;
const day = 86_400_000;

test('3,000 jobs after 30 days of downtime', async (t) => {
  const { start, store, clock, workspaceId } = await setupEngine(t);
  const sink = await startSink(t);
  const created = clock.now();
  await store.write(async (tx) => {
    for (let index = 0; index < jobCount; index += 1) {
      const every = index % 2 === 0 ? { cronExpr: '* * * * *' } : { cronExpr: '30 * * * *' };
      const job = defineJob(
        { name: `${index}`, url: sink.url, ...every },
        { id: newId(created), workspaceId, now: created, allowTargets: loopback },
      );
      await insertJob(tx, await sealed(job));
    }
  });
  clock.set(created + 30 * day + 10_000);
  await start({ slots: 512, slotsPerHost: 256 });
  await until('every job to be done with its past', async () => {
    const { due } = await store.db
      .selectFrom('jobs')
      .select((of) => of.fn.countAll<number>().as('due'))
      .where((of) =>
        of.or([of('next_run_at', '<=', clock.now()), of('active_run_id', 'is not', null)]),
      )
      .executeTakeFirstOrThrow();
    return due === 0;
  });

  const counts = await store.db
    .selectFrom('runs')
    .select((of) => ['status', of.fn.countAll<number>().as('count')])
    .groupBy('status')
    .orderBy('status')
    .execute();
  assert.deepEqual(counts, [
    { status: 'missed', count: jobCount },
    { status: 'success', count: jobCount / 2 },
  ]);
  assert.equal(sink.received.length, jobCount / 2, 'only due times of the last minute are called');
  const { texts } = await store.db
    .selectFrom('runs')
    .select((of) => of.fn.count<number>('missed_count').distinct().as('texts'))
    .where('status', '=', 'missed')
    .executeTakeFirstOrThrow();
  assert.equal(texts, 2, 'each names its missed due times');
});
