/** Due times worked out by hand, one clock change at a time. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { dueBetween, nextDue } from '../../../src/domain/schedule/next.ts';

/** A promise, the expression, the zone, an instant, and all due times in the 30 h after it. */
type Case = readonly [string, string, string, string, readonly string[]];

const cases: readonly Case[] = [
  [
    'a fixed time that does not exist runs at the first minute after the gap',
    '30 2 * * *',
    'Europe/Paris',
    '2026-03-28T12:00',
    ['2026-03-29T01:00'],
  ],
  [
    'several fixed times in one gap run once',
    '0,15,30,45 2 * * *',
    'Europe/Paris',
    '2026-03-28T12:00',
    ['2026-03-29T01:00'],
  ],
  [
    'a fixed time at the end of the gap does not run a second time for the gap',
    '0 2,3 * * *',
    'Europe/Paris',
    '2026-03-28T12:00',
    ['2026-03-29T01:00'],
  ],
  [
    'fixed times after the gap still run on their own',
    '10 2,3 * * *',
    'Europe/Paris',
    '2026-03-28T12:00',
    ['2026-03-29T01:00', '2026-03-29T01:10'],
  ],
  [
    'a range of hours counts as fixed times',
    '30 1-3 * * *',
    'Europe/Paris',
    '2026-03-28T12:00',
    ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30'],
  ],
  [
    'a fixed time in a gap does not run on a day that its date does not name',
    '30 2 28 3 *',
    'Europe/Paris',
    '2026-03-28T12:00',
    [],
  ],
  [
    'a schedule with a star gets nothing extra after a gap',
    '*/30 2 * * *',
    'Europe/Paris',
    '2026-03-28T12:00',
    [],
  ],
  [
    'an hourly schedule runs in every real hour of a gap day',
    '@hourly',
    'Europe/Paris',
    '2026-03-28T23:30',
    hoursFrom('2026-03-29T00:00', 30),
  ],
  [
    'a fixed time that comes twice runs at the first',
    '30 2 * * *',
    'Europe/Paris',
    '2026-10-24T12:00',
    ['2026-10-25T00:30'],
  ],
  [
    'a fixed time whose first pass is over waits for the next day',
    '30 2 * * *',
    'Europe/Paris',
    '2026-10-25T00:30',
    ['2026-10-26T01:30'],
  ],
  [
    'a schedule with a star runs in both passes',
    '30 */2 * * *',
    'Europe/Paris',
    '2026-10-24T22:15',
    [
      ['2026-10-24T22:30', '2026-10-25T00:30', '2026-10-25T01:30', '2026-10-25T03:30'],
      Array.from({ length: 12 }, (_, index) =>
        new Date(Date.UTC(2026, 9, 25, 5 + index * 2, 30)).toISOString().slice(0, 16),
      ),
    ].flat(),
  ],
  [
    'the end of an overlap runs once',
    '0 3 * * *',
    'Europe/Paris',
    '2026-10-24T12:00',
    ['2026-10-25T02:00'],
  ],
  [
    'Lord Howe: a gap of 30 minutes',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-03T00:00',
    ['2026-10-03T15:30'],
  ],
  [
    'Lord Howe: an overlap of 30 minutes',
    '0,45 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-04T00:00',
    ['2026-04-04T14:00', '2026-04-04T14:45'],
  ],
  [
    'Casablanca: clocks go back for Ramadan',
    '30 2 * * *',
    'Africa/Casablanca',
    '2025-02-22T12:00',
    ['2025-02-23T01:30'],
  ],
  [
    'Casablanca: clocks go forward after Ramadan',
    '30 2 * * *',
    'Africa/Casablanca',
    '2025-04-05T12:00',
    ['2025-04-06T02:00'],
  ],
  [
    'Sao Paulo: a day that begins at one',
    '0 0 * * *',
    'America/Sao_Paulo',
    '2018-11-03T12:00',
    ['2018-11-04T03:00'],
  ],
  [
    'Apia: a day that never was runs once, at the start of the next',
    '0 6,9,12 * * *',
    'Pacific/Apia',
    '2011-12-30T00:00',
    ['2011-12-30T10:00', '2011-12-30T16:00', '2011-12-30T19:00', '2011-12-30T22:00'],
  ],
  [
    'Apia: a schedule with a star has no runs for the missing day',
    '0 */12 * * *',
    'Pacific/Apia',
    '2011-12-29T12:00',
    ['2011-12-29T22:00', '2011-12-30T10:00'],
  ],
  [
    "St John's: offsets of half an hour",
    '30 2 * * *',
    'America/St_Johns',
    '2026-03-08T00:00',
    ['2026-03-08T05:30', '2026-03-09T05:00'],
  ],
  [
    "St John's: clocks that changed at one minute past midnight",
    '0,30 0 * * *',
    'America/St_Johns',
    '2010-03-14T00:00',
    ['2010-03-14T03:30', '2010-03-14T03:31', '2010-03-15T02:30', '2010-03-15T03:00'],
  ],
  [
    'Kathmandu: an offset of 5:45',
    '0 0 * * *',
    'Asia/Kathmandu',
    '2026-07-01T00:00',
    ['2026-07-01T18:15'],
  ],
  [
    'Kathmandu: a gap of 15 minutes at New Year',
    '5 0 * * *',
    'Asia/Kathmandu',
    '1985-12-31T00:00',
    ['1985-12-31T18:30'],
  ],
  [
    'Cairo: a gap at midnight',
    '30 0 * * *',
    'Africa/Cairo',
    '2026-04-23T00:00',
    ['2026-04-23T22:00'],
  ],
  [
    'Cairo: an overlap before midnight',
    '30 23 * * *',
    'Africa/Cairo',
    '2026-10-29T00:00',
    ['2026-10-29T20:30'],
  ],
  [
    'Beirut: a gap at midnight',
    '0 0 * * *',
    'Asia/Beirut',
    '2026-03-28T00:00',
    ['2026-03-28T22:00'],
  ],
  [
    'Troll: a gap of two hours runs once',
    '30 1,2 * * *',
    'Antarctica/Troll',
    '2026-03-28T12:00',
    ['2026-03-29T01:00'],
  ],
  [
    'Troll: an overlap of two hours runs each time once',
    '30 1,2 * * *',
    'Antarctica/Troll',
    '2026-10-24T12:00',
    ['2026-10-24T23:30', '2026-10-25T00:30'],
  ],
  [
    'Lisbon: a gap that ends with the year',
    '30 23 * * *',
    'Europe/Lisbon',
    '1911-12-31T12:00',
    ['1912-01-01T00:00'],
  ],
  [
    'Monrovia: an offset with seconds still gives whole minutes',
    '0 12 * * *',
    'Africa/Monrovia',
    '1971-06-01T00:00',
    ['1971-06-01T12:45'],
  ],
];

