/** What a statement of a run must not cost: a table in memory, which SQLite builds anew each time it runs. */

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
import { instructionsOf } from '../../support/checks/query-plan.ts';
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

async function record(db: Db, status: 'success' | 'interrupted'): Promise<void> {
  await sql`insert into runs (id, job_id, workspace_id, source, status, scheduled_for, started_at)
    values ('r', 'j', 'w', 'scheduled', 'running', 1, 1)`.execute(db);
  await recordEndedRuns(db, [endedRun('r', 'j', status)]);
}

for (const [name, ask] of Object.entries(ofARun)) {
  test(`no statement of ${name} builds a table in memory`, async (t) => {
    const instructions = await instructionsOf(t, async (db) => {
      // A run of no job is enough.
      await sql`pragma foreign_keys = off`.execute(db);
      await ask(db);
    });
    assert.ok(!instructions.includes('OpenEphemeral'));
  });
}
