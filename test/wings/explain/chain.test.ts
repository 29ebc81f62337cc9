/** What an explanation says of runs that wait for a report, and of the job that a job runs after. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../../../src/domain/runs/run.ts';
import { activeWords } from '../../../src/domain/runs/active.ts';
import type { Records } from '../../../src/wings/explain/records.ts';
import { firstJobWords } from '../../../src/wings/explain/of-now.ts';
import { explained, explainedJob, explainedRun, said } from '../../support/records/explained.ts';

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
    report: { expiresAt: at + 3_600_000, ...wait, ...progress },
    ...changes,
  };
}

test('a run that waits for a report is no call: how far it is, and until when it may report', () => {
  const run = waiting();
  assert.equal(
    activeWords(run, zone),
    `run ${run.id} began at Tue 24 Nov 2026 11:00:00 +00:00, was answered 202 and waits for the report of its target, until Tue 24 Nov 2026 12:00 +00:00 at the latest (last progress at Tue 24 Nov 2026 11:01 +00:00: 40 %: copying)`,
  );
  assert.equal(activeWords({ ...run, httpStatus: null }, zone), 'a run of it is executing now');
  const job = explainedJob({ activeRunId: run.id });
  const obstacle = said(explained(null, { job, active: run }), 'obstacle');
  assert.match(obstacle, /^Run r .* The next one begins after that\.$/);
});

const follower = explainedJob({ timezone: zone, after: { jobId: 'a', on: 'success' } });

function wordsOf(changes: Partial<Records['firstJob']>): string {
  const firstJob = { name: 'import', paused: false, isChained: false, run: null, ...changes };
  return firstJobWords({ job: follower, firstJob: { startedRunId: null, ...firstJob }, zone });
}

test('why a job did not start after another one follows from the newest run of that', () => {
  const rule = 'It runs after import succeeds, and its own schedule does not count.';
  assert.equal(wordsOf({}), `${rule} No run of import is kept.`);
  const failed = explainedRun(dueAt, {
    status: 'failed',
    reason: 'http',
    httpStatus: 500,
    finishedAt: at,
  });
  assert.equal(
    wordsOf({ run: failed }),
    `${rule} The newest run of import (${failed.id}): it failed: the target answered HTTP 500, at Tue 24 Nov 2026 11:00 +00:00. Such an end does not start this job.`,
  );
  assert.match(
    wordsOf({ run: { ...failed, status: 'interrupted', reason: 'cut_off', detail: 'x' } }),
    /Such an end does not start this job\.$/,
  );
  const waits = {
    ...failed,
    status: 'running' as const,
    reason: null,
    httpStatus: 202,
    finishedAt: null,
  };
  assert.match(wordsOf({ run: waits }), /waits for the report of its target\.$/);
});

test('that the newest run of the other job started this one is said only if a run shows it', () => {
  const run = explainedRun(dueAt, { finishedAt: at });
  assert.match(
    wordsOf({ run, startedRunId: 'mine' }),
    /it succeeded \(HTTP 200\), at Tue 24 Nov 2026 11:00 \+00:00\. It started run mine of this job\.$/,
  );
  assert.match(
    wordsOf({ run }),
    /11:00 \+00:00\. No run of this job that it started is kept: such an end starts this job, unless this job is paused or has a queued run already\.$/,
  );
});

test('that the other job is paused, or follows one itself, is said', () => {
  assert.match(
    wordsOf({ paused: true }),
    /does not count\. import is paused: until it is resumed, only its runs by hand can start this job\. No run/,
  );
  assert.match(
    wordsOf({ isChained: true }),
    /does not count\. import runs after another job itself\./,
  );
  assert.doesNotMatch(wordsOf({}), /paused|itself/);
});
