/**
 * Damping: rare changes raise an alert at once, frequent ones only their last state, with a bounded
 * number of alerts.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each } from '../../support/each.ts';
import * as fc from '../../support/fast-check.ts';
import type { HealthChange } from '../../../src/domain/alerts/health-change.ts';
import { afterChange, dueAt, release } from '../../../src/domain/alerts/damping.ts';
import type { AlertState } from '../../../src/domain/alerts/damping.ts';

const second = 1_000;
const minute = 60 * second;

function healthChange(isUp: boolean, at: number): HealthChange {
  const type = isUp ? 'monitor.up' : 'monitor.down';
  const ids = { id: `e${at}`, workspaceId: 'w', subjectId: 's', runId: null };
  return { ...ids, type, failures: isUp ? 0 : 1, data: {}, at };
}

/** Simulates changes, down first, each this long after the previous one; then an hour passes. */
function alertsOf(waitsMs: readonly number[]) {
  let now = 0;
  let state: AlertState | undefined;
  const alerts: { type: string; at: number; changedAt: number }[] = [];
  const note = (alert: HealthChange | null, at: number): void => {
    if (alert !== null) alerts.push({ type: alert.type, at, changedAt: alert.at });
  };
  const passUntil = (until: number): void => {
    while (state !== undefined) {
      const at = dueAt(state);
      if (at === null || at > until) return;
      if (state.held === null) state = undefined;
      else {
        const released = release(state, at);
        state = released.state;
        note(released.alert, at);
      }
    }
  };
  for (const [index, waitMs] of waitsMs.entries()) {
    passUntil(now + waitMs);
    now += waitMs;
    const change = healthChange(index % 2 === 1, now);
    if (state === undefined && index % 2 === 1) continue;
    const damped = afterChange(state, change, now);
    state = damped.state;
    note(damped.alert, now);
  }
  passUntil(now + 60 * minute);
  return { alerts, left: state };
}

test('the first change raises an alert at once, and so does each one half a minute after an alert', () => {
  const { alerts } = alertsOf([0, 30 * second, 30 * second]);
  assert.deepEqual(each(alerts, 'type', 'at'), [
    ['monitor.down', 0],
    ['monitor.up', 30 * second],
    ['monitor.down', 60 * second],
  ]);
});

test('a job that alternates each minute: eleven alerts at once, then one in five minutes', () => {
  const { alerts } = alertsOf(Array.from({ length: 60 }, () => minute));
  const late = alerts.map(({ at }) => at / minute - 1);
  assert.deepEqual(late.slice(0, 11), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.ok(late.slice(11).every((at, index) => at - (late[index + 10] ?? 0) >= 5));
  assert.ok(late.length <= 22, `${late.length}`);
});

test('changes five minutes apart each raise an alert at once, without end', () => {
  const { alerts } = alertsOf(Array.from({ length: 100 }, () => 5 * minute));
  assert.equal(alerts.length, 100);
  assert.ok(alerts.every(({ at, changedAt }) => at === changedAt));
});

test('a thousand changes within a second raise one alert, and the last state half a minute later', () => {
  const odd = alertsOf(Array.from({ length: 1_001 }, () => 1));
  assert.deepEqual(each(odd.alerts, 'type'), ['monitor.down']);
  const even = alertsOf(Array.from({ length: 1_000 }, () => 1));
  assert.deepEqual(even.alerts, [
    { type: 'monitor.down', at: 1, changedAt: 1 },
    { type: 'monitor.up', at: 30 * second + 1, changedAt: 1_000 },
  ]);
});

test('after a quarter of an hour without a change the count restarts, and no state is kept', () => {
  const often = Array.from({ length: 40 }, () => 20 * second);
  const { alerts, left } = alertsOf([...often, 15 * minute, 30 * second]);
  const [last, next] = [alerts.at(-2), alerts.at(-1)];
  assert.deepEqual(
    [last?.changedAt === last?.at, (next?.at ?? 0) - (last?.at ?? 0)],
    [true, 30 * second],
  );
  assert.equal(left, undefined);
});

test('for any changes: alerts alternate, the last state is alerted, and none comes within a window', () => {
  const waits = fc.array(fc.integer({ min: 1, max: 10 * minute }), { maxLength: 100 });
  const flapping = fc.array(fc.integer({ min: 1, max: minute }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.oneof(waits, flapping), (waitsMs) => {
      const { alerts } = alertsOf(waitsMs);
      for (const [index, { type }] of alerts.entries()) {
        assert.equal(type, index % 2 === 0 ? 'monitor.down' : 'monitor.up');
      }
      assert.equal(alerts.length % 2, waitsMs.length % 2, 'the last state');
      for (const [index, { at }] of alerts.entries()) {
        const before = alerts[index - 1];
        assert.ok(before === undefined || at - before.at >= 30 * second);
        const eleven = alerts[index - 12];
        assert.ok(
          eleven === undefined || at - eleven.at >= 5 * minute,
          'at most twelve in five minutes',
        );
      }
    }),
  );
});

test('a clock that was set back delays an alert by at most one window', () => {
  const day = 24 * 60 * minute;
  const { state } = afterChange(undefined, healthChange(false, day), day);
  const { alert } = afterChange(state, healthChange(true, 0), 0);
  assert.equal(alert?.type, 'monitor.up');
});

test('what a channel knows already changes nothing: reminders and the count of alerts go on', () => {
  const { state } = afterChange(undefined, healthChange(false, 0), 0);
  const again = afterChange(state, healthChange(false, 55 * minute), 55 * minute);
  assert.deepEqual(again, { state, alert: null });
});
