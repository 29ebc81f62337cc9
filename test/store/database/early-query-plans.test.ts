/** The cost of finding what stays when space is short: indexes only, however long a history is. */

import { test } from 'node:test';
import { listPingHistories } from '../../../src/store/monitors/pings.ts';
import { listKeptFrom } from '../../../src/store/runs/early.ts';
import { assertPlan, planOf } from '../../support/checks/query-plan.ts';

const page = { afterId: 'j', limit: 5 };

test('what stays of a job is found without reading its history', async (t) => {
  assertPlan(await planOf(t, (db) => listKeptFrom(db, page, 10)), [
    /^SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 \(id>\?\)$/,
    /^CORRELATED SCALAR SUBQUERY/,
    /^SEARCH runs USING COVERING INDEX runs_by_time \(job_id=\?\)$/,
    /^SEARCH runs USING INDEX runs_unsigned \(job_id=\?\)$/,
    /^SEARCH runs USING INDEX runs_open \(status=\? AND job_id=\?\)$/,
    /^SEARCH outbox USING INDEX outbox_by_subject \(subject_id=\?\)$/,
    /^SEARCH runs USING INDEX sqlite_autoindex_runs_1 \(id=\?\)$/,
  ]);
});

test('the oldest ping of a monitor is one look', async (t) => {
  assertPlan(await planOf(t, (db) => listPingHistories(db, page)), [
    /^SEARCH monitors USING INDEX sqlite_autoindex_monitors_1 \(id>\?\)$/,
    /^CORRELATED SCALAR SUBQUERY/,
    /^SEARCH pings USING COVERING INDEX sqlite_autoindex_pings_1 \(monitor_id=\?\)$/,
  ]);
});
