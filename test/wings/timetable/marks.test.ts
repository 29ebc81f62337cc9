/** The marks of a row say what a preview says, and what ran (docs/behavior.md#timetable-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { nextDue } from '../../../src/domain/schedule/next.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import {
  dueMarks,
  addRuns,
  type DueMark,
  type MarkedRun,
  type RunMark,
} from '../../../src/wings/timetable/marks.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const cronExprs = [
  '* * * * *',
  '*/5 * * * *',
  '*/7 * * * *',
  '*/15 * * * *',
  '*/16 * * * *',
  '0 * * * *',
  '30 2 * * *',
  '*/5 2 * * *',
  '*/10 9-17 * * MON-FRI',
  '0-10,50-59 * * * *',
  '0,15,30,45 1-3 * * *',
  '* 0-22 * * *',
  '*/14 0,12 * * *',
  '0 0 1 1 *',
  '*/3 */2 * * *',
];
// The clocks change by half an hour in the last one, and by an hour in the others.
const timezone = fc.constantFrom('UTC', 'Europe/Paris', 'America/New_York', 'Australia/Lord_Howe');
const rule: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({
    scheduleType: fc.constant('cron' as const),
    cronExpr: fc.constantFrom(...cronExprs),
    timezone,
  }),
  fc.record({
    scheduleType: fc.constant('period' as const),
    periodSeconds: fc.constantFrom(60, 61, 300, 420, 900, 901, 3_600, 86_400),
    anchorAt: fc.integer({ min: 0, max: day }),
  }),
);
/** Most clocks of these zones change in one of these weeks. */
const begin = fc
  .tuple(
    fc.constantFrom(
      '2026-03-06',
      '2026-03-27',
      '2026-04-03',
      '2026-10-02',
      '2026-10-23',
      '2026-10-30',
    ),
    fc.integer({ min: 0, max: 3 * day }),
  )
  .map(([date, later]) => Date.parse(date) + later);
const spread = fc.option(fc.integer({ min: 0, max: 3_600 }), { nil: undefined });

/** All due times in a period, one by one. */
function dueTimes(schedule: Schedule, from: number, until: number): number[] {
  const found: number[] = [];
  for (
    let at = nextDue(schedule, from - 1);
    at !== null && at <= until;
    at = nextDue(schedule, at)
  ) {
    found.push(at);
  }
  return found;
}

test('marks have each due time once, and what is one mark has no gap of more than 15 minutes', () => {
  fc.assert(
    fc.property(rule, begin, spread, fc.integer({ min: 1, max: 7 }), (of, from, offset, days) => {
      const adjusted = offset && {
        offsetMs: offset * 1_000,
        from: from + hour,
        until: from + 5 * day,
        timezone: 'UTC',
      };
      const schedule = adjusted ? { ...of, adjusted } : of;
      const until = from + days * day;
      const all = dueTimes(schedule, from, until);
      const [first] = all;
      if (first === undefined) return;
      const { due, computed, isPartial } = dueMarks(schedule, first, { until, most: 1_000_000 });
      assert.ok(!isPartial && computed <= all.length + 20 * due.length);
      const left = [...all];
      for (const mark of due) {
        const times = left.splice(0, mark.count);
        assert.deepEqual([mark.at, mark.until], [times.at(0), times.at(-1)]);
        const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
        assert.ok(
          Math.max(0, ...gaps) <= 15 * minute,
          `a gap of ${Math.max(...gaps) / minute} minutes`,
        );
      }
      assert.deepEqual(left, []);
      for (const [index, { at }] of due.entries()) {
        assert.ok(index === 0 || at - (due[index - 1]?.until ?? 0) > 15 * minute, 'they are apart');
      }
    }),
  );
});

test('a job that is due each minute costs no more in a week than in a few hours', () => {
  const schedule = { scheduleType: 'cron', cronExpr: '* * * * *', timezone: 'UTC' } as const;
  const { due, computed } = dueMarks(schedule, 0, { until: 7 * day, most: 50_000 });
  assert.deepEqual(due, [{ at: 0, until: 7 * day, count: 7 * 1_440 + 1 }]);
  assert.ok(computed < 200, `${computed} due times`);
});

test('what is too much is left out, and said', () => {
  const schedule = { scheduleType: 'cron', cronExpr: '0 * * * *', timezone: 'UTC' } as const;
  const { due, isPartial } = dueMarks(schedule, 0, { until: day, most: 10 });
  assert.equal(isPartial, true);
  assert.deepEqual(
    due.map(({ at }) => at),
    Array.from({ length: 10 }, (_, index) => index * hour),
  );
});

const run = (
  at: number,
  status: MarkedRun['status'],
  more: Partial<MarkedRun> = {},
): MarkedRun => ({
  id: `${at} ${status}`,
  status,
  scheduledFor: at,
  durationMs: 5,
  lastDueAt: null,
  missedCount: null,
  ...more,
});

test('runs of one status that follow each other closely are one mark, with the newest of them', () => {
  const newest = [
    run(0, 'success'),
    run(15 * minute, 'success'),
    run(20 * minute, 'failed'),
    run(25 * minute, 'missed', { lastDueAt: 90 * minute, missedCount: 14, durationMs: null }),
    run(95 * minute, 'success'),
    run(111 * minute, 'success', { durationMs: 7 }),
  ].toReversed();
  // Read in any portions, they are the same marks.
  for (let first = 0; first <= newest.length; first += 1) {
    const marks: RunMark[] = [];
    for (const read of [newest.slice(0, first), newest.slice(first)]) addRuns(marks, read);
    checkMarks(marks.toReversed());
  }
});

function checkMarks(marks: RunMark[]): void {
  const shown = ({ at, until, count }: DueMark) => [at / minute, until / minute, count];
  assert.deepEqual(
    marks.map((mark) => [mark.status, ...shown(mark), mark.durationMs]),
    [
      ['success', 0, 15, 2, 5],
      ['failed', 20, 20, 1, 5],
      ['missed', 25, 90, 14, null],
      ['success', 95, 95, 1, 5],
      ['success', 111, 111, 1, 7],
    ],
  );
  assert.equal(marks[0]?.id, `${15 * minute} success`);
}
