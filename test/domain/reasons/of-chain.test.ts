/** What an explanation says of runs that wait for a report, and of the job that a job runs after. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../../../src/domain/runs/run.ts';
import { activeWords, leaderWords } from '../../../src/domain/reasons/of-chain.ts';
import { nextFacts } from '../../../src/domain/reasons/of-next.ts';
import { explainedJob, explainedRecords, explainedRun } from '../../support/records/explained.ts';

const dueAt = '2026-11-24T11:00:00Z';
const at = Date.parse(dueAt);
const zone = 'UTC';

function waiting(changes: Partial<Run> = {}): Run {
  const wait = { outcome: null, reportedAt: null, reportedBy: null, message: null };
  const progress = { percent: 40, line: 'copying', progressAt: at + 60_000 };
  return {
    ...explainedRun(dueAt, { status: 'running', httpStatus: 202, finishedAt: null }),
    jobId: 'job',
    responseBody: null,
    truncated: false,
    completion: { expiresAt: at + 3_600_000, ...wait, ...progress },
    ...changes,
  };
}

test('a run that waits for a report is no call: how far it is, and until when it may report', () => {
  const run = waiting();
  assert.equal(
    activeWords(run, zone),
    `Run ${run.id} began at Tue 2026-11-24 11:00:00 +00:00, was answered 202 and waits for the report of its target, until Tue 2026-11-24 12:00 +00:00 at the latest (last progress at Tue 2026-11-24 11:01 +00:00: 40 %: copying)`,
  );
  assert.equal(activeWords({ ...run, httpStatus: null }, zone), 'A run of it is executing now');
  const job = explainedJob({ activeRunId: run.id });
  const sentences = nextFacts(explainedRecords(null, { job, active: run })).map(
    ({ sentence }) => sentence,
  );
  assert.ok(sentences.some((one) => one.endsWith('The next one begins after that.')));
});

test('why a job did not start after another one follows from the newest run of that', () => {
  const job = explainedJob({ timezone: zone, after: { jobId: 'a', on: 'success' } });
  const words = (run: ReturnType<typeof explainedRun> | null): string =>
    leaderWords(explainedRecords(null, { job, leader: { name: 'import', run } }));
  const rule = 'It runs after import succeeds, and its own schedule does not count.';
  assert.equal(words(null), `${rule} import has not run yet.`);
  const failed = explainedRun(dueAt, { status: 'failed', finishedAt: at });
  assert.equal(
    words(failed),
    `${rule} The newest run of import (${failed.id}) failed at Tue 2026-11-24 11:00 +00:00, which does not start this job.`,
  );
  const done = words({ ...failed, status: 'success' });
  assert.match(done, /succeeded at .*, which starts this job unless it is paused\.$/);
  assert.match(words({ ...failed, status: 'interrupted' }), /does not start this job\.$/);
  const awaits = { ...failed, status: 'running' as const, httpStatus: 202, finishedAt: null };
  assert.match(words(awaits), /waits for the report of its target\.$/);
});
