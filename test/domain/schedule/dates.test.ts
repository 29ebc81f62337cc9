/** On which dates a schedule is due, worked out by hand with a calendar. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { nextDue } from '../../../src/domain/schedule/next.ts';

/** A promise, the expression, the UTC date to start after, and the first due dates or times in UTC. */
type Case = readonly [string, string, string, readonly string[]];

const ofMonths: readonly Case[] = [
  [
    'the 31st is left out in shorter months',
    '0 0 31 * *',
    '2026-01-01',
    ['2026-01-31', '2026-03-31', '2026-05-31'],
  ],
  [
    'L is the last day of each month',
    '0 0 L * *',
    '2026-01-01',
    ['2026-01-31', '2026-02-28', '2026-03-31'],
  ],
  [
    'L in February follows the leap years',
    '0 0 L 2 *',
    '2027-01-01',
    ['2027-02-28', '2028-02-29', '2029-02-28'],
  ],
  [
    'L can be in a list with other days',
    '0 0 15,L * *',
    '2026-01-01',
    ['2026-01-15', '2026-01-31', '2026-02-15'],
  ],
  [
    '29 February waits for the next leap year',
    '0 0 29 2 *',
    '2026-01-01',
    ['2028-02-29', '2032-02-29', '2036-02-29'],
  ],
  ['2000 was a leap year', '0 0 29 2 *', '1999-01-01', ['2000-02-29', '2004-02-29']],
  ['2100 is no leap year', '0 0 29 2 *', '2096-03-01', ['2104-02-29', '2108-02-29']],
];

const ofWeeks: readonly Case[] = [
  ['Sunday is 0', '0 0 * * 0', '2026-01-01', ['2026-01-04', '2026-01-11']],
  ['Sunday is 7 too', '0 0 * * 7', '2026-01-01', ['2026-01-04', '2026-01-11']],
  [
    '5L is the last Friday of each month',
    '0 0 * * 5L',
    '2026-01-01',
    ['2026-01-30', '2026-02-27', '2026-03-27'],
  ],
  [
    '5#2 is the second Friday of each month',
    '0 0 * * 5#2',
    '2026-01-01',
    ['2026-01-09', '2026-02-13', '2026-03-13'],
  ],
  [
    '5#5 is left out in months of four Fridays',
    '0 0 * * 5#5',
    '2026-01-01',
    ['2026-01-30', '2026-05-29', '2026-07-31'],
  ],
  [
    'places in the month can be in a list',
    '0 0 * * 1#1,3#3',
    '2026-01-01',
    ['2026-01-05', '2026-01-21', '2026-02-02'],
  ],
];

const ofBothDays: readonly Case[] = [
  [
    'a date and a weekday: either is enough',
    '0 0 13 * 5',
    '2026-01-01',
    ['2026-01-02', '2026-01-09', '2026-01-13'],
  ],
  [
    'L and a weekday: either is enough',
    '0 0 L * 1',
    '2026-01-25',
    ['2026-01-26', '2026-01-31', '2026-02-02'],
  ],
  [
    '29 February and a weekday: either is enough',
    '0 0 29 2 1',
    '2026-01-01',
    ['2026-02-02', '2026-02-09', '2026-02-16'],
  ],
  [
    'a date and an nth weekday: either is enough',
    '0 0 1 * 5#2',
    '2026-01-01',
    ['2026-01-09', '2026-02-01', '2026-02-13'],
  ],
  [
    'a step of a star before the date: both must match',
    '0 0 */2 * 1',
    '2026-01-01',
    ['2026-01-05', '2026-01-19', '2026-02-09'],
  ],
  [
    'a step of a star for the weekday: both must match',
    '0 0 13 * */5',
    '2026-01-01',
    ['2026-02-13', '2026-03-13', '2026-09-13'],
  ],
  [
    'a star further on in a list does not count as one',
    '0 0 13,*/31 * 5',
    '2026-01-01',
    ['2026-01-02', '2026-01-09', '2026-01-13'],
  ],
];

const ofYearEnds: readonly Case[] = [
  [
    'the last minute of each year',
    '59 23 31 12 *',
    '2026-01-01',
    ['2026-12-31T23:59', '2027-12-31T23:59'],
  ],
  ['the first minute of each year', '@yearly', '2026-06-01', ['2027-01-01', '2028-01-01']],
  [
    'every half hour across New Year',
    '*/30 * * * *',
    '2026-12-31T23:15',
    ['2026-12-31T23:30', '2027-01-01', '2027-01-01T00:30'],
  ],
  [
    'Sundays across New Year',
    '0 0 * * sun',
    '2026-12-21',
    ['2026-12-27', '2027-01-03', '2027-01-10'],
  ],
  [
    'a month named before the present one comes next year',
    '0 0 1 2 *',
    '2026-03-01',
    ['2027-02-01', '2028-02-01'],
  ],
];

for (const [promise, cronExpr, after, expected] of [
  ofMonths,
  ofWeeks,
  ofBothDays,
  ofYearEnds,
].flat()) {
  void test(`${promise} ("${cronExpr}")`, () => {
    const schedule = { scheduleType: 'cron', cronExpr, timezone: 'UTC' } as const;
    let at = instantOf(after);
    const found = expected.map(() => {
      at = nextDue(schedule, at) ?? Number.NaN;
      return new Date(at).toISOString();
    });
    assert.deepEqual(
      found,
      expected.map((text) => new Date(instantOf(text)).toISOString()),
    );
  });
}

void test('a year ends in the time zone of the schedule', () => {
  const rows = [
    ['Pacific/Kiritimati', '2026-12-31T10:00'],
    ['Europe/Paris', '2026-12-31T23:00'],
    ['America/New_York', '2027-01-01T05:00'],
  ] as const;
  for (const [timezone, expected] of rows) {
    const schedule = { scheduleType: 'cron', cronExpr: '@yearly', timezone } as const;
    assert.equal(nextDue(schedule, Date.UTC(2026, 11, 30)), instantOf(expected), timezone);
  }
});

/** Midnight UTC of a date like `2026-01-31`. */
function instantOf(text: string): number {
  return Date.parse(text.includes('T') ? `${text}Z` : text);
}
