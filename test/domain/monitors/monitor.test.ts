/** Monitors: the effects of pings and time, in a table; and input validation. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobdError } from '../../../src/domain/errors.ts';
import { changeMonitor, defineMonitor } from '../../../src/domain/monitors/monitor-input.ts';
import type { MonitorInput, MonitorUpdate } from '../../../src/domain/monitors/monitor-input.ts';
import {
  durationUntil,
  downReason,
  missedPings,
  monitorChange,
  monitorAfter,
  monitorStatus,
  statusSince,
} from '../../../src/domain/monitors/monitor.ts';
import type { Monitor, MonitorEvent } from '../../../src/domain/monitors/monitor.ts';
import { pingSignal } from '../../../src/domain/monitors/ping.ts';

/** Times of the day used by the tests. */
function at(time: string): number {
  return Date.parse(`2026-03-02T${time.length === 5 ? `${time}:00` : time}Z`);
}

function timeOf(moment: number | null): string | null {
  return moment === null ? null : new Date(moment).toISOString().slice(11, 19);
}

const hourly = { cronExpr: '0 * * * *', timezone: 'UTC' } as const;
const everyHour = { scheduleType: 'period', periodSeconds: 3_600 } as const;

function define(input: Partial<MonitorInput> = hourly, now = at('10:00')): Monitor {
  const ids = { id: 'the-id', workspaceId: 'the-workspace', pingId: 'the-ping-id' };
  return defineMonitor({ name: 'a', timezone: 'UTC', ...input }, { ...ids, now });
}

/** The fields that people set. */
const updates: Record<string, MonitorUpdate> = {
  pause: { action: 'pause' },
  resume: { action: 'resume' },
  renamed: { name: 'b' },
  cron45: { cronExpr: '45 * * * *' },
  period: everyHour,
  grace0: { graceSeconds: 0 },
  grace2h: { graceSeconds: 7_200 },
};

/**
 * Plays steps, each a time with a ping, a check (for overdue pings), a clock change or an update.
 * Returns the state in words, when a ping is due, and when its absence is checked.
 */
function play(monitor: Monitor, steps: string, reachableSince: number): string {
  let now = at('10:00');
  let played = monitor;
  for (const step of steps.split(', ').filter(Boolean)) {
    const [time = '', what = ''] = step.split(' ');
    now = at(time);
    const update = updates[what];
    if (update === undefined) played = monitorAfter(played, eventOf(what, now, reachableSince));
    else played = changeMonitor(played, update, now);
  }
  const { nextDueAt, nextCheckAt } = played;
  return [monitorStatus(played, now), timeOf(nextDueAt), timeOf(nextCheckAt)].join(' ');
}

function eventOf(what: string, now: number, reachableSince: number): MonitorEvent {
  if (what === 'check') return { type: 'time', at: now, reachableSince };
  if (what === 'clock') return { type: 'clock', at: now };
  return { type: 'ping', kind: what as 'start' | 'success' | 'fail', at: now };
}

