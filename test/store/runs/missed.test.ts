/** Missed runs are found by their jobs, and read nothing else. */

import { findFirstRuns, findMissedAhead } from '../../../src/store/runs/missed.ts';
import { assertPlan, planOf } from '../../support/checks/query-plan.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';

sqliteTest(
  'missed runs, and runs of due times, are found without reading other runs',
  async (t) => {
    assertPlan(await planOf(t, (db) => findMissedAhead(db, ['j'], 1)), [
      /^SEARCH runs USING INDEX runs_bad_of_job \(job_id=\?\)$/,
      /^LIST SUBQUERY/,
      /^SCAN json_each VIRTUAL TABLE/,
    ]);
    assertPlan(await planOf(t, (db) => findFirstRuns(db, [{ jobId: 'j', first: 1, last: 2 }])), [
      /^SCAN json_each VIRTUAL TABLE/,
      /^CORRELATED SCALAR SUBQUERY/,
      /^SEARCH runs USING COVERING INDEX runs_by_time \(job_id=\? AND scheduled_for>\? AND scheduled_for<\?\)$/,
    ]);
  },
);
