/** The cost of checking books: receipts and the ledger are read from indexes, however long a history is. */

import { test } from 'node:test';
import { findChains, findNewestReceipts } from '../../../src/store/receipts/receipts.ts';
import { listSpans } from '../../../src/store/jobs/spans.ts';
import { listDueTimes, listLedgerJobs, listMissed } from '../../../src/wings/ledger/query.ts';
import { assertPlan, planOf } from '../../support/checks/query-plan.ts';

test('a check of receipts reads the jobs in pages, and only the newest runs of each', async (t) => {
  const chains = await planOf(t, (db) => findChains(db, { afterId: 'j', limit: 5 }));
  assertPlan(chains, [/^SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 \(id>\?\)$/]);
  assertPlan(await planOf(t, (db) => findNewestReceipts(db, 'j', 5)), [
    /^SEARCH runs USING INDEX runs_by_time \(job_id=\?\)$/,
    /^SEARCH receipts USING INDEX sqlite_autoindex_receipts_1 \(run_id=\?\)$/,
  ]);
});

test('the ledger reads jobs in pages, and of their runs the indexes alone', async (t) => {
  const page = { afterId: 'j', limit: 5 };
  const period = { after: 1, until: 2 };
  assertPlan(await planOf(t, (db) => listLedgerJobs(db, null, page)), [
    /^SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 \(id>\?\)$/,
  ]);
  assertPlan(await planOf(t, (db) => listLedgerJobs(db, 'w', page)), [
    /^SEARCH jobs USING INDEX jobs_(by_workspace|counted) \(workspace_id=\? AND id>\?\)$/,
  ]);
  assertPlan(await planOf(t, (db) => listSpans(db, 'j')), [
    /^SEARCH schedule_spans USING INDEX sqlite_autoindex_schedule_spans_1 \(job_id=\?\)$/,
  ]);
  assertPlan(await planOf(t, (db) => listDueTimes(db, 'j', period, 5)), [
    /^SEARCH runs USING COVERING INDEX runs_by_time \(job_id=\? AND scheduled_for>\? AND scheduled_for<\?\)$/,
  ]);
  const missed = /^SEARCH runs USING INDEX runs_bad_of_job \(job_id=\? AND scheduled_for[<>]\?/;
  assertPlan(await planOf(t, (db) => listMissed(db, 'j', period)), [missed, missed]);
});