/** Cron: each full hour, grace 5 minutes. */
const cronRows: [promise: string, steps: string, state: string][] = [
  ['new, nothing is expected', '', 'new  '],
  ['new, after any time', '23:00 check', 'new  '],
  ['up after a success', '10:20 success', 'up 11:00:00 11:05:00'],
  ['up until the ping is due', '10:20 success, 10:59:59 check', 'up 11:00:00 11:05:00'],
  ['late when it is due', '10:20 success, 11:00 check', 'late 11:00:00 11:05:00'],
  ['late within the grace', '10:20 success, 11:04:59 check', 'late 11:00:00 11:05:00'],
  ['down when the grace is over', '10:20 success, 11:05 check', 'down 11:00:00 '],
  ['down stays down', '10:20 success, 11:05 check, 15:00 check', 'down 11:00:00 '],
  ['up again after a success', '10:20 success, 11:05 check, 11:20 success', 'up 12:00:00 12:05:00'],
  ['down after a failure, at once', '10:20 success, 10:30 fail', 'down 11:00:00 '],
  ['down after a first ping that fails', '10:20 fail', 'down 11:00:00 '],
  ['down after a failure, after any time', '10:20 fail, 13:00 check', 'down 11:00:00 '],
  ['up again after a failure and a success', '10:20 fail, 10:21 success', 'up 11:00:00 11:05:00'],
  ['late, then up', '10:20 success, 11:03 success', 'up 12:00:00 12:05:00'],
  [
    'a little early counts for the due time',
    '10:00 success, 10:59:30 success',
    'up 12:00:00 12:05:00',
  ],
  ['too early does not', '10:00 success, 10:59:29 success', 'up 11:00:00 11:05:00'],
  [
    'the late ping of one due time is not the early one of the next',
    '10:00 success, 11:59:50 success',
    'up 12:00:00 12:05:00',
  ],
  ['a first ping may be early', '10:59:50 success', 'up 12:00:00 12:05:00'],
  ['a first run may be early', '10:59:50 start, 10:59:55 success', 'up 12:00:00 12:05:00'],
  [
    'the first ping after an outage may be early',
    '10:00 success, 11:05 check, 13:59:50 success',
    'up 15:00:00 15:05:00',
  ],
  ['a failure may be early too', '10:00 success, 10:59:50 fail', 'down 12:00:00 '],
  ['a start does not change the due time', '10:20 success, 10:30 start', 'up 11:00:00 11:05:00'],
  [
    'a run that started and does not end is late, then down',
    '10:20 success, 11:00 start, 11:05 check',
    'down 11:00:00 ',
  ],
  [
    'a run that ends in time is up',
    '10:20 success, 11:00 start, 11:04 success, 11:05 check',
    'up 12:00:00 12:05:00',
  ],
  ['a first start leaves it new', '10:20 start', 'new 10:20:00 10:25:00'],
  ['a first run that does not end is down', '10:20 start, 10:25 check', 'down 10:20:00 '],
  ['a second start does not extend the time', '10:20 start, 10:24 start', 'new 10:20:00 10:25:00'],
  ['a start while down leaves it down', '10:20 fail, 10:30 start', 'down 11:00:00 '],
  ['paused expects nothing', '10:20 success, 10:30 pause', 'paused  '],
  ['paused, after any time', '10:20 success, 10:30 pause, 12:00 check', 'paused  '],
  ['paused while a run has started', '10:20 start, 10:21 pause, 10:30 check', 'paused  '],
  [
    'resumed expects from now on',
    '10:20 success, 10:30 pause, 14:30 resume',
    'up 15:00:00 15:05:00',
  ],
  ['resumed with its previous state', '10:20 fail, 10:30 pause, 14:30 resume', 'down 15:00:00 '],
  ['resumed new is new', '10:30 pause, 14:30 resume', 'new  '],
  ['a ping while paused', '10:30 pause, 10:40 success', 'paused  '],
  [
    'a ping while paused decides the state when resumed',
    '10:20 fail, 10:30 pause, 10:40 success, 14:30 resume',
    'up 15:00:00 15:05:00',
  ],
  ['resumed though not paused', '10:20 success, 10:30 resume', 'up 11:00:00 11:05:00'],
  ['a changed schedule counts from now', '10:20 success, 10:30 cron45', 'up 10:45:00 10:50:00'],
  [
    'another name does not change the due time',
    '10:20 success, 11:02 renamed',
    'late 11:00:00 11:05:00',
  ],
  ['another grace applies immediately', '10:20 success, 11:02 grace2h', 'late 11:00:00 13:00:00'],
  [
    'a shorter grace that has passed is down at the next check',
    '10:20 success, 11:02 grace0, 11:02 check',
    'down 11:00:00 ',
  ],
  ['a period counts from the change', '10:20 success, 10:30 period', 'up 11:30:00 11:35:00'],
  ['a changed schedule of a new monitor', '10:30 cron45', 'new  '],
  [
    'a clock change that corrects nothing has no effect',
    '10:20 success, 10:21 clock',
    'up 11:00:00 11:05:00',
  ],
  [
    'nor has one just before a due time that had its ping',
    '10:00 success, 10:59:40 success, 10:59:45 clock',
    'up 12:00:00 12:05:00',
  ],
  ['a fast clock that is corrected', '20:20 success, 10:21 clock', 'up 11:00:00 11:05:00'],
  ['a fast clock while down', '20:20 fail, 10:21 clock', 'down 11:00:00 '],
  ['a fast clock while new', '20:20 start, 10:21 clock', 'new 11:00:00 11:05:00'],
  [
    'a slow clock that is corrected',
    '10:20 success, 08:21 clock, 10:22 check',
    'up 11:00:00 11:05:00',
  ],
  ['overdue stays overdue', '10:20 success, 13:00 clock', 'late 11:00:00 11:05:00'],
];

