/** The cost of what metrics count: each reads a small index only. */

import { test } from 'node:test';
import { countUnsignedRuns } from '../../../src/store/receipts/receipts.ts';
import { countDueJobs } from '../../../src/store/runs/claims.ts';
import { assertPlan, planOf } from '../../support/checks/query-plan.ts';

test('due jobs and unsigned receipts are counted in their indexes', async (t) => {
  assertPlan(await planOf(t, (db) => countDueJobs(db, 1, 10)), [
    /^SEARCH jobs USING (COVERING )?INDEX jobs_by_due_time \(next_run_at<\?\)$/,
    /^CO-ROUTINE due$/,
    /^SCAN due$/,
  ]);
  assertPlan(await planOf(t, (db) => countUnsignedRuns(db, 10)), [
    /^SCAN runs USING COVERING INDEX runs_unsigned$/,
    /^CO-ROUTINE unsigned$/,
    /^SCAN unsigned$/,
  ]);
});
