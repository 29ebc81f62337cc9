/** When windows are in effect (docs/behavior.md#window-1), however often it is asked. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { upcomingDueTime, type DueTimeFields } from '../../src/domain/runs/due.ts';
import { useZoneSource } from '../../src/domain/schedule/zone-data.ts';
import { coveredUntil, periodAfter, type Window } from '../../src/domain/windows.ts';
import * as fc from '../support/fast-check.ts';
import { windowOf } from '../support/records/window.ts';

const minute = 60_000;
const day = 1_440 * minute;
const start = Date.parse('2026-03-02T10:00:00Z');

const job: DueTimeFields = {
  scheduleType: 'cron',
  cronExpr: '*/11 * * * *',
  timezone: 'UTC',
  periodSeconds: null,
  anchorAt: 0,
  adjustments: null,
  activeRunId: null,
  nextRunAt: start,
};

function recurring(cronExpr: string, more: Partial<Window> = {}): Window {
  const times = { from: null, until: null, cronExpr, durationSeconds: 3_600 };
  return windowOf('hold', start, start, { ...times, timezone: 'Europe/Paris', ...more });
}

/** Windows whose zone is read for a search of their expression, and only then. */
function counting(windows: readonly Window[]) {
  const counted = { searches: 0, windows };
  const timezone = () => ((counted.searches += 1), 'Europe/Paris');
  for (const window of windows) Object.defineProperty(window, 'timezone', { get: timezone });
  return counted;
}

/** Twenty that are rare. */
function rareWindows(): Window[] {
  return Array.from({ length: 10 }, (_, index) => index + 1).flatMap((month) => [
    recurring(`7 3 29 ${month} 5`),
    recurring(`11 4 30 ${month} 2`),
  ]);
}

/** A hundred that take turns. */
function alternatingWindows(): Window[] {
  return Array.from({ length: 100 }, (_, index) =>
    recurring(`${index % 2}-59/2 * * * *`, { durationSeconds: 60 }),
  );
}

/** How often expressions are searched for so many jobs, each with another choice of windows, and due at another time. */
function searchesFor(jobs: number): number {
  const counted = counting(rareWindows());
  for (let index = 0; index < jobs; index++) {
    const its = counted.windows.filter((_, at) => ((index + 1) >> (at % 8)) % 2 === 0);
    upcomingDueTime({ ...job, nextRunAt: start + index * 11 * minute }, start, its);
  }
  return counted.searches;
}

test('many jobs search the expressions of windows no more often than a few do', () => {
  const [few, many] = [searchesFor(50), searchesFor(100)];
  assert.ok(few >= 20, `${few} searches`);
  assert.ok(many <= few * 1.2, `${many} searches for twice as many jobs, ${few} before`);
});

test('windows that take turns are looked at a bounded number of times for each job, and once', () => {
  let looks = 0;
  const hundred = alternatingWindows().map((window) => {
    const { durationSeconds } = window;
    return Object.defineProperty(window, 'durationSeconds', {
      get: () => ((looks += 1), durationSeconds),
    });
  });
  const jobs = 40;
  const ask = (): number => {
    looks = 0;
    for (let index = 0; index < jobs; index++) {
      const its = hundred.filter((_, at) => at !== index);
      assert.notEqual(coveredUntil(its, start), null);
    }
    return looks / jobs;
  };
  const first = ask();
  assert.ok(first > 0 && first <= 500, `${first} looks for each job`);
  assert.equal(ask(), 0);
});

/** The same for jobs that are due together, each in other windows that take turns. */
function alternatingSearchesFor(jobs: number): number {
  const counted = counting(alternatingWindows());
  for (let index = 0; index < jobs; index++) {
    const its = counted.windows.filter((_, at) => at !== index);
    assert.equal(upcomingDueTime({ ...job, cronExpr: '0 * * * *' }, start, its), null);
  }
  return counted.searches;
}

test('jobs that are due in windows that take turns search them once together', () => {
  const [few, many] = [alternatingSearchesFor(10), alternatingSearchesFor(40)];
  assert.ok(few > 0 && many <= few * 1.2, `${many} searches for four times as many, ${few} before`);
});