for (const [promise, steps, state] of cronRows) {
  test(`cron: ${promise}`, () => {
    assert.equal(play(define(), steps, 0), state);
  });
}

/** Period: an hour, grace 5 minutes. */
const periodRows: [promise: string, steps: string, state: string][] = [
  ['new, nothing is expected', '23:00 check', 'new  '],
  ['due a period after the ping', '10:20:07 success', 'up 11:20:07 11:25:07'],
  ['due a period after a late ping', '10:20 success, 11:22 success', 'up 12:22:00 12:27:00'],
  ['due a period after an early ping', '10:20 success, 11:19:50 success', 'up 12:19:50 12:24:50'],
  ['due a period after a failure', '10:20 fail', 'down 11:20:00 '],
  ['late', '10:20 success, 11:20 check', 'late 11:20:00 11:25:00'],
  ['down', '10:20 success, 11:25 check', 'down 11:20:00 '],
  ['a start does not move the due time', '10:20 success, 11:20 start', 'late 11:20:00 11:25:00'],
  ['resumed', '10:20 success, 10:30 pause, 12:00 resume', 'up 13:00:00 13:05:00'],
  ['a fast clock that is corrected', '20:20 success, 10:21 clock', 'up 11:21:00 11:26:00'],
  [
    'a slow clock that is corrected',
    '10:20 success, 08:21 clock, 10:22 check',
    'up 11:20:00 11:25:00',
  ],
  ['a correct clock', '10:20 success, 10:20 clock', 'up 11:20:00 11:25:00'],
];

for (const [promise, steps, state] of periodRows) {
  test(`period: ${promise}`, () => {
    assert.equal(play(define(everyHour), steps, 0), state);
  });
}

/** When pings could arrive again, after the time of the last one. */
const absenceRows: [promise: string, since: string, steps: string, state: string][] = [
  [
    'due and overdue while away: the grace starts on return',
    '12:00',
    '10:20 success, 12:00 check',
    'late 11:00:00 12:05:00',
  ],
  ['that grace ends', '12:00', '10:20 success, 12:00 check, 12:05 check', 'down 11:00:00 '],
  [
    'a ping within that grace',
    '12:00',
    '10:20 success, 12:00 check, 12:01 success',
    'up 13:00:00 13:05:00',
  ],
  [
    'due while away, grace not over',
    '11:03',
    '10:20 success, 11:05 check',
    'late 11:00:00 11:08:00',
  ],
  ['due after the return', '10:50', '10:20 success, 11:05 check', 'down 11:00:00 '],
  ['due at the moment of return', '11:00', '10:20 success, 11:05 check', 'down 11:00:00 '],
  ['started while away', '12:00', '10:20 start, 12:00 check', 'new 10:20:00 12:05:00'],
  [
    'a check planned by a fast clock',
    '20:00',
    '10:20 success, 20:00 check, 11:01 clock',
    'late 11:00:00 11:05:00',
  ],
];

for (const [promise, since, steps, state] of absenceRows) {
  test(`away until ${since}: ${promise}`, () => {
    assert.equal(play(define(), steps, at(since)), state);
  });
}

test('a step without effect returns the same object, so nothing needs to be written', () => {
  const up = monitorAfter(define(), eventOf('success', at('10:20'), 0));
  for (const monitor of [define(), up]) {
    assert.equal(monitorAfter(monitor, eventOf('check', at('10:30'), 0)), monitor);
    assert.equal(monitorAfter(monitor, eventOf('clock', at('10:30'), 0)), monitor);
  }
});

