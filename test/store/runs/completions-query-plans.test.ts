/** The cost of statements about waits for reports: each uses its index and reads nothing else. */

import { test } from 'node:test';
import {
  countWaits,
  findCompletions,
  findDueWaits,
  findNextWaitEnd,
  findReportedRun,
} from '../../../src/store/runs/completions.ts';
import { assertPlan, isFollowed, planOf } from '../../support/checks/query-plan.ts';

const jobById = /^SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 \(id=\?\)$/;
const runById = /^SEARCH runs USING INDEX sqlite_autoindex_runs_1 \(id=\?\)$/;
const completionByRun =
  /^SEARCH completions USING INDEX sqlite_autoindex_completions_1 \(run_id=\?\)( LEFT-JOIN)?$/;
/** Reads up to two entries of an index. */
const areSeveral = [/^SCALAR SUBQUERY \d$/, /^SCAN kept USING (COVERING )?INDEX workspaces_kept$/];

test('waits for reports are found by the time at which they end, and by their runs', async (t) => {
  const byEnd = /^SEARCH completions USING (COVERING )?INDEX completions_due \(due_at[<>]\?\)$/;
  assertPlan(await planOf(t, (db) => findNextWaitEnd(db, { acceptedFrom: 1 })), [byEnd]);
  const joined = [runById, jobById, /^SEARCH workspaces .*\(id=\?\)$/, ...areSeveral];
  assertPlan(await planOf(t, (db) => findDueWaits(db, { now: 1, acceptedFrom: 1, limit: 5 })), [
    byEnd,
    ...joined,
    ...isFollowed,
  ]);
  assertPlan(await planOf(t, (db) => countWaits(db, 5)), [
    /^CO-ROUTINE open$/,
    byEnd,
    /^SCAN open$/,
  ]);
  const report = [runById, jobById, /^SEARCH workspaces .*\(id=\?\)$/, completionByRun];
  assertPlan(await planOf(t, (db) => findReportedRun(db, 'r')), report);
  assertPlan(await planOf(t, (db) => findCompletions(db, ['r'])), [
    completionByRun,
    /^LIST SUBQUERY \d$/,
    /^SCAN json_each VIRTUAL TABLE/,
  ]);
});
