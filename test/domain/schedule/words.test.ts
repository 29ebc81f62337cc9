/** Schedules in words: true to what is called, and never the same for different schedules. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseCron } from '../../../src/domain/schedule/cron.ts';
import { matchingDays } from '../../../src/domain/schedule/match.ts';
import type { CronFields } from '../../../src/domain/schedule/match.ts';
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
  '*/10 8-18 * * *': 'Every 10 minutes from 08:00 to 18:50',
  '*/7 8-18 * * *': 'Every 7 minutes in each hour from 08:00 to 18:56',
  '0 * * * *': 'Every hour at :00',
  '0,30 8-18 * * 1-5': 'Every hour at :00 and :30 from 08:00 to 18:30, Monday to Friday',
  '15 */2 * * *': 'Every 2 hours at :15 from 00:15',
  '0 */5 * * *': 'Every 5 hours at :00 from 00:00 in each day',
  '30 2 * * *': 'At 02:30, every day',
  '0 9,17 * * *': 'At 09:00 and 17:00, every day',
  '0 9 1 * 1': 'At 09:00, on the 1st or on Mondays',
  '0 9 */2 * 1': 'At 09:00, every 2nd day of the month from the 1st, only on Mondays',
  '0 0 L * *': 'At 00:00, on the last day of the month',
  '0 0 * * 5#2,1': 'At 00:00, on Mondays and the second Friday',
  '0 12 * 3-10 0,6': 'At 12:00, on Saturdays and Sundays, from March to October',
  '0 0 1 */3 *': 'At 00:00, on the 1st, in January, April, July and October',
  '1-40 3,5,9 * * *': '1-40 3,5,9 * * *',
};

test('a schedule reads as a sentence that says when it is due', () => {
  for (const [cronExpr, words] of Object.entries(sentences)) assert.equal(cron(cronExpr), words);
  assert.equal(period(60), 'Every minute');
  assert.equal(period(90), 'Every 90 seconds');
  assert.equal(period(129_600), 'Every 36 hours');
  assert.equal(period(86_400), 'Every day');
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

test('schedules with the same words are due at the same times, and the other way round', () => {
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