for (const [promise, cronExpr, timezone, after, expected] of cases) {
  void test(`${promise} ("${cronExpr}", ${timezone})`, () => {
    const schedule = { scheduleType: 'cron', cronExpr, timezone } as const;
    const from = Date.parse(`${after}Z`);
    const until = from + 30 * 3_600_000;
    const found: string[] = [];
    for (let at = nextDue(schedule, from); at !== null && at <= until; at = nextDue(schedule, at)) {
      found.push(new Date(at).toISOString().slice(0, 16));
      assert.ok(found.length < 100, 'there is an end');
    }
    assert.deepEqual(found, expected);
    const due = dueBetween(schedule, from, until);
    assert.equal(due?.count ?? 0, expected.length);
    if (due !== null) {
      assert.equal(new Date(due.first).toISOString().slice(0, 16), expected[0]);
      assert.equal(new Date(due.last).toISOString().slice(0, 16), expected.at(-1));
    }
  });
}

function hoursFrom(first: string, count: number): string[] {
  const start = Date.parse(`${first}Z`);
  return Array.from({ length: count }, (_, hour) =>
    new Date(start + hour * 3_600_000).toISOString().slice(0, 16),
  );
}

void test('a due time is strictly later, and a whole minute', () => {
  const schedule = { scheduleType: 'cron', cronExpr: '* * * * *', timezone: 'UTC' } as const;
  const minute = Date.UTC(2026, 6, 1, 12, 0);
  assert.equal(nextDue(schedule, minute - 1), minute);
  assert.equal(nextDue(schedule, minute), minute + 60_000);
  assert.equal(nextDue(schedule, minute + 59_999), minute + 60_000);
});

void test('29 February is found across 2100, which has none', () => {
  const schedule = { scheduleType: 'cron', cronExpr: '0 0 29 2 *', timezone: 'UTC' } as const;
  assert.equal(nextDue(schedule, Date.UTC(2096, 2, 1)), Date.UTC(2104, 1, 29));
});

void test('29 February on any given weekday is found at any time within 400 years', () => {
  for (let weekday = 0; weekday < 7; weekday += 1) {
    // A step in the day-of-week field makes both fields count.
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

void test('a search ends at the last instant that a date can hold', () => {
  const schedule = { scheduleType: 'cron', cronExpr: '0 0 1 1 *', timezone: 'UTC' } as const;
  assert.equal(nextDue(schedule, 8.64e15), null);
});

void test('clocks with seconds, as before standard time, do not stop the count', () => {
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

void test('an interval counts from its anchor, which is not due at itself', () => {
  const anchorAt = Date.UTC(2026, 0, 1) + 123;
  const schedule = { scheduleType: 'period', periodSeconds: 90, anchorAt } as const;
  assert.equal(nextDue(schedule, anchorAt), anchorAt + 90_000);
  assert.equal(nextDue(schedule, anchorAt + 89_999), anchorAt + 90_000);
  assert.equal(nextDue(schedule, anchorAt + 90_000), anchorAt + 180_000);
  assert.equal(nextDue(schedule, anchorAt + 1e9 * 90_000), anchorAt + (1e9 + 1) * 90_000);
});

void test('an interval whose anchor is still to come is due in the same steps before it', () => {
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

void test('due times of an interval are counted after the start and up to the end', () => {
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
