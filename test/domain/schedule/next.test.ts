/** Due times: properties of all of them, and of periods. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { dueBetween, nextDue } from '../../../src/domain/schedule/next.ts';

void test('a due time is strictly later, and a whole minute', () => {
  const schedule = { scheduleType: 'cron', cronExpr: '* * * * *', timezone: 'UTC' } as const;
  const minute = Date.UTC(2026, 6, 1, 12, 0);
  assert.equal(nextDue(schedule, minute - 1), minute);
  assert.equal(nextDue(schedule, minute), minute + 60_000);
  assert.equal(nextDue(schedule, minute + 59_999), minute + 60_000);
});

void test('29 February on a given weekday is found from any time within 400 years', () => {
  for (let weekday = 0; weekday < 7; weekday += 1) {
    // A step in the day-of-week field makes both day fields count.
    const cronExpr = `0 0 29 2 */${weekday === 0 ? 7 : weekday}`;
    const schedule = { scheduleType: 'cron', cronExpr, timezone: 'UTC' } as const;
    for (let year = 2000; year < 2400; year += 4) {
      assert.notEqual(nextDue(schedule, Date.UTC(year, 2, 1)), null, `${cronExpr} after ${year}`);
    }
  }
});

void test('a schedule whose only time is always in a gap is never due', () => {
  const schedule = {
    scheduleType: 'cron',
    cronExpr: '*/30 2 * 3 0L',
    timezone: 'Europe/Paris',
  } as const;
  assert.equal(nextDue(schedule, Date.UTC(2026, 0, 1)), null);
});

void test('a search ends at the last instant that a Date can represent', () => {
  const schedule = { scheduleType: 'cron', cronExpr: '0 0 1 1 *', timezone: 'UTC' } as const;
  assert.equal(nextDue(schedule, 8.64e15), null);
});

void test('zones with seconds, as before standard time, do not break the count', () => {
  for (const [timezone, at] of [
    ['Africa/Monrovia', Date.UTC(1972, 0, 7)],
    ['America/New_York', Date.UTC(1883, 10, 18)],
    ['Asia/Manila', Date.UTC(1844, 11, 30)],
  ] as const) {
    for (const cronExpr of ['* * * * *', '0 0 * * *', '*/7 * * * *', '0-59 0-23 * * *']) {
      const schedule = { scheduleType: 'cron', cronExpr, timezone } as const;
      const until = at + 3 * 86_400_000;
      let count = 0;
      for (let due = nextDue(schedule, at); due !== null && due <= until; count += 1) {
        const next = nextDue(schedule, due);
        assert.ok(next !== null && next > due && next % 60_000 === 0);
        due = next;
      }
      assert.equal(dueBetween(schedule, at, until)?.count, count, `${cronExpr} ${timezone}`);
    }
  }
});

void test('a period counts from its anchor, which is not due itself', () => {
  const anchorAt = Date.UTC(2026, 0, 1) + 123;
  const schedule = { scheduleType: 'period', periodSeconds: 90, anchorAt } as const;
  assert.equal(nextDue(schedule, anchorAt), anchorAt + 90_000);
  assert.equal(nextDue(schedule, anchorAt + 89_999), anchorAt + 90_000);
  assert.equal(nextDue(schedule, anchorAt + 90_000), anchorAt + 180_000);
  assert.equal(nextDue(schedule, anchorAt + 1e9 * 90_000), anchorAt + (1e9 + 1) * 90_000);
});

void test('a period with a future anchor is due in the same steps before it', () => {
  const anchorAt = Date.UTC(2027, 0, 1);
  const schedule = { scheduleType: 'period', periodSeconds: 90, anchorAt } as const;
  assert.equal(nextDue(schedule, anchorAt - 1), anchorAt);
  assert.equal(nextDue(schedule, anchorAt - 90_000), anchorAt);
  assert.equal(nextDue(schedule, anchorAt - 90_001), anchorAt - 90_000);
  assert.equal(nextDue(schedule, anchorAt - 1e9 * 90_000), anchorAt - (1e9 - 1) * 90_000);
  const aYearBefore = Date.UTC(2026, 0, 1);
  assert.deepEqual(dueBetween(schedule, aYearBefore, anchorAt), {
    first: aYearBefore + 90_000,
    last: anchorAt,
    count: (365 * 86_400) / 90,
  });
});

void test('a period is a number of seconds, independent of calendar and clock changes', () => {
  const anchorAt = Date.UTC(2027, 2, 1);
  const yearly = { scheduleType: 'period', periodSeconds: 31_536_000, anchorAt } as const;
  assert.equal(nextDue(yearly, anchorAt), Date.UTC(2028, 1, 29), '365 days, leap year or not');
  const daily = { ...yearly, periodSeconds: 86_400 };
  const noons = [26, 27, 28, 29].map((day) => Date.UTC(2027, 2, day));
  assert.deepEqual(
    noons.slice(0, -1).map((at) => nextDue(daily, at)),
    noons.slice(1),
  );
});

void test('due times of a period are counted after the start and up to the end', () => {
  const schedule = { scheduleType: 'period', periodSeconds: 60, anchorAt: 0 } as const;
  assert.deepEqual(dueBetween(schedule, 60_000, 240_000), {
    first: 120_000,
    last: 240_000,
    count: 3,
  });
  assert.deepEqual(dueBetween(schedule, -120_000, 60_000), {
    first: -60_000,
    last: 60_000,
    count: 3,
  });
  assert.equal(dueBetween(schedule, 60_000, 119_999), null);
  assert.equal(dueBetween(schedule, -59_999, -1), null);
  assert.equal(dueBetween(schedule, 240_000, 60_000), null);
});

void test('due times of a cron schedule are counted after the start and up to the end', () => {
  const schedule = { scheduleType: 'cron', cronExpr: '0 * * * *', timezone: 'UTC' } as const;
  const noon = Date.UTC(2026, 6, 1, 12);
  const hour = 3_600_000;
  assert.deepEqual(dueBetween(schedule, noon, noon + 2 * hour), {
    first: noon + hour,
    last: noon + 2 * hour,
    count: 2,
  });
  assert.equal(dueBetween(schedule, noon, noon), null);
  assert.equal(dueBetween(schedule, noon, noon + hour - 1), null);
  assert.equal(dueBetween(schedule, noon + hour, noon), null);
});

void test('a year of every minute is counted at once, clock changes included', () => {
  const begin = Date.UTC(2026, 0, 1);
  const end = Date.UTC(2027, 0, 1);
  const everyMinute = {
    scheduleType: 'cron',
    cronExpr: '* * * * *',
    timezone: 'Europe/Paris',
  } as const;
  assert.equal(dueBetween(everyMinute, begin, end)?.count, 365 * 1440);
  // Fixed: the gap's 60 times become the one at its end, the overlap's 60 run once.
  const listed = { ...everyMinute, cronExpr: '0-59 0-23 * * *' };
  assert.equal(dueBetween(listed, begin, end)?.count, 365 * 1440 - 60);
});
