/** Called or missed: what happens to due times in the past (docs/behavior.md#schedule-4). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import {
  causeOfMissed,
  isMadeUp,
  planDue,
  type Circumstances,
  type Hindrance,
} from '../../../src/domain/runs/due.ts';
import { errorOf, readWhy, whyDocument, type Missed } from '../../../src/domain/runs/reason.ts';
import { dueBetween, nextDue } from '../../../src/domain/schedule/next.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';

const at = (text: string): number => Date.parse(text);
const due = at('2026-03-02T10:00:00Z');

function cron(cronExpr: string): Schedule {
  return { scheduleType: 'cron', cronExpr, timezone: 'UTC' };
}

const everyMinute = cron('* * * * *');
const hourly = cron('0 * * * *');

test('due times before a renewal are neither called nor missed, later ones are', () => {
  const renewedAt = due + 90_000;
  const plan = (now: number) => planDue(everyMinute, due, now, renewedAt);
  const nothing = { missed: null, dueAt: null };
  assert.deepEqual(plan(renewedAt), { ...nothing, nextRunAt: due + 120_000 });
  assert.deepEqual(plan(due + 120_000), {
    missed: null,
    dueAt: due + 120_000,
    nextRunAt: due + 180_000,
  });
  assert.deepEqual(plan(due + 240_001), {
    missed: { first: due + 120_000, last: due + 180_000, count: 2 },
    dueAt: due + 240_000,
    nextRunAt: due + 300_000,
  });
  const aheadOfTime = planDue(everyMinute, due, due, due + 3_600_000);
  assert.equal(aheadOfTime.dueAt, due, 'a clock that was ahead');
  assert.equal(planDue(everyMinute, due, due, due - 1).dueAt, due);
});

test('what is missed is made up for if its newest due time is, is not too long past, and the job was not at work', () => {
  // Also over both clock changes.
  const starts = fc.constantFrom(due, at('2026-03-28T12:00:00Z'), at('2026-10-24T12:00:00Z'));
  const rules = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('* * * * *', '*/7 * * * *', '30 2 * * *', '*/30 2 * * *', '0 0 1 * *'),
        fc.constantFrom('UTC', 'Europe/Paris'),
      )
      .map(([cronExpr, timezone]) => ({ ...cron(cronExpr), timezone })),
    fc
      .integer({ min: 60, max: 90_000 })
      .map(
        (seconds) => ({ scheduleType: 'period', periodSeconds: seconds, anchorAt: due }) as const,
      ),
    fc.constant('once' as const),
  );
  const ms = fc.integer({ min: 0, max: 700_000_000 });
  const spreads = fc.integer({ min: 0, max: 3_600 }).map((seconds) => seconds * 1_000);
  const adjustments = fc.option(fc.record({ offsetMs: spreads, from: ms, length: ms }));
  const bounds = fc.option(fc.integer({ min: 60, max: 604_800 }));
  const schedules = fc.tuple(starts, rules, adjustments).map(([start, rule, adjusted]) => {
    const timezone = 'Europe/Paris';
    if (rule === 'once') return { start, scheduleType: rule, at: start + 1, timezone };
    if (adjusted === null) return { start, ...rule };
    const { offsetMs, length } = adjusted;
    const from = start + adjusted.from;
    return { start, ...rule, adjusted: { offsetMs, from, until: from + length, timezone } };
  });
  fc.assert(
    fc.property(schedules, bounds, ms, fc.option(ms), (given, makeUpSeconds, lasted, busy) => {
      const { start, ...schedule } = given;
      const first = nextDue(schedule, start);
      fc.pre(first !== null);
      const now = first + lasted;
      const busyUntil = busy === null ? null : first + busy;
      const newest = dueBetween(schedule, first, now)?.last ?? first;
      const age = now - newest;
      assert.equal(
        isMadeUp(planDue(schedule, first, now), { makeUpSeconds, now, busyUntil }),
        makeUpSeconds !== null &&
          age > 60_000 &&
          age <= makeUpSeconds * 1_000 &&
          (busyUntil === null || busyUntil <= newest),
      );
    }),
    { numRuns: 400 },
  );
});

test('on time, the due time is called and the next one is scheduled', () => {
  assert.deepEqual(planDue(hourly, due, due), {
    missed: null,
    dueAt: due,
    nextRunAt: at('2026-03-02T11:00:00Z'),
  });
});

