import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  copyName,
  daysLater,
  historyChoice,
  historyPath,
  inBothZones,
  runLine,
  startOfDay,
  successRate,
} from '../../../src/dashboard/view/history.ts';
import type { RunSummary } from '../../../src/api/runs/contract.ts';

const zone = 'Europe/Paris';
const nowMs = Date.parse('2026-11-22T12:00:00.000Z');
const success: RunSummary = {
  id: '01a2',
  source: 'scheduled',
  status: 'success',
  scheduledFor: '2026-11-22T01:30:00.000Z',
  startedAt: '2026-11-22T01:30:00.003Z',
  finishedAt: '2026-11-22T01:30:00.034Z',
  attempts: 1,
  httpStatus: 200,
  durationMs: 31,
  error: null,
};
const at = (date: string, where: string) => new Date(startOfDay(date, where)).toISOString();
const choice = (text: string) => historyChoice(new URLSearchParams(text));
const lineOf = (run: Partial<RunSummary>) => runLine({ ...success, ...run }, 'job', zone, nowMs);

test('a run says when it was due in the zone of its job, and how long it took', () => {
  assert.deepEqual(lineOf({}), {
    glyph: 'success',
    time: 'Sun 22 Nov 02:30:00',
    remarks: [],
    took: '31 ms',
    error: null,
  });
});

const causedBy = (jobId: string) =>
  ({ source: 'manual', causedBy: { jobId, runId: 'r' } }) as const;

test('what is out of the ordinary is remarked, and lateness only above a second', () => {
  const late = { startedAt: '2026-11-22T01:30:04.000Z', attempts: 2 };
  assert.deepEqual(lineOf({ ...late, source: 'manual' }).remarks, [
    'by hand',
    '4 s late',
    '2 attempts',
  ]);
  assert.deepEqual(lineOf({ startedAt: '2026-11-22T01:30:01.000Z' }).remarks, []);
  assert.deepEqual(lineOf(causedBy('other')).remarks, ['after another job']);
  assert.deepEqual(lineOf(causedBy('job')).remarks, ['makes up']);
  assert.deepEqual(lineOf({ source: 'manual', dueAt: '2026-11-22T01:30:00.000Z' }).remarks, [
    'replay',
  ]);
});

test('a run that waits has no duration, and a sign of its own', () => {
  const waiting = { startedAt: null, finishedAt: null, durationMs: null, attempts: 0 };
  const { glyph, took } = lineOf({ ...waiting, status: 'queued' });
  assert.deepEqual([glyph, took], ['new', '']);
});

test('errors keep their first word unless the status says it; missed times are those of the zone', () => {
  const failed = { status: 'failed', error: 'http: 502' } as const;
  assert.equal(lineOf({ ...failed, why: { reason: 'http', detail: null } }).error, 'http: 502');
  const why = {
    reason: 'not_running',
    detail: null,
    lastDueAt: '2026-11-21T02:25:00.000Z',
    count: 12,
  } as const;
  const scheduledFor = '2026-11-21T01:30:00.000Z';
  assert.equal(
    lineOf({ status: 'missed', scheduledFor, startedAt: null, durationMs: null, why }).error,
    '12 due times from Sat 21 Nov 02:30 to Sat 21 Nov 03:25: jobd was not running',
  );
});

test('a day begins in the zone of the job, also when clocks change or midnight does not exist', () => {
  assert.equal(at('2026-11-23', zone), '2026-11-22T23:00:00.000Z');
  assert.equal(at('2026-03-30', zone), '2026-03-29T22:00:00.000Z');
  assert.equal(at('2026-11-23', 'Asia/Kathmandu'), '2026-11-22T18:15:00.000Z');
  assert.equal(at('2026-11-23', 'Pacific/Kiritimati'), '2026-11-22T10:00:00.000Z');
  assert.equal(at('2026-11-23', 'Pacific/Pago_Pago'), '2026-11-23T11:00:00.000Z');
  assert.equal(at('2026-09-06', 'America/Santiago'), '2026-09-06T04:00:00.000Z');
  assert.equal(at('2026-11-23', 'UTC'), '2026-11-23T00:00:00.000Z');
});

test('the address says which runs are asked for; what is no date is ignored', () => {
  assert.deepEqual(choice(''), { status: null, before: null });
  assert.deepEqual(choice('before=yesterday'), { status: null, before: null });
  assert.deepEqual(choice('before=2026-99-99'), { status: null, before: null });
  const chosen = choice('status=failed&before=2026-11-23');
  assert.equal(
    historyPath('ID', chosen, zone),
    '/jobs/ID/history?limit=100&status=failed&before=2026-11-22T23%3A00%3A00.000Z',
  );
  assert.equal(historyPath('ID', choice(''), zone), '/jobs/ID/history?limit=100');
});

test('days are counted across months', () => {
  assert.equal(daysLater('2026-11-30', 1), '2026-12-01');
  assert.equal(daysLater('2026-03-01', -1), '2026-02-28');
});

test('a tooltip has the time in the zone of the job, and here if that is another one', () => {
  const paris = 'Sunday, 22 November 2026 at 02:30:00 CET (Europe/Paris)';
  assert.equal(inBothZones(success.scheduledFor, zone, zone), paris);
  assert.equal(
    inBothZones(success.scheduledFor, zone, 'UTC'),
    `${paris}\nSunday, 22 November 2026 at 01:30:00 UTC`,
  );
});

test('the name of a copy is not too long', () => {
  assert.equal(copyName('Backup'), 'Backup (copy)');
  assert.equal(copyName('é'.repeat(120)).length, 120);
});

test('the rate of success counts results alone, and is 100 % for nothing but all', () => {
  const none = { queued: 0, running: 0, success: 0, failed: 0, interrupted: 0, missed: 0 };
  assert.equal(successRate({ ...none, success: 1, missed: 9 }), null);
  assert.equal(
    successRate({ ...none, success: 1_999, failed: 1 }),
    '99.9 % of 2,000 kept runs succeeded',
  );
  const two = { ...none, success: 2 };
  const [rate, rest] = ['100 % of 2 kept runs succeeded', 'of due times that were missed'];
  assert.equal(successRate({ ...two, missed: 1_009 }), `${rate}; 1,009 rows are ${rest}`);
  assert.equal(successRate({ ...two, missed: 1 }), `${rate}; 1 row is ${rest}`);
});
