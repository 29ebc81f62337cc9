/** What an explanation must not say: it would be wrong. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  explained,
  explainedJob,
  explainedMiss,
  explainedRun,
  said,
  spanOf,
} from '../../support/records/explained.ts';

const due = '2026-11-24T01:30:00Z';
const dueAt = Date.parse(due);

test('a target that speaks no TLS is no matter of certificates', () => {
  const noTls = { status: 'failed', httpStatus: null, reason: 'no_tls', detail: 'h: no' } as const;
  const found = explained('02:30', { run: explainedRun(due, noTls) });
  assert.match(found.answer, /it failed: the target speaks no TLS \(h: no\)\.$/);
  assert.match(found.todo ?? '', /^Check the scheme and the port of the URL/);
  assert.doesNotMatch(JSON.stringify(found), /certificate/);
});

test('a run that waits between two attempts is not over, and is named once', () => {
  const none = { httpStatus: null, durationMs: null, finishedAt: null };
  const run = explainedRun(due, { status: 'running', attempts: 2, ...none });
  const retrying = explainedJob({ retries: 2, activeRunId: run.id });
  const active = { ...run, jobId: 'j', responseBody: null, truncated: false };
  const found = explained('02:30', { job: retrying, run, active });
  assert.equal(
    said(found, 'attempts'),
    'Attempts so far: 2 of at most 3. Between two of them it waits.',
  );
  assert.match(
    said(found, 'obstacle'),
    /^A run of it is executing now\. The next one begins after that\./,
  );
});

test('a failure that retries do not apply to is not blamed on a job without them', () => {
  const now = 'the job has no retries now';
  const then = 'the job had no retries then';
  const sent = 'a timeout is not once the request was sent, as the target may still be at work';
  const lookUp = 'only a look-up that may succeed soon is, if the job has retries';
  const never = 'such a failure never is';
  const rows = [
    ['timeout', null, sent, sent],
    ['dns', null, lookUp, lookUp],
    ['refused', null, now, then],
    ['reset', null, now, then],
    ['http', 503, now, then],
    ['http', 429, now, then],
    ['http', 404, never, never],
    ['redirect', 301, never, never],
    ['tls', null, never, never],
    ['timeout', 200, never, never],
    ['no_report', 202, never, never],
  ] as const;
  for (const [reason, httpStatus, ...why] of rows) {
    const run = explainedRun(due, { status: 'failed', attempts: 1, reason, httpStatus });
    const seen = [0, 1].map((retries) => {
      return said(explained('02:30', { run, job: explainedJob({ retries }) }), 'attempts');
    });
    assert.deepEqual(
      seen,
      why.map((one) => `It was not tried again: ${one}.`),
      reason,
    );
  }
});

test('no windows are said to hold a job whose last due time was called', () => {
  const run = explainedRun(due, { status: 'running', durationMs: null, finishedAt: null });
  const adjustments = JSON.stringify({ notAfter: due });
  const job = explainedJob({ adjustments, activeRunId: run.id, nextRunAt: dueAt });
  assert.doesNotMatch(JSON.stringify(explained('02:30', { job, run })), /Windows hold/);
});

test('a time before the job existed has no schedule', () => {
  const found = explained('2026-10-31 02:30');
  assert.match(found.answer, /^The job did not exist then: it was created at Sun 1 Nov 2026/);
  assert.equal(said(found, 'schedule') + said(found, 'due'), '');
});

test('the command that calls again names the run, and which of its due times is meant', () => {
  const missed = explainedMiss(due, { last: dueAt + 3_600_000, count: 2 });
  const about = {
    run: missed,
    schedules: { last: spanOf(explainedJob({ cronExpr: '30 * * * *' })), next: null },
  };
  const replay = "jobd runs replay 'backup' r";
  assert.equal(explained('02:30', about).command, `${replay} --due-at 2026-11-24T01:30:00.000Z`);
  assert.equal(explained('03:30', about).command, replay, 'the last one is meant anyway');
  const byHand = explainedRun(due, { status: 'interrupted', reason: 'cut_off', source: 'manual' });
  assert.equal(explained('02:30', { run: byHand }).command, "jobd jobs run 'backup'");
});

test('a run whose process died is not said to have been in the way until that was noticed', () => {
  const dead = { status: 'interrupted', reason: 'cut_off', detail: 'its process ended' } as const;
  const noticed = { ...dead, finishedAt: dueAt + 19_000 };
  const previous = explainedRun('2026-11-24T01:29:00Z', noticed);
  const run = explainedRun(due, { startedAt: dueAt + 20_000 });
  assert.equal(
    said(explained('02:30', { run, previous }), 'cause'),
    'The run before it was found interrupted at Tue 24 Nov 2026 02:30:19 +01:00: its process ended.',
  );
});

test('what the database before a restore has decided on may have run', () => {
  const end = { untilAt: dueAt + 9_000, nextDueAt: dueAt, endReason: 'restored' } as const;
  const schedules = { last: spanOf(explainedJob(), end), next: null };
  const { outcome, answer } = explained('02:30', { schedules });
  assert.equal(outcome, 'unknown');
  assert.match(
    answer,
    /^Whether it ran at Tue 24 Nov 2026 02:30 \S+ is not known here: .* before you call/,
  );
});
