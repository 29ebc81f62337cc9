import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dueWords,
  graceEnd,
  momentsOf,
  monitorSentence,
} from '../../../src/dashboard/view/monitor-state.ts';
import type { MonitorState, MoreOfMonitor } from '../../../src/dashboard/view/monitor-state.ts';

const nowMs = Date.parse('2026-11-22T01:42:00.000Z');

function monitor(changes: Partial<MonitorState>): MonitorState {
  return {
    status: 'up',
    missedDueAt: null,
    nextDueAt: '2026-11-23T01:30:00.000Z',
    graceSeconds: 900,
    scheduleType: 'cron',
    timezone: 'Europe/Paris',
    ...changes,
  };
}

function sentence(changes: Partial<MonitorState>, more: Partial<MoreOfMonitor> = {}): string {
  return monitorSentence(monitor(changes), { nowMs, ...more });
}

const overdue = '2026-11-22T01:30:00.000Z';

test('a monitor that is up says since when, and when the next ping is due', () => {
  const since = '2026-11-19T01:42:00.000Z';
  assert.equal(
    sentence({}, { since }),
    'Up for 3 d. The next ping is due on Mon 23 Nov at 02:30 (Europe/Paris).',
  );
  assert.equal(
    sentence({ nextDueAt: '2026-11-22T02:00:00.000Z' }),
    'Up. The next ping is due at 03:00 (Europe/Paris).',
  );
  assert.equal(sentence({ nextDueAt: overdue }), 'Up. A ping is due now.');
  assert.equal(sentence({ nextDueAt: null }), 'Up. Its schedule has no further due time.');
});

test('a late monitor says when it goes down', () => {
  const late = { status: 'late', nextDueAt: overdue } as const;
  assert.equal(
    sentence(late),
    'Late: a ping was due at 02:30 (Europe/Paris). It goes down in 3 m if none comes.',
  );
  assert.equal(dueWords(monitor(late), nowMs), '12 m late, down in 3 m');
  // After an outage of jobd the grace counts from its end, which the page does not know.
  const after = nowMs + 3_600_000;
  assert.match(monitorSentence(monitor(late), { nowMs: after }), /It goes down soon if none comes/);
  assert.equal(dueWords(monitor(late), after), '1 h 12 m late');
});

test('a monitor that is down says for how long and why', () => {
  const since = '2026-11-21T23:38:00.000Z';
  assert.equal(
    sentence({ status: 'down', missedDueAt: '2026-11-21T23:23:00.000Z' }, { since }),
    'Down for 2 h 4 m: no successful ping since it was due at 00:23 (Europe/Paris). The next ping of a success makes it up again.',
  );
  const failed = { status: 'down' } as const;
  const fail = { kind: 'fail', exitCode: 12 } as const;
  assert.match(
    sentence(failed, { lastEnd: fail }),
    /^Down: its task reported a failure \(exit code 12\)\. /,
  );
  assert.match(sentence(failed), /^Down: its task reported a failure\. /);
  // The ping after a failure did not come either.
  assert.match(
    sentence({ ...failed, nextDueAt: overdue }, { lastEnd: { kind: 'fail', exitCode: null } }),
    /^Down: its task reported a failure\. /,
  );
  // It was paused and resumed, and then another ping did not come: it is down since the first.
  const again = { missedDueAt: '2026-11-21T23:23:00.000Z', nextDueAt: overdue };
  assert.match(
    sentence({ status: 'down', ...again }, { since }),
    /^Down for 2 h 4 m: no successful ping since it was due at 00:23 /,
  );
});

test('a new or paused monitor says what is expected', () => {
  const waits = { status: 'new', nextDueAt: null } as const;
  assert.equal(sentence(waits), 'Waiting for the first ping. Nothing is expected before it.');
  assert.equal(
    sentence({ status: 'new', nextDueAt: '2026-11-22T01:40:00.000Z' }),
    'A first run has begun. It must end at 02:55 (Europe/Paris) at the latest.',
  );
  assert.equal(
    sentence({ status: 'paused', nextDueAt: null }),
    'Paused. No ping is expected until it is resumed.',
  );
  assert.equal(dueWords(monitor(waits), nowMs), null);
});

test('time alone changes a monitor when a ping is due, and when its grace is over', () => {
  const due = Date.parse(overdue);
  assert.deepEqual(momentsOf(monitor({ nextDueAt: overdue })), [due, due + 900_000]);
  assert.deepEqual(momentsOf(monitor({ nextDueAt: overdue, graceSeconds: 0 })), [due]);
  assert.deepEqual(momentsOf(monitor({ nextDueAt: null })), []);
  assert.equal(graceEnd(monitor({ nextDueAt: overdue })), '2026-11-22T01:45:00.000Z');
  assert.equal(graceEnd(monitor({ nextDueAt: null })), null);
});

test('a period has no zone', () => {
  const text = sentence({ scheduleType: 'period', nextDueAt: '2026-11-22T01:50:00.000Z' });
  assert.match(text, /^Up\. The next ping is due at \d\d:\d\d\.$/);
});
