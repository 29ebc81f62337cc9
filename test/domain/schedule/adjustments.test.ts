/** Due times that are adjusted (docs/behavior.md#spread-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../src/domain/id.ts';
import { copyOfJob, defineJob } from '../../../src/domain/jobs/job-input.ts';
import { readAdjustments, spreadOffset } from '../../../src/domain/schedule/adjustment-input.ts';
import { adjustmentsIn, none } from '../../../src/domain/schedule/adjustments.ts';
import { dueBetween, nextDue } from '../../../src/domain/schedule/next.ts';
import { ruleOf, scheduleOf, type Schedule } from '../../../src/domain/schedule/schedule.ts';
import * as fc from '../../support/fast-check.ts';

const hour = 3_600_000;
const anchorAt = Date.parse('2026-01-01T00:00:07Z');

/** Rules with due times near clock changes, often and rarely. */
const rules = fc.oneof(
  fc.record({
    scheduleType: fc.constant('cron' as const),
    cronExpr: fc.constantFrom(
      '30 2 * * *',
      '*/7 * * * *',
      '0 0 * * 0',
      '*/30 2 * * *',
      '0 9 1 * *',
    ),
    timezone: fc.constantFrom('UTC', 'Europe/Paris', 'Australia/Lord_Howe'),
    periodSeconds: fc.constant(null),
  }),
  fc.record({
    scheduleType: fc.constant('period' as const),
    cronExpr: fc.constant(null),
    timezone: fc.constant('UTC'),
    periodSeconds: fc.constantFrom(3_600, 5_400, 86_400),
  }),
);

const years = { min: Date.parse('2026-01-01T00:00:00Z'), max: Date.parse('2027-01-01T00:00:00Z') };

/** All due times after an instant, up to another one. */
function allDue(schedule: Schedule, after: number, until: number): number[] {
  const found: number[] = [];
  for (let at = nextDue(schedule, after); at !== null && at <= until; at = nextDue(schedule, at)) {
    found.push(at);
  }
  return found;
}

/** An instant of that year, or none. */
const bound = fc.option(fc.integer(years).map((at) => new Date(at).toISOString()));

test('adjusted due times are those of the rule, each later by the same time, within the bounds', () => {
  fc.assert(
    fc.property(
      rules,
      fc.option(fc.integer({ min: 1, max: 3_600 })),
      fc.tuple(bound, bound),
      fc.integer(years),
      fc.integer({ min: 0, max: 9 * 24 * hour }),
      (rule, spreadSeconds, [notBefore, end], after, length) => {
        const notAfter = notBefore !== null && end !== null && end <= notBefore ? null : end;
        const id = newId(after);
        const { adjustments } = readAdjustments(
          { spreadSeconds, notBefore, notAfter, runAt: null },
          { ...rule, id, adjustments: null },
          0,
        );
        const schedule = scheduleOf({ ...rule, anchorAt, adjustments });
        const offsetMs = spreadSeconds === null ? 0 : spreadOffset(id, spreadSeconds) * 1_000;
        assert.ok(offsetMs >= 0 && offsetMs <= (spreadSeconds ?? 0) * 1_000);
        const until = after + length;
        const isFirst = (at: number): boolean => rule.scheduleType === 'period' && at === anchorAt;
        const expected = allDue(ruleOf({ ...rule, anchorAt }), after - offsetMs, until)
          // A period is over once before.
          .filter((at) => offsetMs === 0 || !isFirst(at))
          .map((at) => at + offsetMs)
          .filter((at) => at <= until)
          .filter((at) => notBefore === null || at >= Date.parse(notBefore))
          .filter((at) => notAfter === null || at <= Date.parse(notAfter));
        assert.deepEqual(allDue(schedule, after, until), expected);
        const [first] = expected;
        assert.deepEqual(
          dueBetween(schedule, after, until),
          first === undefined ? null : { first, last: expected.at(-1), count: expected.length },
        );
      },
    ),
    { numRuns: 500 },
  );
});

test('a spread period is due first when it is over once, whenever that is computed', () => {
  const rule = { scheduleType: 'period', cronExpr: null, timezone: 'UTC', periodSeconds: 3_600 };
  const adjustments = JSON.stringify({ spreadSeconds: 600, offsetSeconds: 400 });
  const schedule = scheduleOf({ ...rule, scheduleType: 'period', anchorAt, adjustments });
  const first = anchorAt + hour + 400_000;
  const before = first - 2 * hour;
  assert.deepEqual(
    [before - 1, anchorAt, anchorAt + 1, anchorAt + 400_000].map((at) => nextDue(schedule, at)),
    [before, first, first, first],
  );
  assert.deepEqual(dueBetween(schedule, anchorAt, first), { first, last: first, count: 1 });
  assert.deepEqual(dueBetween(schedule, before - 1, first), {
    first: before,
    last: first,
    count: 2,
  });
  assert.deepEqual(dueBetween(schedule, before - 1, anchorAt + hour), {
    first: before,
    last: before,
    count: 1,
  });
  assert.equal(dueBetween(schedule, before, anchorAt + hour), null);
});

test('jobs are spread evenly', () => {
  const tenths = Array.from({ length: 10 }, () => 0);
  for (let made = 0; made < 2_000; made += 1) {
    const tenth = Math.floor(spreadOffset(newId(Date.parse('2026-03-02') + made), 599) / 60);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  assert.ok(Math.min(...tenths) > 120 && Math.max(...tenths) < 280, tenths.join(' '));
});

test('the offset that is kept stays, until the spread changes or the job is another one', () => {
  const adjusted = { id: newId(1), scheduleType: 'cron', periodSeconds: null, timezone: 'UTC' };
  const kept = JSON.stringify({ spreadSeconds: 600, offsetSeconds: 7 });
  const again = (spreadSeconds: number | null, adjustments: string | null) =>
    readAdjustments({ ...none, spreadSeconds }, { ...adjusted, adjustments }, 0).adjustments;
  assert.equal(again(600, kept), kept);
  assert.notEqual(again(601, kept), kept);
  assert.equal(again(null, kept), null);
});

test('a copy of a job, and one that is made again, are later by other times', () => {
  const known = { workspaceId: 'w', now: anchorAt, allowTargets: [] };
  const input = { name: 'a', url: 'https://example.com/', spreadSeconds: 3_600 };
  const [job, again] = ['1', '2'].map((id) => defineJob(input, { ...known, id }));
  assert.ok(job && again);
  const copy = copyOfJob(job, 'b', { ...known, id: '3' });
  const offsets = [job, again, copy].map(({ id, adjustments }) => {
    const { offsetSeconds } = adjustmentsIn(adjustments);
    assert.equal(offsetSeconds, spreadOffset(id, 3_600));
    return offsetSeconds;
  });
  assert.equal(new Set(offsets).size, 3);
});
