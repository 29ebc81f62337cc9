/** What follows from the end of a run reads the rows that it concerns, and no others. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postResults } from '../../../src/store/alerts/callbacks.ts';
import type { Db } from '../../../src/store/database/store.ts';
import {
  countChainAfter,
  dropChainedRuns,
  findChainBefore,
  findFollowers,
  findStarted,
  insertChainedRuns,
} from '../../../src/store/jobs/chains.ts';
import { planOf } from '../../support/checks/query-plan.ts';

const cause = { jobId: 'j', runId: 'r', conditions: ['success'], endedAt: 1 } as const;
const chained = { id: 'n', jobId: 'k', workspaceId: 'w', cause };
const queries: Record<string, (db: Db) => Promise<unknown>> = {
  findFollowers: (db) => findFollowers(db, 'j', 5),
  findChainBefore: (db) => findChainBefore(db, 'j', 5),
  countChainAfter: (db) => countChainAfter(db, 'j', 5),
  findStarted: (db) => findStarted(db, [cause]),
  insertChainedRuns: (db) => insertChainedRuns(db, [chained]).catch(() => {}),
  dropChainedRuns: (db) => dropChainedRuns(db, ['j']),
  postResults: (db) => postResults(db, ['r'], 1),
};

for (const [name, query] of Object.entries(queries)) {
  test(`${name} scans no table`, async (t) => {
    const steps = await planOf(t, query);
    assert.ok(steps.length > 0);
    const scans = steps.filter((step) => /^SCAN (?:jobs|runs|channels|deliveries)\b/.test(step));
    assert.deepEqual(scans, [], steps.join('\n'));
    assert.doesNotMatch(steps.join('\n'), /INDEX runs_by_time \(job_id=\?\)/);
  });
}
