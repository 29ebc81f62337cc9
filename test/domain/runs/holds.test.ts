/** Holds: due times in them are neither called nor missed (docs/behavior.md#hold-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { isoTime } from '../../../src/domain/clock.ts';
import { holdsOf, isMadeUp, planDue, upcomingDueTime } from '../../../src/domain/runs/due.ts';
import { nextDue } from '../../../src/domain/schedule/next.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import { coveredUntil, type Window } from '../../../src/domain/windows.ts';
import { endAt, windowOf } from '../../support/records/window.ts';

const minute = 60_000;
const start = Date.parse('2026-03-02T10:00:00Z');

const schedules: fc.Arbitrary<Schedule> = fc.oneof(
  fc
    .constantFrom('* * * * *', '*/7 * * * *', '30 * * * *', '0 12 * * *')
    .map((cronExpr) => ({ scheduleType: 'cron', cronExpr, timezone: 'UTC' }) as const),
  fc
    .integer({ min: 60, max: 9_000 })
    .map(
      (periodSeconds) => ({ scheduleType: 'period', periodSeconds, anchorAt: start + 17 }) as const,
    ),
);

const once = fc
  .record({
    from: fc.integer({ min: -60, max: 1_200 }),
    lasts: fc.integer({ min: 1, max: 600 }),
    endsAfter: fc.option(fc.integer({ min: 0, max: 600 })),
  })
  .map(({ from, lasts, endsAfter }) => {
    const at = start + from * minute;
    const endedAt = endsAfter === null ? null : isoTime(at + endsAfter * minute);
    return windowOf('hold', at, at + lasts * minute, { endedAt });
  });
const recurring = fc
  .record({
    cronExpr: fc.constantFrom('0 */2 * * *', '50 * * * *', '0 9 * * *'),
    durationSeconds: fc.integer({ min: 60, max: 3_000 }),
  })
  .map((times) => windowOf('hold', start, start, { ...times, from: null, until: null }));
const holds: fc.Arbitrary<Window[]> = fc.array(fc.oneof(once, recurring), { maxLength: 3 });

test('each due time of an outage is called, missed or held, each once, and held if it is in a hold', () => {
  const outage = fc.integer({ min: 0, max: 1_500 * minute });
  fc.assert(
    fc.property(schedules, holds, outage, (schedule, windows, lasted) => {
      const first = nextDue(schedule, start) ?? assert.fail();
      const now = first + lasted;
      const seen: string[] = [];
      let turns = 0;
      for (let next: number | null = first; next !== null && next <= now; turns += 1) {
        const plan = planDue(schedule, next, now, null, windows);
        const stretches = [
          ['missed', plan.missed],
          ['held', plan.held],
          ['called', plan.dueAt === null ? null : { first: plan.dueAt, last: plan.dueAt }],
        ] as const;
        for (const [what, times] of stretches) {
          if (times === null || times === undefined) continue;
          for (let at: number | null = times.first; at !== null && at <= times.last;) {
            seen.push(`${at} ${what}`);
            at = nextDue(schedule, at);
          }
        }
        next = plan.nextRunAt;
      }
      const wanted: string[] = [];
      for (let at: number | null = first; at !== null && at <= now; at = nextDue(schedule, at)) {
        const isLate = at < now - minute;
        wanted.push(`${at} ${endAt(windows, at) !== null ? 'held' : isLate ? 'missed' : 'called'}`);
      }
      assert.deepEqual(seen, wanted);
      assert.ok(turns <= 5 + wanted.length);
    }),
  );
});

test('what is missed before a hold is not made up for in it, nor if what follows was held', () => {
  const hourly: Schedule = { scheduleType: 'cron', cronExpr: '0 * * * *', timezone: 'UTC' };
  const due = start;
  const madeUp = (now: number, hold: Window) => {
    const plan = planDue(hourly, due, now, null, [hold]);
    return isMadeUp(plan, { makeUpSeconds: 36_000, now, busyUntil: null, holds: [hold] });
  };
  const hold = windowOf('hold', due + 30 * minute, due + 90 * minute);
  assert.equal(madeUp(due + 29 * minute, hold), true);
  assert.equal(madeUp(due + 31 * minute, hold), false);
  assert.equal(madeUp(due + 100 * minute, hold), false);
});

test('one-time jobs are not held, and a renewal comes before a hold', () => {
  const all = windowOf('hold', start - minute, start + 600 * minute);
  const single: Schedule = { scheduleType: 'once', at: start, timezone: 'UTC' };
  assert.deepEqual(holdsOf(single, [all]), []);
  const everyMinute: Schedule = { scheduleType: 'cron', cronExpr: '* * * * *', timezone: 'UTC' };
  const renewed = planDue(everyMinute, start, start + 3 * minute, start + 1, [all]);
  assert.deepEqual(renewed, { missed: null, dueAt: null, nextRunAt: start + minute });
});

test('people see the due time after all holds that follow each other', () => {
  const job = {
    scheduleType: 'cron',
    cronExpr: '*/10 * * * *',
    timezone: 'UTC',
    periodSeconds: null,
    anchorAt: 0,
    adjustments: null,
    activeRunId: null,
    nextRunAt: start,
  } as const;
  const seen = (...windows: Window[]) => upcomingDueTime(job, start, windows);
  const first = windowOf('hold', start, start + 25 * minute);
  const second = windowOf('hold', start + 25 * minute, start + 40 * minute);
  assert.equal(seen(), start);
  assert.equal(seen(first), start + 30 * minute);
  assert.equal(seen(second, first), start + 40 * minute, 'until is not in it');
  const always = windowOf('hold', start, start, {
    from: null,
    until: null,
    cronExpr: '55 * * * *',
    durationSeconds: 3_540,
  });
  assert.equal(seen(always), null);
});

test('what is known of when windows are on does not depend on what was asked before', () => {
  const instants = fc.array(fc.integer({ min: -300, max: 3_000 }), { maxLength: 40 });
  fc.assert(
    fc.property(holds, instants, (windows, minutes) => {
      for (const at of minutes.map((some) => start + some * minute)) {
        let until = endAt(windows, at);
        for (let end = until; end !== null; end = endAt(windows, end)) until = end;
        assert.equal(coveredUntil(windows, at), until, isoTime(at));
        const others = windows.slice(1);
        assert.equal(coveredUntil(others, at) === null, endAt(others, at) === null);
      }
    }),
  );
});

test('holds are looked at once for many jobs, not for each', () => {
  let reads = 0;
  const always = Array.from({ length: 20 }, (_, index) => {
    const times = { from: null, until: null, durationSeconds: 3_500 };
    const hold = windowOf('hold', start, start, { ...times, cronExpr: `${index * 3} * * * *` });
    const { cronExpr } = hold;
    return Object.defineProperty(hold, 'cronExpr', { get: () => ((reads += 1), cronExpr) });
  });
  const ask = (count: number): number => {
    reads = 0;
    for (let index = 0; index < count; index++) {
      assert.notEqual(coveredUntil(always, start + index * 7 * minute), null);
    }
    return reads;
  };
  const first = ask(1);
  assert.ok(first > 0);
  const jobs = 200;
  assert.ok(ask(jobs) <= jobs * 2, 'twice for each, of twenty windows');
});
