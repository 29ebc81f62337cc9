/** What the fields of a schedule and of lengths of time send. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, integer, property } from '../../support/fast-check.ts';
import {
  emptyInSchedule,
  isFilledIn,
  newSchedule,
  scheduleFields,
  scheduleForm,
} from '../../../src/dashboard/view/schedule-form.ts';
import { lengthOf, secondsOf } from '../../../src/dashboard/view/typed.ts';
import { scheduleFields as rows } from '../../../src/domain/schedule/fields.ts';

const at = '2026-12-01T08:00:00.000Z';
const period = (periodSeconds: number) =>
  ({ scheduleType: 'period', cronExpr: null, timezone: 'UTC', periodSeconds }) as const;

test('a period is shown in its largest whole unit', () => {
  const shown = [60, 90, 3600, 5400, 86_400, 172_800, 90_000].map((seconds) => {
    const { count, unit } = scheduleForm(period(seconds)).periodSeconds;
    return `${count} ${unit}`;
  });
  assert.deepEqual(shown, [
    '1 minutes',
    '90 seconds',
    '1 hours',
    '90 minutes',
    '1 days',
    '2 days',
    '25 hours',
  ]);
});

test('every period comes back as it was', () => {
  const { minimum: min, maximum: max } = rows.periodSeconds.rule;
  check(
    property(integer({ min, max }), (seconds) => {
      const { periodSeconds } = scheduleFields(scheduleForm(period(seconds)));
      return periodSeconds === seconds;
    }),
  );
});

test('only the fields of its kind are sent', () => {
  const typed = { ...newSchedule(' UTC '), cronExpr: ' @daily ' };
  assert.deepEqual(scheduleFields(typed), {
    scheduleType: 'cron',
    timezone: 'UTC',
    cronExpr: '@daily',
  });
  assert.ok(isFilledIn(typed) && !isFilledIn(newSchedule('UTC')));
});

test('one that is due once needs no other schedule, and keeps one that there is', () => {
  const once = { ...newSchedule('Europe/Paris'), isOnce: true };
  assert.deepEqual(emptyInSchedule(once), ['runAt']);
  assert.deepEqual(scheduleFields(once), { scheduleType: 'cron', timezone: 'Europe/Paris' });
  const kept = scheduleForm({ ...period(3600), timezone: 'Europe/Paris', runAt: at });
  assert.deepEqual([kept.isOnce, kept.runAt], [true, '2026-12-01T09:00']);
  assert.equal(scheduleFields(kept).periodSeconds, 3600);
  const exact = scheduleForm({ ...period(3600), runAt: '2026-12-01T08:00:07.000Z' });
  assert.equal(exact.runAt, '2026-12-01T08:00:07');
});

test('a length has its largest whole unit', () => {
  assert.deepEqual(lengthOf(0), { count: '0', unit: 'minutes' });
  assert.deepEqual(lengthOf(90), { count: '90', unit: 'seconds' });
  assert.deepEqual(lengthOf(300), { count: '5', unit: 'minutes' });
  assert.deepEqual(lengthOf(86_400), { count: '1', unit: 'days' });
});

test('what was typed becomes seconds; what is no number stays', () => {
  assert.equal(secondsOf({ count: ' 1,5 ', unit: 'minutes' }), 90);
  assert.equal(secondsOf({ count: '', unit: 'minutes' }), '');
  assert.equal(secondsOf({ count: 'soon', unit: 'days' }), 'soon');
});