test('a due time is called up to 60 s late, and missed a millisecond later', () => {
  const nextRunAt = at('2026-03-02T11:00:00Z');
  assert.deepEqual(planDue(hourly, due, due + 60_000), { missed: null, dueAt: due, nextRunAt });
  assert.deepEqual(planDue(hourly, due, due + 60_001), {
    missed: { first: due, last: due, count: 1 },
    dueAt: null,
    nextRunAt,
  });
});

test('a late call does not swallow the next due time', () => {
  assert.deepEqual(planDue(everyMinute, due, due + 60_000), {
    missed: null,
    dueAt: due,
    nextRunAt: due + 60_000,
  });
});

test('an outage is one missed run for all its due times; those at most 60 s past are called', () => {
  const now = at('2026-03-02T13:30:30Z');
  assert.deepEqual(planDue(everyMinute, due, now), {
    missed: { first: due, last: at('2026-03-02T13:29:00Z'), count: 210 },
    dueAt: at('2026-03-02T13:30:00Z'),
    nextRunAt: at('2026-03-02T13:31:00Z'),
  });
  assert.deepEqual(planDue(hourly, due, now), {
    missed: { first: due, last: at('2026-03-02T13:00:00Z'), count: 4 },
    dueAt: null,
    nextRunAt: at('2026-03-02T14:00:00Z'),
  });
});

test('a due time exactly 60 s past at the end of an outage is called, not missed', () => {
  const plan = planDue(everyMinute, due, at('2026-03-02T12:00:00Z'));
  assert.equal(plan.missed?.last, at('2026-03-02T11:58:00Z'));
  assert.equal(plan.dueAt, at('2026-03-02T11:59:00Z'));
  assert.equal(plan.nextRunAt, at('2026-03-02T12:00:00Z'));
});

test('periods are counted from their anchor through an outage', () => {
  const schedule: Schedule = { scheduleType: 'period', periodSeconds: 90, anchorAt: due - 90_000 };
  assert.deepEqual(planDue(schedule, due, due + 200_000), {
    missed: { first: due, last: due + 90_000, count: 2 },
    dueAt: due + 180_000,
    nextRunAt: due + 270_000,
  });
});

test('for any delay, no due time is lost or counted twice', () => {
  const schedules = fc.constantFrom(
    ...['* * * * *', '*/7 * * * *', '0,1,30 * * * *', '15 3 * * 1'].map(cron),
    { scheduleType: 'period', periodSeconds: 61, anchorAt: due - 17_000 } satisfies Schedule,
  );
  const delays = fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.integer({ max: 2e9, min: 0 }));
  fc.assert(
    fc.property(schedules, delays, (schedule, delayMs) => {
      const first = nextDue(schedule, due) ?? NaN;
      const now = first + delayMs;
      const { missed, dueAt, nextRunAt } = planDue(schedule, first, now);
      assert.ok(nextRunAt !== null);
      // Missed and called are all the due times before the scheduled one, in order.
      const until = dueBetween(schedule, first - 1, nextRunAt - 1);
      assert.equal((missed?.count ?? 0) + (dueAt === null ? 0 : 1), until?.count);
      assert.equal(missed?.first ?? dueAt, first);
      assert.equal(dueAt ?? missed?.last, until?.last);
      if (missed !== null) assert.ok(now - missed.last > 60_000, 'missed is over 60 s past');
      if (dueAt !== null)
        assert.ok(dueAt <= now && now - dueAt <= 60_000, 'called is at most 60 s');
      else assert.ok(nextRunAt > now, 'due times are called');
    }),
    { numRuns: 300 },
  );
});

function missedText(missed: Missed, circumstances: Circumstances): string | null {
  const { reason, ...hindered } = causeOfMissed(missed, circumstances);
  return errorOf({ reason, detail: null, httpStatus: null, missed: { ...missed, ...hindered } });
}

const now = due + 3_600_000;
const running = { busyUntil: null, servingSince: due - 1, now };
const notRunning = { busyUntil: null, servingSince: due + 1, now };

test('one missed due time is reported in the singular, several with their first and last', () => {
  assert.equal(
    missedText({ first: due, last: due, count: 1 }, notRunning),
    'missed: 1 due time, 2026-03-02T10:00:00.000Z: jobd was not running',
  );
  assert.equal(
    missedText({ first: due, last: due + 660_000, count: 12 }, notRunning),
    'missed: 12 due times from 2026-03-02T10:00:00.000Z to 2026-03-02T10:11:00.000Z: jobd was not running',
  );
});

