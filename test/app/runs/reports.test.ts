/** Reports are kept one for each run, and what is not kept costs nothing. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createReportKeeper, findReported } from '../../../src/app/runs/reports.ts';
import { newId } from '../../../src/domain/id.ts';
import type { SentReport } from '../../../src/domain/runs/read-report.ts';
import type { Vault } from '../../../src/domain/secrets/vault.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { testVault } from '../../support/fakes/vault.ts';
import { quietApp } from '../../support/running/app.ts';
import { refuseRows } from '../../support/running/refusal.ts';
import { openTestStore } from '../../support/running/store.ts';

const now = Date.parse('2026-03-02T10:00:00Z');

/** A run in its call, what keeps its reports, and how often that opened a sealed value. */
async function setup(t: TestContext) {
  const { store, workspaceId, addJob } = await openTestStore(t);
  const opened: string[] = [];
  const vault: Vault = {
    ...testVault,
    open(sealed, place) {
      opened.push(place);
      return testVault.open(sealed, place);
    },
  };
  const app = quietApp({ store, clock: fakeClock('2026-03-02T10:00:00Z'), vault });
  const headers = { 'X-Key': 'abcdefgh' };
  const job = await addJob({ reportWithinSeconds: 600, headers });
  const runId = newId(now);
  const times = { started_at: now };
  const addRun = async (id: string, scheduledFor = now) => {
    const row = { id, job_id: job.id, workspace_id: workspaceId, ...times };
    const values = {
      ...row,
      scheduled_for: scheduledFor,
      source: 'manual',
      status: 'running',
    } as const;
    await store.write(async (tx) => void (await tx.insertInto('runs').values(values).execute()));
    return (await findReported(app, id)) ?? assert.fail('there is a run');
  };
  const run = await addRun(runId);
  const kept = async () =>
    await store.db
      .selectFrom('reports')
      .select(['outcome', 'message', 'percent', 'progress_line as line'])
      .executeTakeFirst();
  return { store, app, run, addRun, keep: createReportKeeper(app), kept, opened };
}

const saying = (status: SentReport['status'], percent: number | null = null): SentReport => ({
  status,
  percent,
  message: `${percent} with abcdefgh`,
});

test('of progress that comes together one is opened and redacted: the last', async (t) => {
  const { run, keep, kept, opened } = await setup(t);
  const percents = Array.from({ length: 50 }, (_, index) => index);
  await Promise.all(percents.map((percent) => keep(run, saying('progress', percent))));
  assert.equal((await kept())?.line, '49 with [redacted]');
  assert.equal(opened.length, 1);
  // The rest of the run is not over: these wait, and come together again.
  await Promise.all(percents.map((percent) => keep(run, saying('progress', percent + 50))));
  assert.equal((await kept())?.line, '99 with [redacted]');
  assert.equal(opened.length, 2);
});

test('of ends that come together one is opened and redacted, and of later ones none', async (t) => {
  const { app, run, keep, kept, opened } = await setup(t);
  const ends = ['failed', ...Array.from({ length: 49 }, () => 'success' as const)] as const;
  const answers = await Promise.allSettled(ends.map((status) => keep(run, saying(status))));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.deepEqual(await kept(), {
    outcome: 'failed',
    message: 'null with [redacted]',
    percent: null,
    line: null,
  });
  assert.equal(opened.length, 1);
  const over = (await findReported(app, run.runId)) ?? assert.fail('there is a run');
  for (const status of ['success', 'progress'] as const) {
    await assert.rejects(keep(over, saying(status)), /was reported before/);
  }
  assert.equal(opened.length, 1);
});

test('a report that the database refuses does not refuse those that came with it', async (t) => {
  const { store, app, run, addRun, keep } = await setup(t);
  const other = await addRun(newId(now), now + 1);
  await refuseRows(store.db, 'reports', `new.run_id = '${run.runId}'`);
  const refused = assert.rejects(keep(run, saying('success')), /refusal/);
  await keep(other, saying('failed'));
  await refused;
  assert.equal((await findReported(app, other.runId))?.outcome, 'failed');
});