test('the duration of a run is from its last start to its end', () => {
  const ping = (before: Monitor, what: string, time: string): Monitor =>
    monitorAfter(before, eventOf(what, at(time), 0));
  let monitor = ping(define(), 'start', '10:20:00');
  assert.equal(monitor.lastPingAt, null, 'a start is not the end of a run');
  monitor = ping(monitor, 'start', '10:20:10');
  assert.equal(durationUntil(monitor, at('10:20:15')), 5_000);
  monitor = ping(monitor, 'success', '10:20:15');
  assert.deepEqual([monitor.lastPingAt, monitor.lastDurationMs], [at('10:20:15'), 5_000]);
  monitor = ping(monitor, 'success', '10:21:00');
  assert.deepEqual([monitor.lastPingAt, monitor.lastDurationMs], [at('10:21'), null]);
  monitor = ping(ping(monitor, 'start', '10:22:00'), 'fail', '10:23:00');
  assert.equal(monitor.lastDurationMs, 60_000);
  monitor = ping(ping(monitor, 'start', '10:25:00'), 'success', '10:24:00');
  assert.equal(monitor.lastDurationMs, null, 'a clock that was set back gives no duration');
});

function changed(before: Monitor, after: Monitor): string | null {
  const found = monitorChange(before, after);
  return found && `${found.monitor.id} ${found.from} ${found.to} ${timeOf(found.at)}`;
}

test('a health change is found, unless the monitor is paused', () => {
  const fresh = define();
  const up = monitorAfter(fresh, eventOf('success', at('10:20'), 0));
  const down = monitorAfter(up, eventOf('check', at('11:05'), 0));
  assert.equal(changed(fresh, up), 'the-id new up 10:20:00');
  assert.equal(changed(up, down), 'the-id up down 11:05:00');
  assert.equal(changed(down, up), 'the-id down up 10:20:00');
  assert.equal(changed(up, { ...up, nextDueAt: 0 }), null);
  const paused = changeMonitor(up, { action: 'pause' }, at('10:30'));
  assert.equal(changed(paused, monitorAfter(paused, eventOf('fail', at('10:31'), 0))), null);
});

test('a monitor knows since when it is up, late or down', () => {
  const since = (monitor: Monitor, time: string): string | null =>
    timeOf(statusSince(monitor, at(time)));
  const pinged = (monitor: Monitor, what: string, time: string): Monitor =>
    monitorAfter(monitor, eventOf(what, at(time), 0));
  const fresh = define(everyHour);
  assert.equal(statusSince(fresh, at('10:00')), null);
  const up = pinged(pinged(fresh, 'success', '10:05'), 'success', '10:30');
  assert.equal(since(up, '11:00'), '10:05:00', 'a further success changes nothing');
  assert.equal(since(up, '11:31'), '11:30:00', 'late since the ping was due');
  const down = pinged(up, 'check', '11:40');
  assert.equal(since(down, '11:50'), '11:40:00');
  assert.equal(since(pinged(down, 'fail', '11:45'), '11:50'), '11:40:00', 'still down');
  assert.equal(since(pinged(down, 'success', '11:55'), '12:00'), '11:55:00');
  assert.equal(
    statusSince(changeMonitor(down, { action: 'pause' }, at('12:00')), at('12:00')),
    null,
  );
});

test('a monitor is down because its task failed, or because no success came in time', () => {
  const up = monitorAfter(
    define({ ...everyHour, graceSeconds: 600 }),
    eventOf('success', at('10:00'), 0),
  );
  const missed = monitorAfter(up, eventOf('check', at('11:10'), 0));
  const failed = monitorAfter(up, eventOf('fail', at('10:30'), 0));
  const both = monitorAfter(missed, eventOf('fail', at('11:20'), 0));
  assert.deepEqual([up, missed, failed, both].map(downReason), [null, 'missed', 'fail', 'fail']);
  // What it expects from now on is another matter.
  const resumed = changeMonitor(
    changeMonitor(missed, { action: 'pause' }, at('12:00')),
    { action: 'resume' },
    at('12:05'),
  );
  assert.deepEqual([downReason(resumed), resumed.missedDueAt], ['missed', at('11:00')]);
  assert.equal(downReason({ ...missed, lastPingAt: at('11:30') }), 'missed', 'by a clock set back');
  assert.equal(downReason({ ...missed, paused: true }), null);
});