test('the reason is the one that applied at the first missed due time', () => {
  const missed = { first: due, last: due, count: 1 };
  const rows = [
    [due + 1, due - 1, 'busy'],
    [due + 1, due + 1, 'busy'],
    [due, due - 1, 'late'],
    [due - 60_000, due, 'late'],
    [null, due + 1, 'not_running'],
    [due - 60_000, due + 1, 'not_running'],
  ] as const;
  for (const [busyUntil, servingSince, reason] of rows) {
    assert.equal(causeOfMissed(missed, { busyUntil, servingSince, now }).reason, reason);
  }
  assert.match(missedText(missed, running) ?? '', /: overload, /);
});

test('what kept jobd from starting anything is the reason if it lasted for the whole minute', () => {
  const missed = { first: due, last: due, count: 1 };
  const reason = (from: number, until: number, busyUntil: number | null = null) => {
    const hindrances = [{ reason: 'outage', from: due + from, until: due + until }] as const;
    return missedText(missed, { ...running, busyUntil, hindrances }) ?? '';
  };
  const outage = /: the database could not be used from 2026-03-02T\S+Z to 2026-03-02T\S+Z$/;
  assert.match(reason(0, 60_000, due + 90_000), outage);
  assert.match(reason(1, 60_000, due + 90_000), /: the previous run was still executing$/);
  assert.match(reason(30_000, 60_001), outage);
  const slots = [{ reason: 'slots', from: due, until: due + 60_000 }] as const;
  const short = (busyUntil: number | null) =>
    causeOfMissed(missed, { ...running, busyUntil, hindrances: slots }).reason;
  assert.deepEqual([short(null), short(due + 90_000)], ['slots', 'busy']);
  assert.match(reason(-60_000, -1), /: jobd could not start it within a minute: /);
  assert.match(reason(60_001, 90_000), /: jobd could not start it within a minute: /);
});

test('the time in which no process served is told, also of a job whose run it broke off', () => {
  const missed = { first: due, last: due, count: 1 };
  const away = { reason: 'not_running', from: due - 60_000, until: due + 600_000 } as const;
  const circumstances = { busyUntil: due + 1, servingSince: away.until, hindrances: [away], now };
  const { from, until } = away;
  assert.deepEqual(causeOfMissed(missed, circumstances), { reason: 'not_running', from, until });
  const others = { ...circumstances, busyUntil: null };
  assert.equal(causeOfMissed({ first: from - 60_000 }, others).reason, 'not_running');
  const earlier = causeOfMissed({ first: from - 60_001 }, others);
  assert.deepEqual(earlier, { reason: 'late', from: null, until: null }, 'jobd ran then');
});

test('what was missed while jobd ran is kept apart from what a downtime made it miss', () => {
  const from = due + 5 * 60_000;
  const away = [{ reason: 'not_running', from, until: now }] as const;
  const plan = (first: number, hindrances: readonly Hindrance[] = away) =>
    planDue(everyMinute, first, now, null, [], hindrances);
  const { missed, ...before } = plan(due);
  // What was due at most a minute before the downtime could still have been called in it.
  const kept = { first: due, last: due + 3 * 60_000, count: 4 };
  assert.deepEqual([missed, before], [kept, { dueAt: null, nextRunAt: due + 4 * 60_000 }]);
  const rest = { first: due + 4 * 60_000, last: now - 2 * 60_000, count: 55 };
  const dueAt = now - 60_000;
  assert.deepEqual(plan(rest.first), { missed: rest, dueAt, nextRunAt: now });
  const whole = { ...rest, first: due, count: 59 };
  assert.deepEqual(plan(due, []).missed, whole);
  const ahead = [{ ...away[0], until: now + 1 }];
  assert.deepEqual(plan(due, ahead).missed, whole, 'a clock that was ahead noticed it');
});

test('what is still to come by the clock did not keep jobd from calling: it was ahead', () => {
  const missed = { first: due, last: due, count: 1 };
  const away = { reason: 'not_running', from: due - 60_000, until: now + 1 } as const;
  const cause = causeOfMissed(missed, { ...running, servingSince: now + 1, hindrances: [away] });
  assert.deepEqual(cause, { reason: 'late', from: null, until: null });
});

test('a missed run is shown as values, and read back from them', () => {
  for (const hindered of [
    { from: null, until: null },
    { from: due - 5, until: due + 90_000 },
  ]) {
    const missed = { first: due, last: due + 60_000, count: 2, ...hindered };
    const why = { reason: 'outage', detail: null, httpStatus: null, missed } as const;
    const shown = whyDocument(why) ?? assert.fail();
    const known = { dueAt: new Date(due).toISOString(), httpStatus: null };
    assert.deepEqual(readWhy(shown, known), why);
  }
});
