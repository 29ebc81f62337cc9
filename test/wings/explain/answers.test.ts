/** From what was recorded to the answer: each situation in one line. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation, JobChange } from '../../../src/wings/explain/facts.ts';
import type { Records } from '../../../src/wings/explain/records.ts';
import {
  explained,
  explainedJob,
  explainedMiss,
  explainedRun,
  now,
  said,
  spanOf,
} from '../../support/records/explained.ts';

const due = '2026-11-24T01:30:00Z';
const dueAt = Date.parse(due);
const hour = 3_600_000;
const job = explainedJob();

function change(at: number, action: JobChange['action'], ...fields: string[]): JobChange {
  return { at, action, fields, who: 'key laptop' };
}

function ended(
  reason: 'paused' | 'changed' | 'expired' | 'corrected' | 'restored',
  untilAt: number,
) {
  return { last: spanOf(job, { untilAt, nextDueAt: dueAt, endReason: reason }), next: null };
}

const paused = explainedJob({ paused: true });
const http500 = explainedRun(due, { status: 'failed', httpStatus: 500, reason: 'http' });

const situations: [
  name: string,
  at: string | null,
  changes: Partial<Records>,
  outcome: Explanation['outcome'],
  answer: RegExp,
][] = [
  ['now', null, { run: explainedRun(due) }, 'success', /^It ran at Tue 24 Nov 2026 02:30/],
  [
    'on time',
    '02:30',
    { run: explainedRun(due) },
    'success',
    /^It ran at Tue 24 Nov 2026 02:30 \+01:00, and it succeeded \(HTTP 200\)\.$/,
  ],
  [
    'late',
    '02:30',
    { run: explainedRun(due, { startedAt: dueAt + 12_300 }) },
    'success',
    /02:30 \+01:00, 12 s late, and it succeeded/,
  ],
  ['failed', '02:30', { run: http500 }, 'failed', /it failed: the target answered HTTP 500\.$/],
  [
    'not looked up',
    '02:30',
    { run: { ...http500, httpStatus: null, reason: 'dns', detail: 'no.example has no address' } },
    'failed',
    /it failed: the host name could not be looked up \(no\.example has no address\)\.$/,
  ],
  [
    'interrupted',
    '02:30',
    { run: { ...http500, status: 'interrupted', reason: 'cut_off', detail: 'the process ended' } },
    'interrupted',
    /it was interrupted with an unknown outcome: the process ended\.$/,
  ],
  [
    'missed among others',
    '2026-11-22 02:30',
    { run: explainedMiss('2026-11-20T01:30:00Z', { last: dueAt, count: 5 }) },
    'missed',
    /^It did not run at Sun 22 Nov 2026 02:30 \+01:00: it was missed, because jobd was not running\.$/,
  ],
  [
    'missed in an outage',
    '02:30',
    { run: explainedMiss(due, { reason: 'outage', from: dueAt - hour, until: dueAt + hour }) },
    'missed',
    /^It did not run at Tue 24 Nov 2026 02:30 \+01:00: it was missed, because the database could not be used from Tue 24 Nov 2026 01:30 \+01:00 to Tue 24 Nov 2026 03:30 \+01:00\.$/,
  ],
  [
    'paused',
    '02:30',
    {
      job: paused,
      schedules: ended('paused', dueAt - 90_000),
      changes: [change(dueAt - 90_000, 'job.pause')],
    },
    'paused',
    /it was paused, since Tue 24 Nov 2026 02:28:30 \+01:00 by key laptop\.$/,
  ],
  [
    'created paused',
    '02:30',
    { job: paused, schedules: { last: null, next: null } },
    'paused',
    /it was paused, since it was created\.$/,
  ],
  [
    'expired',
    '02:30',
    {
      plan: 'pro',
      expiresAt: dueAt - 60_000,
      schedules: ended('expired', dueAt + 9_000),
    },
    'expired',
    /the account had expired at Tue 24 Nov 2026 02:29 \+01:00\.$/,
  ],
  [
    'just expired',
    '02:30',
    { plan: 'pro', expiresAt: dueAt - 1, job: explainedJob({ nextRunAt: dueAt }) },
    'expired',
    /the account had expired at/,
  ],
  [
    'expired once',
    '02:30',
    { schedules: ended('expired', dueAt + hour) },
    'expired',
    /the account had expired\.$/,
  ],
  [
    'changed before it was called',
    '02:30',
    {
      schedules: ended('changed', dueAt + 9_000),
      changes: [change(dueAt + 9_000, 'job.update', 'schedule')],
    },
    'not_due',
    /^It did not run at .*: its schedule was changed before, at Tue 24 Nov 2026 02:30:09 \+01:00 by key laptop\.$/,
  ],
  [
    'not due',
    '12:00',
    { run: explainedRun(due) },
    'not_due',
    /^It was not due at Tue 24 Nov 2026 12:00 \+01:00\. About the due time before: It ran at Tue 24 Nov 2026 02:30/,
  ],
  [
    'made later',
    '2026-10-01 02:30',
    { schedules: { last: null, next: spanOf(job) } },
    'not_created',
    /^The job did not exist then: it was created at Sun 1 Nov 2026 01:00 \+01:00\.$/,
  ],
  ['to come', '2026-11-25 02:30', {}, 'to_come', /is still to come, 13 h 30 min from now/],
  [
    'waiting for its run',
    '02:30',
    { job: explainedJob({ nextRunAt: dueAt, activeRunId: 'x' }) },
    'waiting',
    /has not begun: a run of it is executing/,
  ],
  [
    'waiting in trouble',
    '02:30',
    { job: explainedJob({ nextRunAt: dueAt }), problems: ['the disk is full'] },
    'waiting',
    /has not begun: the disk is full\.$/,
  ],
  ['not kept', '02:30', {}, 'unknown', /no run of that time is kept\. The newest 1000000 results/],
  ['too old', '2026-11-10 02:30', { plan: 'free' }, 'unknown', /as results are kept for 7 days\.$/],
  [
    'a gap in the runs',
    '02:30',
    { oldestKept: dueAt - 86_400_000 },
    'unknown',
    /though older ones are\. The clock may have been set back/,
  ],
  [
    'a run of another schedule',
    '03:15',
    { run: explainedRun('2026-11-24T02:15:00Z') },
    'success',
    /^It ran at Tue 24 Nov 2026 03:15/,
  ],
  [
    'by hand',
    '02:30',
    { run: { ...http500, source: 'manual' } },
    'failed',
    /^A run by hand was asked for at Tue 24 Nov 2026 02:30 \+01:00: it failed: the target/,
  ],
];

test('each situation has its outcome and an answer that says why', () => {
  for (const [name, at, changes, outcome, answer] of situations) {
    const found = explained(at, changes);
    assert.match(found.answer, answer, name);
    assert.equal(found.outcome, outcome, `${name}: ${found.answer}`);
    assert.ok(found.facts.length > 0, name);
  }
});

test('no sentence has a value that is missing, or two ends', () => {
  for (const [name, at, changes] of situations) {
    const { answer, todo, facts } = explained(at, changes);
    for (const text of [answer, todo ?? answer, ...facts.map(({ sentence }) => sentence)]) {
      assert.doesNotMatch(
        text,
        /undefined|null|NaN|Infinity|Invalid|\.\.|1970|WHEN|AGAIN/,
        `${name}: ${text}`,
      );
      assert.match(text, /^([A-Z0-9]|jobd ).*\.$/, `${name}: ${text}`);
    }
  }
});

test('what went wrong has something to do about it, and nothing else does', () => {
  const outcomes = new Set(['failed', 'interrupted', 'missed', 'paused', 'expired']);
  for (const [name, at, changes, outcome] of situations) {
    assert.equal(explained(at, changes).todo !== null, outcomes.has(outcome), name);
  }
  assert.match(
    explained('02:30', { run: http500 }).todo ?? '',
    /^Look at the target's log at Tue 24 Nov 2026 02:30:00 \+01:00\. If the call is still needed, replay the run\.$/,
  );
});

test('a paused job that is over is not to be resumed before it has a later time', () => {
  const adjustments = '{"runAt":"2026-11-24T01:30:00Z"}';
  const over = explainedJob({ adjustments, paused: true });
  const found = explained('02:30', { job: over, schedules: { last: null, next: null } });
  assert.match(found.todo ?? '', /^Its time has passed: set a later one, then resume/);
});

test('a time that the clocks skip is said, with when the job ran instead', () => {
  const run = explainedRun('2026-03-29T01:00:00Z');
  const old = explainedJob({ createdAt: Date.parse('2026-01-01T00:00:00Z') });
  const found = explained('2026-03-29 02:30', { job: old, run });
  assert.equal(found.outcome, 'success');
  assert.match(
    said(found, 'asked'),
    /never showed 2026-03-29 02:30: .* taken as Sun 29 Mar 2026 03:00 \+02:00/,
  );
  assert.match(
    said(found, 'clock_change'),
    /does not exist in Europe\/Paris; runs at 03:00 instead/,
  );
});

test('of a time that the clocks show twice, the second one is not due', () => {
  const old = explainedJob({ createdAt: Date.parse('2026-01-01T00:00:00Z') });
  const run = explainedRun('2026-10-25T00:30:00Z');
  const first = explained('2026-10-25 02:30', { job: old, run });
  assert.equal(first.outcome, 'success');
  assert.match(
    said(first, 'asked'),
    /showed 2026-10-25 02:30 twice\. .* The second time was Sun 25 Oct 2026 02:30 \+01:00/,
  );
  const second = explained('2026-10-25T01:30:00Z', { job: old, run });
  assert.equal(second.outcome, 'not_due');
  assert.match(said(second, 'clock_change'), /happens twice in Europe\/Paris; runs at the first/);
});

const every = { scheduleType: 'period', cronExpr: null, periodSeconds: 86_400 } as const;

test('a schedule that just began was not due yet, and says why it began', () => {
  const fresh = explainedJob({ ...every, createdAt: now - hour });
  assert.match(
    explained(null, { job: fresh }).answer,
    /^It has not been due yet: it was created at/,
  );
  const began = now - hour;
  const rows: [JobChange, RegExp][] = [
    [change(began, 'job.resume'), /since it was resumed, at Tue 24 Nov 2026 12:00 \+01:00 by key/],
    [change(began, 'job.update', 'schedule'), /since its schedule was changed, at/],
    [change(began, 'job.update', 'after'), /since it stopped running after another job, at/],
  ];
  const old = explainedJob({ ...every, anchorAt: began });
  for (const [one, answer] of rows) {
    const schedules = { last: spanOf(old, { fromAt: began }), next: null };
    const found = explained(null, { job: old, schedules, changes: [one] });
    assert.deepEqual([found.outcome, found.dueAt], ['not_due', null], found.answer);
    assert.match(found.answer, answer);
    const run = explainedRun(new Date(now - 5 * hour).toISOString());
    const before = explained(null, { job: old, schedules, changes: [one], run });
    assert.equal(before.dueAt, run.scheduledFor, 'the newest run, of the schedule before');
  }
});

test('the schedule is the one that was in force then', () => {
  const then = spanOf(explainedJob({ cronExpr: '15 4 * * *' }), {
    untilAt: dueAt,
    nextDueAt: null,
    endReason: 'changed',
  });
  const schedules = { last: then, next: spanOf(job, { fromAt: dueAt }) };
  const changes = [change(dueAt, 'job.update', 'schedule', 'url')];
  const found = explained('2026-11-20 04:15', { schedules, changes, oldestKept: 0 });
  assert.equal(found.dueAt, Date.parse('2026-11-20T03:15:00Z'));
  assert.match(said(found, 'schedule'), /^The schedule was 15 4 \* \* \* in Europe\/Paris: /);
  const since = said(found, 'changed');
  assert.match(since, /^It was changed since, at .* by key laptop: schedule, url\.$/);
  assert.match(said(explained('02:30'), 'schedule'), /^The schedule is 30 2/);
});

const late = explainedRun(due, { startedAt: dueAt + 20_000 });
const causes: [name: string, changes: Partial<Records>, sentence: RegExp, isKnown: boolean][] = [
  [
    'its own run',
    { previous: explainedRun('2026-11-24T01:29:00Z', { finishedAt: dueAt + 19_000 }) },
    /^The run before it was in the way until Tue 24 Nov 2026 02:30:19/,
    true,
  ],
  [
    'a start',
    { startedAt: dueAt + 15_000 },
    /^jobd was started at Tue 24 Nov 2026 02:30:15 .*after the due time\.$/,
    true,
  ],
  [
    'its host',
    { slots: { all: 9, perHost: 2 }, inFlight: { all: 2, toHost: 2, isPartial: false } },
    /^All 2 slots for calls to its host were taken/,
    true,
  ],
  [
    'all slots',
    { slots: { all: 3, perHost: 2 }, inFlight: { all: 3, toHost: 1, isPartial: false } },
    /^All 3 slots for calls were taken/,
    true,
  ],
  [
    'others perhaps',
    { inFlight: { all: 3, toHost: 1, isPartial: false } },
    /^3 other calls of this workspace were in flight .* is not recorded\.$/,
    false,
  ],
  [
    'nothing',
    { inFlight: { all: 0, toHost: 0, isPartial: false } },
    /^Why it began late is not recorded\./,
    false,
  ],
];

test('a cause of lateness is told if it is certain, and else said to be not known', () => {
  for (const [name, changes, sentence, isKnown] of causes) {
    const found = explained('02:30', { run: late, ...changes });
    const [cause, ...more] = found.facts.filter(({ kind }) => kind === 'cause');
    assert.match(cause?.sentence ?? '', sentence, name);
    assert.equal(cause?.isKnown, isKnown, name);
    assert.deepEqual(more, [], name);
  }
});

test('a missed run says when nobody served, where that is known', () => {
  const run = explainedMiss(due, { from: dueAt - 2 * hour, until: dueAt + hour });
  const from =
    /because jobd was not running from Tue 24 Nov 2026 00:30 \+01:00 to .* 03:30 \+01:00\.$/;
  assert.match(explained('02:30', { run }).answer, from);
});

test('alerts are told with their deliveries, or why there are none', () => {
  const delivery = {
    id: 'd',
    channelId: 'c',
    channelName: 'ops',
    event: 'job.failed' as const,
    subject: { type: 'job' as const, id: 'j', name: 'backup' },
    status: 'pending' as const,
    attempts: 0,
    lastAttemptAt: null,
    lastError: null,
    createdAt: dueAt,
  };
  const alertOf = (changes: object): string =>
    said(explained('02:30', { run: http500, deliveries: [{ ...delivery, ...changes }] }), 'alert');
  assert.match(
    alertOf({}),
    /^An alert for channel ops was made at .*: backup is down\. It was not sent yet\.$/,
  );
  assert.match(
    alertOf({ status: 'failed', attempts: 3, lastError: 'http: 404' }),
    /It was given up after 3 attempts\. The last error: http: 404\.$/,
  );
  const served = said(explained('02:30', { run: http500 }), 'alert');
  assert.match(served, /announced once.* Channels of the job now: ops\.$/);
  const unserved = said(explained('02:30', { run: http500, channels: [] }), 'alert');
  assert.match(unserved, /No enabled channel serves this job\.$/);
  assert.equal(said(explained('02:30', { run: explainedRun(due) }), 'alert'), '');
});

test('what stands in the way now is told beside the next due time', () => {
  const next = Date.parse('2026-11-25T01:30:00Z');
  const clear = explained(null, { run: explainedRun(due), job: explainedJob({ nextRunAt: next }) });
  assert.match(said(clear, 'next'), /in 13 h 30 min\. Nothing known stands in its way\.$/);
  const held = explained(null, { job: explainedJob({ paused: true, timeoutSeconds: 900 }) });
  assert.equal(said(held, 'next'), 'It has no due time now.');
  assert.match(said(held, 'obstacle'), /The job is paused/);
});
