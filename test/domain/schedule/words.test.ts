/** Schedules in words: true to what is called, and never the same for different schedules. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { parseCron } from '../../../src/domain/schedule/cron.ts';
import { matchingDays, type CronFields } from '../../../src/domain/schedule/match.ts';
import { cronWords, scheduleWords } from '../../../src/domain/schedule/words.ts';

const cron = (cronExpr: string): string =>
  scheduleWords({ scheduleType: 'cron', cronExpr, timezone: 'UTC' });
const period = (periodSeconds: number): string =>
  scheduleWords({ scheduleType: 'period', periodSeconds, anchorAt: 0 });

const sentences = {
  '* * * * *': 'Every minute',
  '*/5 * * * *': 'Every 5 minutes',
  '5/10 * * * *': 'Every 10 minutes from :05',
  '*/7 * * * *': 'Every 7 minutes from :00 in each hour',
  '10-50/10 * * * *': 'Every 10 minutes from :10 in each hour',
  '0-30/5 * * * *': 'Every 5 minutes from :00 to :30 in each hour',
  '0-9 * * * *': 'Every minute from :00 to :09 in each hour',
  '*/45 * * * *': 'Every hour at :00 and :45',
  '*/10 8-18 * * *': 'Every 10 minutes from 08:00 to 18:50',
  '*/10 20-23,0-5 * * *': 'Every 10 minutes from 00:00 to 05:50 and from 20:00 to 23:50',
  '*/7 8-18 * * *': 'Every 7 minutes from :00 in each hour, from 08:00 to 18:56',
  '*/25 9 * * *': 'Every 25 minutes from 09:00 to 09:50',
  '30-59 8 * * *': 'Every minute from 08:30 to 08:59',
  '@hourly': 'Every hour at :00',
  '0,30 8-18 * * 1-5': 'Every hour at :00 and :30 from 08:00 to 18:30, Monday to Friday',
  '15 */2 * * *': 'Every 2 hours from 00:15',
  '23 0-20/2 * * *': 'Every 2 hours from 00:23 to 20:23',
  '0 */5 * * *': 'At 00:00, 05:00, 10:00, 15:00 and 20:00, every day',
  '0,30 */2 * * *': 'At :00 and :30 of every 2nd hour from 00:00, every day',
  '0 2-23/2 * * *': 'Every 2 hours from 02:00 in each day',
  '30 2 * * *': 'At 02:30, every day',
  '@daily': 'At 00:00, every day',
  '0 8,12,16 * * *': 'At 08:00, 12:00 and 16:00, every day',
  '@weekly': 'At 00:00, on Sundays',
  '@monthly': 'At 00:00, on the 1st of each month',
  '@yearly': 'At 00:00, on the 1st of January',
  '0 9 1 * 1': 'At 09:00, on the 1st or on Mondays',
  '0 9 1,15 1 1': 'At 09:00, on the 1st and 15th or on Mondays, in January',
  '0 9 1-7 * 1': 'At 09:00, from the 1st to the 7th or on Mondays',
  '0 9 1-31 * 1': 'At 09:00, every day',
  '0 9 */2 * *': 'At 09:00, every 2 days from the 1st of each month',
  '0 9 */2 * 1': 'At 09:00, every 2 days from the 1st, only on Mondays',
  '0 9 31 * *': 'At 09:00, on the 31st of each month that has one',
  '0 9 29 2 *': 'At 09:00, on the 29th of February',
  '0 0 L * *': 'At 00:00, on the last day of each month',
  '0 0 1,L * *': 'At 00:00, on the 1st and the last day of each month',
  '0 0 L * 5': 'At 00:00, on the last day of the month or on Fridays',
  '0 0 * * 5L': 'At 00:00, on the last Friday of each month',
  '0 0 * 3-5 5#2': 'At 00:00, on the second Friday of each month from March to May',
  '0 0 * * 1#5': 'At 00:00, on the fifth Monday of each month that has one',
  '0 0 * 1 5#2,1': 'At 00:00, on Mondays and the second Friday of the month, in January',
  '0 12 * 3-10 0,6': 'At 12:00, on Saturdays and Sundays, from March to October',
  '0 12 * 3-10 *': 'At 12:00, every day from March to October',
  '0 0 1 */3 *': 'At 00:00, on the 1st of January, April, July and October',
  '* 1,4,6,9 * * *': '* 1,4,6,9 * * *',
};

