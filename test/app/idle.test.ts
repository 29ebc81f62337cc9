/** Changes that wait for a run: what they cost while it goes on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilIdle } from '../../src/app/jobs/idle.ts';
import { createJob } from '../../src/app/jobs/jobs.ts';
import { requireJob } from '../../src/app/jobs/keep-job.ts';
import { recordEndedRuns } from '../../src/store/runs/ended.ts';
import { fakeClock } from '../support/fakes/clock.ts';
import { beginRuns, endedRun, startingRun } from '../support/records/run.ts';
import { writerIn } from '../support/records/principal.ts';
import { quietApp } from '../support/running/app.ts';
import { openTestLocal } from '../support/running/local.ts';
import { loopback } from '../support/running/store.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { until } from '../support/until.ts';

test('a change is tried again when the run has ended, not each time it is looked for', async (t) => {
  await using local = await openTestLocal(temporaryDirectory(t));
  const { db } = local.store;
  const workspace = await db.selectFrom('workspaces').select('id').executeTakeFirstOrThrow();
  const principal = writerIn(workspace.id);
  const clock = fakeClock(undefined, { timers: 'fake' });
  const vault = await local.openVault();
  const app = quietApp({ ...local, clock, vault, allowTargets: loopback });
  const { id } = await createJob(app, principal, { name: 'a', url: 'http://127.0.0.1:1/' });
  const run = startingRun(id, clock.now());
  await local.store.write((tx) => beginRuns(tx, run));

  let tries = 0;
  const done = untilIdle(app, principal, async () => {
    tries += 1;
    const job = await requireJob(db, principal, id);
    return job.activeRunId === null ? { result: 'changed' } : { executing: job };
  });
  for (let looks = 0; looks < 10; looks += 1) {
    await until('the next look', () => clock.leftMs().length > 0);
    clock.advance(250);
  }
  assert.equal(tries, 1);
  await local.store.write((tx) =>
    recordEndedRuns(tx, [endedRun({ runId: run.id, jobId: id }, 'success')]),
  );
  await until('the end', async () => {
    clock.advance(250);
    return tries === 2;
  });
  assert.equal(await done, 'changed');
});
