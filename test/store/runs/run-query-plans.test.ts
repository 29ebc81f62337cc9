/** What statements of a run read, and that none builds a table in memory, which SQLite does anew each time one runs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Db } from '../../../src/store/database/store.ts';
import {
  insertScheduledRuns,
  startQueuedRuns,
  updateClaimedJobs,
} from '../../../src/store/runs/claims.ts';
import { keepAttempts, recordEndedRuns } from '../../../src/store/runs/results.ts';
import { assertPlan, instructionsOf, planOf } from '../../support/checks/query-plan.ts';
import { endedRun, startingRun } from '../../support/records/run.ts';

const claimed = { id: 'j', nextRunAt: 1, activeRunId: 'r', startedAt: 1, missed: 0 };

const ofARun: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
  insert: (db) => insertScheduledRuns(db, [startingRun('j', 1)]).catch(() => {}),
  start: (db) => startQueuedRuns(db, [{ id: 'r', startedAt: 1, nodeId: null }]),
  claim: (db) => updateClaimedJobs(db, [claimed]),
  attempt: (db) => keepAttempts(db, [{ runId: 'r', attempts: 2 }]),
  success: (db) => record(db, 'success'),
  interruption: (db) => record(db, 'interrupted'),
};

/** A run of no job is enough. */
const withoutJob = sql`pragma foreign_keys = off`;

async function recordAlone(db: Db, status: 'success' | 'interrupted'): Promise<void> {
  await withoutJob.execute(db);
  await record(db, status);
}

async function record(db: Db, status: 'success' | 'interrupted'): Promise<void> {
  await sql`insert into runs (id, job_id, workspace_id, source, status, scheduled_for, started_at)
    values ('r', 'j', 'w', 'scheduled', 'running', 1, 1)`.execute(db);
  await recordEndedRuns(db, [endedRun('r', 'j', status)]);
}

for (const [name, ask] of Object.entries(ofARun)) {
  test(`no statement of ${name} builds a table in memory`, async (t) => {
    const instructions = await instructionsOf(t, async (db) => {
      await withoutJob.execute(db);
      await ask(db);
    });
    assert.ok(!instructions.includes('OpenEphemeral'));
  });
}

const runById = /^SEARCH runs USING (COVERING )?INDEX sqlite_autoindex_runs_1 \(id=\?\)$/;
const jobById = /^SEARCH jobs USING (COVERING )?INDEX sqlite_autoindex_jobs_1 \(id=\?\)$/;

test('recording reads only the recorded rows', async (t) => {
  const byIds = [runById, jobById];
  assertPlan(await planOf(t, (db) => recordAlone(db, 'success')), byIds);
  assertPlan(await planOf(t, (db) => recordAlone(db, 'interrupted')), byIds);
  const attempt = { runId: 'r', attempts: 2 };
  assertPlan(await planOf(t, (db) => keepAttempts(db, [attempt])), [runById]);
});
