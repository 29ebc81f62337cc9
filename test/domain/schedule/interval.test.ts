import assert from 'node:assert/strict';
import test from 'node:test';
import { smallestInterval } from '../../../src/domain/schedule/interval.ts';

const minute = 60;
const day = 86_400;
const cases: readonly (readonly [string, number])[] = [
  ['* * * * *', minute],
  ['*/5 * * * *', 5 * minute],
  ['*/7 * * * *', 4 * minute],
  ['0,1 0 1 1 *', minute],
  ['0 * * * *', 60 * minute],
  ['0,59 0,23 * * *', minute],
  ['59 0,23 * * *', 60 * minute],
  ['0 0 * * *', day],
  ['0 0 1,15 * *', 14 * day],
  ['0 0 1,31 * *', day],
  ['0 0 * * 1,5', 3 * day],
  ['0 0 1 * *', 28 * day],
  ['0 0 1 1 *', 365 * day],
  ['0 0 29 2 *', 1461 * day],
];

for (const [cronExpr, seconds] of cases) {
  void test(`"${cronExpr}" is due at most every ${seconds} s`, () => {
    const schedule = { scheduleType: 'cron', cronExpr, timezone: 'UTC' } as const;
    assert.equal(smallestInterval(schedule), seconds);
  });
}

void test('the smallest gap of a period is the period itself', () => {
  assert.equal(smallestInterval({ scheduleType: 'period', periodSeconds: 61, anchorAt: 0 }), 61);
});