test('holds without end are looked at a bounded number of times for each job, whenever it is due', () => {
  const counted = { looks: 0 };
  const windows = Array.from({ length: 100 }, (_, index) =>
    Object.defineProperty(recurring(`${index % 60} * * * *`), 'durationSeconds', {
      get: () => ((counted.looks += 1), 3_540),
    }),
  );
  for (let index = 0; index < 40; index++) {
    const of = { ...job, cronExpr: `0 0 ${1 + (index % 28)} 1 *`, nextRunAt: start + index * day };
    const its = windows.filter((_, at) => at !== index && at !== (index * 7 + 1) % 100);
    counted.looks = 0;
    assert.equal(upcomingDueTime(of, start, its), null);
    assert.ok(counted.looks <= 700, `${counted.looks} looks for job ${index}`);
    assert.equal(upcomingDueTime(of, start, its), null, 'what is known gives no other answer');
  }
});

test('a due time after two holds in a row is found among a hundred, one after ten among ten', () => {
  const hold = (from: number) => windowOf('hold', from, from + 10 * minute);
  const seen = (count: number, others: number) => {
    const held = Array.from({ length: count }, (_, index) => hold(start + index * 11 * minute));
    const later = Array.from({ length: others }, (_, index) => hold(start + (100 + index) * day));
    return upcomingDueTime(job, start, [...later, ...held]);
  };
  assert.equal(seen(2, 98), start + 22 * minute);
  assert.equal(seen(5, 5), start + 55 * minute);
  const hourly = Array.from({ length: 11 }, (_, index) => hold(start + index * 60 * minute));
  const of = { ...job, cronExpr: '0 * * * *' };
  assert.equal(upcomingDueTime(of, start, hourly.slice(0, 10)), start + 600 * minute);
  assert.equal(upcomingDueTime(of, start, hourly), null);
});

test('when a window begins is searched once, also for many times that are asked in turn', () => {
  const counted = counting([recurring('0 22 * * *')]);
  const ask = () => {
    for (let index = 0; index < 200; index++)
      periodAfter(counted.windows[0] ?? assert.fail(), start + ((index * 7) % 200) * day);
    return counted.searches;
  };
  assert.equal(ask(), 200);
  assert.equal(ask(), 200);
});

test('what is known of a window changes no answer', () => {
  const crons = ['0 22 * * *', '30 2 * * sun', '*/20 * * * *', '0 0 1 * *', '7 3 29 2 *'];
  const ended = fc.option(fc.integer({ min: 0, max: 60 }).map((days) => start + days * day));
  fc.assert(
    fc.property(
      fc.constantFrom(...crons),
      ended,
      fc.array(fc.integer({ min: -40 * day, max: 400 * day }), { minLength: 1, maxLength: 60 }),
      (cronExpr, endedAt, asked) => {
        const minutes = cronExpr.startsWith('*') ? 600 : 7_200;
        const end = endedAt === null ? null : new Date(endedAt).toISOString();
        const window = recurring(cronExpr, { durationSeconds: minutes, endedAt: end });
        for (const ms of asked) {
          const at = start + ms;
          assert.deepEqual(periodAfter(window, at), periodAfter({ ...window }, at));
          assert.equal(coveredUntil([window], at), coveredUntil([{ ...window }], at));
        }
      },
    ),
  );
});

test('other zone data counts for windows from then on', (t) => {
  t.after(() => useZoneSource({ builtIn: '', find: () => null }));
  const window = recurring('0 22 * * *');
  const at = Date.parse('2026-03-02T21:30:00Z');
  const ofParis = Date.parse('2026-03-02T22:00:00Z');
  assert.equal(coveredUntil([window], at), ofParis);
  const files = { version: '2999a', directory: '', read: () => () => 0 };
  useZoneSource({ builtIn: '2026a', find: () => files });
  assert.equal(coveredUntil([window], at), null);
  assert.equal(periodAfter(window, at)?.from, ofParis);
});