const periods = [
  [60, 'Every minute'],
  [90, 'Every 90 seconds'],
  [5_400, 'Every 90 minutes'],
  [129_600, 'Every 36 hours'],
  [86_400, 'Every day'],
  [86_460, 'Every 1 day and 1 minute'],
  [100_000, 'Every 1 day, 3 hours, 46 minutes and 40 seconds'],
  [604_800, 'Every 7 days'],
] as const;

test('a schedule reads as a phrase that says when it is due', () => {
  for (const [cronExpr, words] of Object.entries(sentences)) assert.equal(cron(cronExpr), words);
  for (const [seconds, words] of periods) assert.equal(period(seconds), words);
});

/** An item of a field: alone, a range, or a step. */
function item(least: number, most: number): fc.Arbitrary<string> {
  const value = fc.integer({ min: least, max: most });
  return fc.oneof(
    fc.constant('*'),
    value.map(String),
    fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.integer({ min: 1, max: most - least + 1 }).map((step) => `*/${step}`),
    fc.tuple(value, fc.integer({ min: 1, max: 12 })).map(([from, step]) => `${from}/${step}`),
  );
}

const field = (least: number, most: number, ...more: string[]): fc.Arbitrary<string> =>
  fc
    .array(
      more.length === 0 ? item(least, most) : fc.oneof(item(least, most), fc.constantFrom(...more)),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((items) => items.join(','));

const expressions = fc
  .tuple(
    field(0, 59),
    field(0, 23),
    field(1, 31, 'L'),
    field(1, 12),
    field(0, 6, '5L', '1#2', '5#3'),
  )
  .map((fields) => fields.join(' '));

function parsed(cronExpr: string): CronFields | null {
  try {
    return parseCron(cronExpr);
  } catch {
    return null; // a date that never comes
  }
}

/** All that decides when it is due: minutes, hours, and the days of every kind of month. */
function meaning(fields: CronFields): string {
  const days = Array.from({ length: 40 * 12 }, (_, month) => matchingDays(fields, 360 + month));
  return JSON.stringify([fields.minutes, fields.hours, days]);
}

test('schedules with the same words are due at the same times', () => {
  const known = new Map<string, { cronExpr: string; due: string }>();
  fc.assert(
    fc.property(expressions, (cronExpr) => {
      const fields = parsed(cronExpr);
      const words = fields === null ? null : cronWords(fields);
      if (fields === null || words === null) return;
      const due = meaning(fields);
      const other = known.get(words) ?? { cronExpr, due };
      assert.equal(due, other.due, `"${words}" is ${cronExpr} and ${other.cronExpr}`);
      known.set(words, other);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(known.size > 300, 'too few of them had words for this to mean anything');
});

test('every period has words of its own', () => {
  const known = new Map<string, number>();
  const lengths = fc.oneof(
    fc.integer({ min: 60, max: 31_536_000 }),
    fc.integer({ min: 1, max: 8_760 }).map((hours) => hours * 3_600),
    fc.integer({ min: 1, max: 600 }).map((minutes) => minutes * 60),
  );
  fc.assert(
    fc.property(lengths, (seconds) => {
      const words = period(seconds);
      assert.equal(known.get(words) ?? seconds, seconds, words);
      known.set(words, seconds);
    }),
  );
});

test('however an expression is written, equal fields have equal words', () => {
  fc.assert(
    fc.property(expressions, fc.constantFrom(' ', '\t', '  '), (cronExpr, space) => {
      const fields = parsed(cronExpr);
      if (fields === null || cronWords(fields) === null) return;
      const doubled = cronExpr.split(' ').map((text) => `${text},${text}`);
      assert.equal(cron(doubled.join(space)), cron(cronExpr));
    }),
  );
});

test('"every N minutes" without an hour is said only where N divides the hour', () => {
  for (let step = 2; step < 60; step += 1) {
    const words = cron(`*/${step} * * * *`);
    const isPlain = /^Every \d+ minutes$/.test(words);
    assert.equal(isPlain, 60 % step === 0 && step < 30, `${step}: ${words}`);
  }
});

test('"or" stands between the days exactly where either of the two is enough', () => {
  fc.assert(
    fc.property(expressions, (cronExpr) => {
      const fields = parsed(cronExpr);
      const words = fields === null ? null : cronWords(fields);
      if (fields === null || words === null) return;
      const isEither = !fields.bothDaysMustMatch && fields.weekdays !== 0x7f;
      const restrictsDates = fields.daysOfMonth !== -2;
      assert.equal(words.includes(' or '), isEither && restrictsDates, `${cronExpr}: ${words}`);
    }),
  );
});
