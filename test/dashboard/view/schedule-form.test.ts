/** What the fields of a schedule and of lengths of time send. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, integer, property } from '../../support/fast-check.ts';
import {
  isFilledIn,
  lengthOf,
  newSchedule,
  scheduleFields,
  scheduleForm,
  secondsOf,
} from '../../../src/dashboard/view/schedule-form.ts';
import { scheduleFields as rows } from '../../../src/domain/schedule/fields.ts';

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
