/** Due times around clock changes, worked out by hand. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { dueBetween, nextDue } from '../../../src/domain/schedule/next.ts';
import { oddZones, type Case } from './odd-zones.ts';

const inParis: readonly Case[] = [
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
    'the first minute of a gap runs at its end',
    '0 2 * * *',
    'Europe/Paris',
    '2026-03-28T12:00',
    ['2026-03-29T01:00'],
  ],
  [
    'the last minute of a gap runs at its end',
    '59 2 * * *',
    'Europe/Paris',
    '2026-03-28T12:00',
    ['2026-03-29T01:00'],
  ],
  [
    'the minute before a gap runs as ever',
    '59 1 * * *',
    'Europe/Paris',
    '2026-03-28T12:00',
    ['2026-03-29T00:59'],
  ],
  [
    'the end of a gap, named alone, runs once',
    '0 3 * * *',
    'Europe/Paris',
    '2026-03-28T12:00',
    ['2026-03-29T01:00'],
  ],
  [
    'a star in the minutes alone gets nothing for the gap either',
    '*/30 1,2,3 * * *',
    'Europe/Paris',
    '2026-03-28T12:00',
    ['2026-03-29T00:00', '2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30'],
  ],
  [
    'a range of hours runs each of its times once in an overlap',
    '30 1-3 * * *',
    'Europe/Paris',
    '2026-10-24T12:00',
    ['2026-10-24T23:30', '2026-10-25T00:30', '2026-10-25T02:30'],
  ],
  [
    'the first and the last minute of an overlap run in its first pass',
    '0,59 2 * * *',
    'Europe/Paris',
    '2026-10-24T12:00',
    ['2026-10-25T00:00', '2026-10-25T00:59'],
  ],
  [
    'a star in the minutes alone runs in both passes',
    '*/30 2,3 * * *',
    'Europe/Paris',
    '2026-10-24T12:00',
    [
      ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30'],
      ['2026-10-25T02:00', '2026-10-25T02:30'],
    ].flat(),
  ],
  [
    'an hourly schedule runs in every real hour of an overlap day',
    '@hourly',
    'Europe/Paris',
    '2026-10-24T23:30',
    hoursFrom('2026-10-25T00:00', 30),
  ],
];

for (const [promise, cronExpr, timezone, after, expected] of [...inParis, ...oddZones]) {
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
