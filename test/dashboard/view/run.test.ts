import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../../../src/api/runs/contract.ts';
import {
  isUnderWay,
  missedTimes,
  moments,
  runSentence,
  whyNoReceipt,
} from '../../../src/dashboard/view/run.ts';
import { runStatuses } from '../../../src/domain/runs/run.ts';
import { each } from '../../support/each.ts';

const now = Date.parse('2026-11-22T06:41:12.000Z');
const run: Run = {
  id: '01a204fc-b50b-7001-b3e6-b6782982af07',
  jobId: '01a16a82-0b7e-7000-acad-28d5f96281d9',
  source: 'scheduled',
  status: 'success',
  scheduledFor: '2026-11-22T01:30:00.000Z',
  startedAt: '2026-11-22T01:30:00.003Z',
  finishedAt: '2026-11-22T01:30:00.034Z',
  attempts: 1,
  httpStatus: 200,
  durationMs: 31,
  responseBody: '{}',
  truncated: false,
  error: null,
};

test('the sentence says what happened, in every status', () => {
  const rows: [given: Partial<Run>, sentence: string][] = [
    [{}, 'Success: the target answered HTTP 200 in 31 ms.'],
    [{ attempts: 2 }, 'Success: the target answered HTTP 200 in 31 ms, at attempt 2.'],
    [
      { status: 'failed', httpStatus: 502, why: { reason: 'http', detail: null }, attempts: 3 },
      'Failed: the target answered HTTP 502, 3 attempts.',
    ],
    [{ status: 'failed', httpStatus: null, error: 'new: unheard of' }, 'Failed: new: unheard of.'],
    [{ status: 'missed', error: 'missed: x' }, 'Missed: it was not called.'],
    [{ status: 'interrupted' }, 'Interrupted: it ended without an answer.'],
    [
      { status: 'interrupted', why: { reason: 'unsent', detail: 'the disk is full' } },
      'Interrupted: not sent: the disk is full.',
    ],
    [{ status: 'queued' }, 'Queued: it begins once no run of the job executes and a slot is free.'],
    [{ status: 'running', startedAt: '2026-11-22T06:41:00.000Z' }, 'Running for 12 s.'],
    [
      { status: 'running', startedAt: '2026-11-22T06:41:00.000Z', attempts: 2 },
      'Running for 12 s, attempt 2.',
    ],
  ];
  const report = { outcome: 'success', reportedBy: 'target' } as Run['report'] & object;
  rows.push(
    [
      { status: 'running', httpStatus: 202, startedAt: '2026-11-22T06:41:00.000Z', report },
      'Running for 12 s: the target answered HTTP 202 and works on.',
    ],
    [
      { httpStatus: 202, durationMs: 124_000, report },
      'Success: the target answered HTTP 202, and it reported a success after 2 m 4 s.',
    ],
    [
      { status: 'failed', httpStatus: 202, error: 'reported: no space', report },
      'Failed after the target answered HTTP 202: reported: no space.',
    ],
  );
  for (const [given, sentence] of rows) {
    assert.equal(runSentence({ ...run, ...given }, now).join(''), sentence);
  }
  assert.deepEqual(
    runStatuses.filter((status) => isUnderWay({ status })),
    ['queued', 'running'],
  );
});

test('moments have milliseconds, in the zone of the job, and their day only when it changes', () => {
  assert.deepEqual(moments(run, now, 'Europe/Paris'), [
    { word: 'Due', at: run.scheduledFor, day: 'Sun 22 Nov', clock: '02:30:00.000', note: '' },
    { word: 'Began', at: run.startedAt, day: null, clock: '02:30:00.003', note: '3 ms late' },
    { word: 'Ended', at: run.finishedAt, day: null, clock: '02:30:00.034', note: 'took 31 ms' },
  ]);
  const overMidnight = moments(
    {
      ...run,
      source: 'manual',
      status: 'interrupted',
      durationMs: null,
      finishedAt: '2026-11-23T01:30:00.000Z',
    },
    now,
    'UTC',
  );
  assert.deepEqual(each(overMidnight, 'word', 'day', 'note'), [
    ['Asked for', 'Sun 22 Nov', ''],
    ['Began', null, 'waited 3 ms'],
    ['Closed', 'Mon 23 Nov', ''],
  ]);
  const queued = { ...run, startedAt: null, finishedAt: null, durationMs: null };
  assert.deepEqual(each(moments(queued, now), 'word'), ['Due']);
  assert.equal(moments({ ...run, startedAt: run.scheduledFor }, now)[1]?.note, 'on time');
});

test('a missed run in a list says how many due times it stands for, and up to which', () => {
  const missed = { ...run, status: 'missed', httpStatus: null } as const;
  const why = { reason: 'not_running', detail: null, count: 1200 } as const;
  const several = { ...missed, why: { ...why, lastDueAt: '2026-11-22T03:30:00.000Z' } };
  assert.deepEqual(missedTimes(several), {
    count: 1200,
    first: '2026-11-22T01:30:00.000Z',
    last: '2026-11-22T03:30:00.000Z',
  });
  const failed = { ...run, error: 'http: 502', why: { reason: 'http', detail: null } } as const;
  assert.equal(missedTimes(failed), null);
});

test('a run has a receipt exactly if it ended with an HTTP answer', () => {
  for (const status of runStatuses) {
    const isOver = status === 'success' || status === 'failed';
    assert.equal(whyNoReceipt({ status, httpStatus: 200 }) === null, isOver, status);
  }
  assert.equal(
    whyNoReceipt({ status: 'failed', httpStatus: null }),
    'None: there was no HTTP answer to sign.',
  );
});
