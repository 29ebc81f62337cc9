/** What the fields of a schedule send. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, integer, property } from '../../../support/fast-check.ts';
import {
  isFilledIn,
  newSchedule,
  sameTyped,
  scheduleFields,
  scheduleForm,
} from '../../../../src/dashboard/view/schedule/schedule-form.ts';
import { scheduleFields as rows } from '../../../../src/domain/schedule/fields.ts';

const period = (periodSeconds: number) =>
  ({ scheduleType: 'period', cronExpr: null, timezone: 'UTC', periodSeconds }) as const;

test('a period is shown in its largest whole unit', () => {
  const shown = [60, 90, 3600, 5400, 86_400, 172_800, 90_000].map((seconds) => {
    const { every, unit } = scheduleForm(period(seconds));
    return `${every} ${unit}`;
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

const secondsOf = (every: string) =>
  scheduleFields({ ...newSchedule('UTC'), scheduleType: 'period', every }).periodSeconds;

test('parts of a unit are seconds, and what is no number is left to the API', () => {
  assert.deepEqual([secondsOf('1.5'), secondsOf('1,1'), secondsOf(' 5 ')], [90, 66, 300]);
  assert.deepEqual([secondsOf('five'), secondsOf('')], ['five', '']);
});

test('only the fields of its kind are sent', () => {
  const typed = { ...newSchedule(' UTC '), cronExpr: ' @daily ', every: '5' };
  assert.deepEqual(scheduleFields(typed), {
    scheduleType: 'cron',
    timezone: 'UTC',
    cronExpr: '@daily',
  });
  assert.ok(isFilledIn(typed) && !isFilledIn(newSchedule('UTC')));
  assert.ok(sameTyped(typed, { ...typed, cronExpr: '@daily', every: '6' }));
  assert.ok(!sameTyped(typed, { ...typed, scheduleType: 'period' }));
});
