/** From what was recorded to the answer: each situation in one line. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain, focusOf } from '../../../../src/wings/explain/reasons/explain.ts';
import type {
  Explanation,
  FactKind,
  Records,
} from '../../../../src/wings/explain/reasons/facts.ts';
import {
  explainedJob,
  explainedMiss,
  explainedRecords,
  explainedRun,
} from '../../../support/records/explained.ts';

const due = '2026-11-24T01:30:00Z';
const dueAt = Date.parse(due);
const key = 'key laptop';

function explained(at: string | null, changes: Partial<Records> = {}): Explanation {
  const records = explainedRecords(at, changes);
  const { job, trail, asked, run } = records;
  return explain(records, focusOf(job, trail, asked, run?.scheduledFor ?? null));
}

function said({ facts }: Explanation, kind: FactKind): string {
  return facts.flatMap((one) => (one.kind === kind ? [one.sentence] : [])).join(' ');
}

const missed = explainedMiss('2026-11-20T01:30:00Z', { last: dueAt, count: 5 });

const situations: [
  name: string,
  at: string | null,
  changes: Partial<Records>,
  outcome: Explanation['outcome'],
  answer: RegExp,
][] = [
  [
    'on time',
    '02:30',
    { run: explainedRun(due) },
    'success',
    /^It ran at Tue 2026-11-24 02:30 \+01:00, and it succeeded \(HTTP 200\)\.$/,
  ],
  ['now', null, { run: explainedRun(due) }, 'success', /^It ran at Tue 2026-11-24 02:30/],
  [
    'late',
    '02:30',
    { run: explainedRun(due, { startedAt: dueAt + 12_300 }) },
    'success',
    /02:30 \+01:00, 12 s late, and it succeeded/,
  ],
  [
    'failed',
    '02:30',
    {
      run: explainedRun(due, {
        status: 'failed',
        httpStatus: null,
        reason: 'dns',
        detail: 'no.example has no address',
      }),
    },
    'failed',
    /it failed: dns: no\.example has no address\.$/,
  ],
  [
    'refused',
    '02:30',
    {
      run: explainedRun(due, {
        status: 'failed',
        httpStatus: null,
        reason: 'blocked_address',
        detail: '10.0.0.1 is private',
      }),
    },
    'failed',
    /it failed: blocked_address: 10\.0\.0\.1 is private/,
  ],
  [
    'interrupted',
    '02:30',
    {
      run: explainedRun(due, {
        status: 'interrupted',
        finishedAt: dueAt + 9,
        reason: 'cut_off',
        detail: 'the process ended',
      }),
    },
    'interrupted',
    /it was interrupted with an unknown outcome: the process ended\.$/,
  ],
  [
    'missed among others',
    '2026-11-22 02:30',
    { run: missed },
    'missed',
    /^It did not run at Sun 2026-11-22 02:30 \+01:00: it was missed, because jobd was not running\.$/,
  ],
  [
    'paused',
    '02:30',
    {
      job: explainedJob({ paused: true }),
      trail: {
        changes: [{ at: dueAt - 90_000, action: 'job.pause', fields: [], who: key }],
        completeSince: 0,
      },
    },
    'paused',
    /it was paused, since Tue 2026-11-24 02:28:30 \+01:00 by key laptop\.$/,
  ],
  [
    'made paused',
    '02:30',
    { job: explainedJob({ paused: true }) },
    'paused',
    /it was paused, since it was created\.$/,
  ],
  [
    'expired',
    '02:30',
    { account: { plan: 'pro', expiresAt: dueAt - 60_000, renewedAt: null } },
    'expired',
    /the account expired at Tue 2026-11-24 02:29 \+01:00\.$/,
  ],
  [
    'renewed',
    '02:30',
    { account: { plan: 'pro', expiresAt: null, renewedAt: dueAt + 60_000 } },
    'unknown',
    /no run is kept, and the account was renewed later/,
  ],
  [
    'not due',
    '12:00',
    { run: explainedRun(due) },
    'not_due',
    /^It was not due at Tue 2026-11-24 12:00 \+01:00\. About the due time before: It ran at Tue 2026-11-24 02:30/,
  ],
  [
    'made later',
    '2026-10-01 02:30',
    {},
    'not_created',
    /^The job did not exist then: it was created later, at Sun 2026-11-01 01:00 \+01:00\.$/,
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
    { job: explainedJob({ nextRunAt: dueAt }), troubles: ['the disk is full'] },
    'waiting',
    /has not begun: the disk is full\.$/,
  ],
  ['not kept', '02:30', {}, 'unknown', /no run of that time is kept\. The newest 1000000 results/],
  [
    'too old',
    '2026-11-10 02:30',
    { account: { plan: 'free', expiresAt: null, renewedAt: null } },
    'unknown',
    /as results are kept for 7 days\.$/,
  ],
  [
    'a gap in the runs',
    '02:30',
    { oldestKept: dueAt - 86_400_000 },
    'unknown',
    /though older ones are, and nothing recorded says why/,
  ],
  [
    'another schedule',
    '02:30',
    {
      trail: {
        changes: [{ at: dueAt + 60_000, action: 'job.update', fields: ['schedule'], who: key }],
        completeSince: 0,
      },
    },
    'unknown',
    /is not known: its schedule was another one/,
  ],
  [
    'a run of another schedule',
    '03:15',
    {
      run: explainedRun('2026-11-24T02:15:00Z'),
      trail: {
        changes: [{ at: dueAt + 9e6, action: 'job.update', fields: ['schedule'], who: key }],
        completeSince: 0,
      },
    },
    'success',
    /^It ran at Tue 2026-11-24 03:15/,
  ],
  [
    'state unknown',
    '02:30',
    { trail: { changes: [], completeSince: dueAt + 1 } },
    'unknown',
    /neither is whether the job was paused/,
  ],
];

test('each situation has its outcome and an answer that says why', () => {
  for (const [name, at, changes, outcome, answer] of situations) {
    const found = explained(at, changes);
    assert.equal(found.outcome, outcome, `${name}: ${found.answer}`);
    assert.match(found.answer, answer, name);
    assert.ok(found.facts.length > 0, name);
  }
});

test('no sentence has a value that is missing, or two ends', () => {
  for (const [name, at, changes] of situations) {
    const { answer, facts } = explained(at, changes);
    for (const text of [answer, ...facts.map(({ sentence }) => sentence)]) {
      assert.doesNotMatch(
        text,
        /undefined|null|NaN|Infinity|Invalid|\.\.|1970/,
        `${name}: ${text}`,
      );
      assert.match(text, /^[A-Z0-9].*\.$/, `${name}: ${text}`);
    }
  }
});

test('a time that the clocks skip is said, with when the job ran instead', () => {
  const job = explainedJob({ createdAt: Date.parse('2026-01-01T00:00:00Z') });
  const run = explainedRun('2026-03-29T01:00:00Z');
  const found = explained('2026-03-29 02:30', { job, run });
  assert.equal(found.outcome, 'success');
  assert.match(
    said(found, 'asked'),
    /never showed 2026-03-29 02:30: .* taken as Sun 2026-03-29 03:00 \+02:00/,
  );
  assert.match(
    said(found, 'clock_change'),
    /does not exist in Europe\/Paris; runs at 03:00 instead/,
  );
});

test('of a time that the clocks show twice, the second one is not due', () => {
  const job = explainedJob({ createdAt: Date.parse('2026-01-01T00:00:00Z') });
  const run = explainedRun('2026-10-25T00:30:00Z');
  const first = explained('2026-10-25 02:30', { job, run });
  assert.equal(first.outcome, 'success');
  assert.match(
    said(first, 'asked'),
    /showed 2026-10-25 02:30 twice\. .* The second time was Sun 2026-10-25 02:30 \+01:00/,
  );
  const second = explained('2026-10-25T01:30:00Z', { job, run });
  assert.equal(second.outcome, 'not_due');
  assert.match(said(second, 'clock_change'), /happens twice in Europe\/Paris; runs at the first/);
});

const late = explainedRun(due, { startedAt: dueAt + 20_000 });
const causes: [name: string, changes: Partial<Records>, sentence: RegExp, isKnown: boolean][] = [
  [
    'its own run',
    { previous: explainedRun('2026-11-24T01:29:00Z', { finishedAt: dueAt + 19_000 }) },
    /^The run before it was in the way until Tue 2026-11-24 02:30:19/,
    true,
  ],
  [
    'a start',
    { startedAt: dueAt + 15_000 },
    /^jobd was started at Tue 2026-11-24 02:30:15 .*after the due time\.$/,
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

test('a missed run says which nodes served then, where that is recorded', () => {
  const hour = 3_600_000;
  const down = [
    { from: dueAt + hour, until: null },
    { from: dueAt - 99 * hour, until: dueAt - 2 * hour },
  ];
  const run = explainedMiss(due);
  const gap = said(explained('02:30', { run, served: down }), 'downtime');
  assert.equal(
    gap,
    'No node of jobd was serving from Tue 2026-11-24 00:30 +01:00 to Tue 2026-11-24 03:30 +01:00.',
  );
  const served = [{ from: dueAt - hour, until: null }];
  assert.match(
    said(explained('02:30', { run, served }), 'downtime'),
    /^1 node of jobd was serving then\.$/,
  );
});

test('alerts are told with their deliveries, or why there are none', () => {
  const run = explainedRun(due, { status: 'failed', reason: 'http', httpStatus: 500 });
  const delivery = {
    id: 'd',
    channelId: 'c',
    channelName: 'ops',
    event: 'job.failed' as const,
    subject: { type: 'job' as const, id: 'j', name: 'backup' },
    status: 'failed' as const,
    attempts: 3,
    lastAttemptAt: dueAt,
    lastError: 'http: 404',
    createdAt: dueAt,
  };
  assert.match(
    said(explained('02:30', { run, deliveries: [delivery] }), 'alert'),
    /^Channel ops was sent an alert at .*: backup is down\. It was given up after 3 attempts\. The last error: http: 404\.$/,
  );
  assert.match(
    said(explained('02:30', { run, isWatched: false }), 'alert'),
    /No enabled channel serves this job now\.$/,
  );
  assert.equal(said(explained('02:30', { run: explainedRun(due) }), 'alert'), '');
});

test('what stands in the way now is told beside the next due time', () => {
  const next = Date.parse('2026-11-25T01:30:00Z');
  const clear = explained(null, { run: explainedRun(due), job: explainedJob({ nextRunAt: next }) });
  assert.match(said(clear, 'next'), /in 13 h 30 min\. Nothing known stands in its way\.$/);
  const paused = explained(null, { job: explainedJob({ paused: true }) });
  assert.equal(said(paused, 'next'), 'It has no due time now.');
  assert.match(said(paused, 'obstacle'), /The job is paused/);
});