test('while a monitor is down, each due time without a ping counts once its grace is over', () => {
  const cron = { ...hourly, graceSeconds: 600 };
  for (const settings of [cron, { ...everyHour, graceSeconds: 600 }]) {
    const up = monitorAfter(define(settings), eventOf('success', at('10:00'), 0));
    assert.equal(missedPings(up, at('11:05')), 0, 'late');
    const down = monitorAfter(up, eventOf('check', at('11:10'), 0));
    const counts = ['11:10', '12:09', '12:10', '14:30'].map((time) => missedPings(down, at(time)));
    assert.deepEqual(counts, [1, 1, 2, 4]);
    const failed = monitorAfter(up, eventOf('fail', at('10:30'), 0));
    assert.equal(missedPings(failed, at('10:59')), 0, 'down, and nothing is due');
  }
});

test('the ending of a ping URL gives its kind', () => {
  const rows: [words: string | undefined, kind: string, exitCode: number | null][] = [
    [undefined, 'success', null],
    ['start', 'start', null],
    ['fail', 'fail', null],
    ['0', 'success', 0],
    ['1', 'fail', 1],
    ['255', 'fail', 255],
  ];
  for (const [words, kind, exitCode] of rows) {
    assert.deepEqual(pingSignal(words), { kind, exitCode }, words);
  }
  const others = ['', '256', '-1', '01', '1.0', ' 1', '1e1', 'Start', 'success', 'log', '999'];
  for (const words of others) assert.equal(pingSignal(words), null, words);
});

test('a name makes a monitor that expects an hourly ping in Europe/Paris', () => {
  const now = at('10:00:12.345');
  const ids = { id: 'the-id', workspaceId: 'the-workspace', pingId: 'the-ping-id' };
  assert.deepEqual(defineMonitor({ name: 'a' }, { ...ids, now }), {
    ...ids,
    name: 'a',
    scheduleType: 'cron',
    cronExpr: '0 * * * *',
    timezone: 'Europe/Paris',
    periodSeconds: null,
    graceSeconds: 300,
    labels: null,
    notes: '',
    paused: false,
    health: 'new',
    healthSince: null,
    missedDueAt: null,
    nextDueAt: null,
    nextCheckAt: null,
    startedAt: null,
    lastPingAt: null,
    lastDurationMs: null,
    createdAt: now,
  });
});

test('invalid input is refused and named', () => {
  const rows: [input: Partial<MonitorInput>, words: RegExp][] = [
    [{ name: ' \t' }, /^name must not be blank/],
    [{ cronExpr: '61 * * * *' }, /^cronExpr: the minute field/],
    [{ cronExpr: '0 0 30 2 *' }, /^cronExpr never fires/],
    [{ timezone: '+02:00' }, /^timezone must be an IANA name/],
    [{ scheduleType: 'period' }, /^periodSeconds is required/],
    [{ scheduleType: 'period', periodSeconds: 59 }, /^periodSeconds must be between 60/],
    [{ graceSeconds: -1 }, /^graceSeconds must be between 0 and 86400, got -1/],
    [{ graceSeconds: 86_401 }, /^graceSeconds must be between 0 and 86400, got 86401/],
  ];
  for (const [input, words] of rows) {
    const refused = (error: unknown): boolean =>
      error instanceof JobdError && error.code === 'invalid_input' && words.test(error.message);
    assert.throws(() => define(input), refused, JSON.stringify(input));
    assert.throws(() => changeMonitor(define(), input, 0), refused, JSON.stringify(input));
  }
  assert.equal(define({ graceSeconds: 0 }).graceSeconds, 0);
  assert.equal(define({ timezone: 'europe/berlin' }).timezone, 'Europe/Berlin');
});
