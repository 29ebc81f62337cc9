/** Two nodes find the same missed due times (docs/behavior.md#makeup-2): one run makes up for those of a job. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { claimRuns } from '../../../src/engine/runs/claim.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { racesIn } from '../../support/postgres/races.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { dueAt, dueOnce } from '../../support/running/engine.ts';
import { openTestStore } from '../../support/running/store.ts';

const { skip, newDatabase } = postgresOfFile();
const minute = 60_000;

/** Claims what is due or waits, up to a limit. */
const claim = (limit: number) => async (tx: Db) => {
  const slots = {
    bounds: () => ({ limit, exceptHosts: [], exceptJobs: [] }),
    take: () => true,
  };
  const now = dueAt + 10 * minute;
  await claimRuns(tx, slots, { now, servingSince: now, nodeId: null });
};

describe('nodes that claim at the same time', { skip }, () => {
  test('make up once for what a job missed', async (t) => {
    const database = await newDatabase();
    const { store, addJob } = await openTestStore(t, database);
    const { race } = racesIn(store, database);
    const jobs = await Promise.all(
      Array.from({ length: 9 }, () => addJob({ ...dueOnce, makeUpSeconds: 3_600 })),
    );
    // The second one finds the jobs that the first one has left, and both are committed together.
    await race(claim(5), () => store.write(claim(9)));
    await Promise.all([store.write(claim(9)), store.write(claim(9))]);
    const runs = await store.db.selectFrom('runs').select(['job_id', 'status', 'due_at']).execute();
    for (const { id } of jobs) {
      const own = runs.filter((run) => run.job_id === id);
      const states = own.map((run) => `${run.status} ${run.due_at}`);
      assert.deepEqual(new Set(states), new Set(['missed null', `running ${dueAt}`]));
      assert.equal(states.length, 2);
    }
  });
});
