/** A schedule among the fields of a job or a monitor. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scheduleFieldsFor } from '../../../src/cli/schedule/schedule-options.ts';

const cron = { scheduleType: 'cron', timezone: 'UTC', periodSeconds: null } as const;

test('a schedule is shown as it was set, and in words if they say more', async () => {
  assert.deepEqual(await scheduleFieldsFor({ ...cron, cronExpr: '30 2 * * *' }), {
    schedule: '30 2 * * * UTC',
    when: 'At 02:30, every day',
  });
  const period = { ...cron, scheduleType: 'period', cronExpr: null, periodSeconds: 300 } as const;
  assert.deepEqual(await scheduleFieldsFor(period), { schedule: 'Every 5 minutes' });
  const withoutWords = '* 1,4,6,9 * * *';
  assert.deepEqual(await scheduleFieldsFor({ ...cron, cronExpr: withoutWords }), {
    schedule: `${withoutWords} UTC`,
  });
});

test('an expression that only another version knows is shown as it is', async () => {
  assert.deepEqual(await scheduleFieldsFor({ ...cron, cronExpr: '@fortnightly' }), {
    schedule: '@fortnightly UTC',
  });
});
