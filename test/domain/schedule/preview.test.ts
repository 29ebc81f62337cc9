import assert from 'node:assert/strict';
import test from 'node:test';
import { preview } from '../../../src/domain/schedule/preview.ts';

/** Notes of a preview: promise, expression, zone, start, number of times, notes. */
const cases: readonly (readonly [string, string, string, string, number, readonly string[]])[] = [
  ['an ordinary day needs no note', '30 2 * * *', 'Europe/Paris', '2026-06-01', 5, []],
  [
    'a fixed time in a gap says when it runs instead',
    '30 2 * * *',
    'Europe/Paris',
    '2026-03-28',
    3,
    ['2026-03-29 02:30 does not exist in Europe/Paris; runs at 03:00 instead'],
  ],
  [
    'several fixed times in a gap say that they run once',
    '0,30 2 * * *',
    'Europe/Paris',
    '2026-03-28',
    4,
    ['2026-03-29 02:00 to 02:30 do not exist in Europe/Paris; runs once at 03:00 instead'],
  ],
  [
    'a time of a schedule with a star is said to be skipped',
    '*/30 2 * * *',
    'Europe/Paris',
    '2026-03-28',
    4,
    ['2026-03-29 02:00 to 02:30 do not exist in Europe/Paris; skipped'],
  ],
  [
    'a fixed time that comes twice says which one runs',
    '30 2 * * *',
    'Europe/Paris',
    '2026-10-24',
    3,
    ['2026-10-25 02:30 happens twice in Europe/Paris; runs at the first'],
  ],
  [
    'a step past the end of its field is no interval',
    '*/90 * * * *',
    'UTC',
    '2026-06-01',
    3,
    [
      '*/90 in the minute field is its first value alone: for every 90 minutes, set an interval instead',
    ],
  ],
  [
    'nor is one in a range, of days or of months',
    '0 8-18/36 */31 */12 *',
    'UTC',
    '2026-06-01',
    3,
    [
      '8-18/36 in the hour field is its first value alone: for every 36 hours, set an interval instead',
      '*/31 in the day-of-month field is its first value alone: for every 31 days, set an interval instead',
      '*/12 in the month field is its first value alone',
    ],
  ],
  ['a step in its field needs no note', '*/59 */23 */30 * */6', 'UTC', '2026-06-01', 3, []],
  ['nor one in a list', '0 0 */100,1-7 * mon', 'UTC', '2026-06-01', 3, []],
  [
    'a schedule with a star says that both run',
    '30 */2 * * *',
    'Europe/Paris',
    '2026-10-24T20:00',
    6,
    ['2026-10-25 02:30 happens twice in Europe/Paris; runs both times'],
  ],
  [
    'a change after the last listed time is not mentioned',
    '30 2 * * *',
    'Europe/Paris',
    '2026-10-20',
    3,
    [],
  ],
  [
    'a change before the start is not mentioned',
    '30 2 * * *',
    'Europe/Paris',
    '2026-03-29T01:00',
    3,
    [],
  ],
  [
    'a skipped day is noted with the date of the run',
    '0 6,9 * * *',
    'Pacific/Apia',
    '2011-12-29T12:00',
    3,
    [
      '2011-12-30 06:00 to 09:00 do not exist in Pacific/Apia; runs once at 2011-12-31 00:00 instead',
    ],
  ],
  [
    'both changes of a year are noted in order',
    '30 2 * * 0',
    'Europe/Paris',
    '2026-01-01',
    52,
    [
      '2026-03-29 02:30 does not exist in Europe/Paris; runs at 03:00 instead',
      '2026-10-25 02:30 happens twice in Europe/Paris; runs at the first',
    ],
  ],
];

for (const [promise, cronExpr, timezone, from, count, notes] of cases) {
  void test(`${promise} ("${cronExpr}")`, () => {
    const schedule = { scheduleType: 'cron', cronExpr, timezone } as const;
    const start = Date.parse(from.includes('T') ? `${from}Z` : from);
    const found = preview(schedule, start, count);
    assert.deepEqual(found.notes, notes);
    assert.equal(found.next.length, count);
  });
}

void test('a preview of a period has no notes', () => {
  const schedule = { scheduleType: 'period', periodSeconds: 300, anchorAt: 0 } as const;
  assert.deepEqual(preview(schedule, 0, 3), { next: [300_000, 600_000, 900_000], notes: [] });
});

void test('a preview of zero times is empty', () => {
  const schedule = { scheduleType: 'cron', cronExpr: '0 0 * * *', timezone: 'UTC' } as const;
  assert.deepEqual(preview(schedule, 0, 0), { next: [], notes: [] });
});

void test('a schedule that is never due is refused, one that ends has a note', () => {
  const schedule = {
    scheduleType: 'cron',
    cronExpr: '*/30 2 * 3 0L',
    timezone: 'Europe/Paris',
  } as const;
  const never = { name: 'JobdError', message: 'cronExpr never fires in Europe/Paris' };
  assert.throws(() => preview(schedule, Date.UTC(2026, 0, 1), 3), never);
  // In 1980 clocks in Paris changed in April.
  const until1980 = preview(schedule, Date.UTC(1980, 2, 30, 1, 15), 3);
  assert.deepEqual(until1980, {
    next: [Date.UTC(1980, 2, 30, 1, 30)],
    notes: ['not due again within the 41 years after that'],
  });
});

test('changes of the clocks before notBefore are not told', () => {
  const schedule = {
    scheduleType: 'cron',
    cronExpr: '30 2 * * *',
    timezone: 'Europe/Paris',
  } as const;
  const from = Date.parse('2026-06-01T00:00:00Z');
  const adjusted = { offsetMs: 0, from, until: Infinity, timezone: 'Europe/Paris' };
  const { notes } = preview({ ...schedule, adjusted }, Date.parse('2026-01-01T00:00:00Z'), 3);
  assert.deepEqual(notes, []);
});
