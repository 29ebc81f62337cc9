/** What reports say, and how they end runs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginsWait, outcomeOfWait, progressWords } from '../../../src/domain/runs/report.ts';
import { reportSignal, readReport } from '../../../src/domain/runs/read-report.ts';

test('a report is what its URL says, unless a body says more', () => {
  const nothing = { message: null, percent: null };
  assert.deepEqual(readReport(null, {}), { status: 'success', ...nothing });
  assert.deepEqual(readReport('failed', {}), { status: 'failed', ...nothing });
  assert.deepEqual(readReport(null, { status: 'failed', message: ' a\n b\u0000 ' }), {
    status: 'failed',
    message: 'a b',
    percent: null,
  });
  assert.deepEqual(readReport('progress', { percent: 0, message: '' }), {
    status: 'progress',
    message: null,
    percent: 0,
  });
  assert.equal(readReport(null, { message: '😀'.repeat(1_000) }).message?.length, 2_000);
  assert.throws(() => readReport(null, { message: '😀'.repeat(1_001) }), { code: 'invalid_input' });
});

test('after the token come fail, progress or nothing', () => {
  assert.deepEqual(
    [undefined, 'fail', 'progress', 'success', '', 'toString', '__proto__'].map((words) =>
      reportSignal(words),
    ),
    [null, 'failed', 'progress', undefined, undefined, undefined, undefined],
  );
});

test('only a complete 202 of a job that awaits begins a wait', () => {
  const answer = { status: 'success', httpStatus: 202 };
  assert.ok(beginsWait(60, answer));
  assert.ok(!beginsWait(null, answer));
  assert.ok(!beginsWait(60, { ...answer, httpStatus: 200 }));
  assert.ok(!beginsWait(60, { ...answer, status: 'failed' }));
});

test('a wait ends as it was reported, or as a timeout', () => {
  const wait = { acceptedAt: 0, expiresAt: 90_000, message: null };
  assert.equal(outcomeOfWait({ ...wait, outcome: 'success' }).reason, null);
  assert.deepEqual(outcomeOfWait({ ...wait, outcome: 'failed', message: 'disk full' }), {
    status: 'failed',
    reason: 'reported',
    detail: 'disk full',
  });
  assert.deepEqual(outcomeOfWait({ ...wait, outcome: null }), {
    status: 'failed',
    reason: 'no_report',
    detail: 'no report within 90 s',
  });
});

test('progress is a percentage, a line or both', () => {
  assert.equal(progressWords({ percent: 40, line: 'copying' }), '40 %: copying');
  assert.equal(progressWords({ percent: 0, line: null }), '0 %');
  assert.equal(progressWords({ percent: null, line: 'copying' }), 'copying');
  assert.equal(progressWords({ percent: null, line: null }), null);
});
