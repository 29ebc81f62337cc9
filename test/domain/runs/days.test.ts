/** The days of a job's runs: what is counted, and that nothing is said of days that are not known. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { daysOfRuns, type RunFigures } from '../../../src/domain/runs/days.ts';
import { runStatuses } from '../../../src/domain/runs/run.ts';
import { dayReader, isoDay } from '../../../src/domain/schedule/local-days.ts';

const now = Date.parse('2026-03-30T12:00:00Z');
const run = (at: string, status: RunFigures['status'], durationMs: number | null): RunFigures => ({
  scheduledFor: Date.parse(at),
  status,
  durationMs,
});

test('runs are counted by the day on which they were due in the zone of the job', () => {
  const runs = [
    run('2026-03-30T11:00:00Z', 'running', null),
    run('2026-03-29T22:00:00Z', 'failed', 30),
    run('2026-03-29T21:59:00Z', 'success', 10),
    run('2026-03-29T20:00:00Z', 'missed', null),
    run('2026-03-29T10:00:00Z', 'success', 40),
    run('2026-03-29T09:00:00Z', 'success', 20),
    run('2026-03-28T23:00:00Z', 'interrupted', null),
  ];
  const since = Date.parse('2026-03-28T23:00:00Z');
  const days = daysOfRuns(runs, { timezone: 'Europe/Paris', since, now, count: 30 });
  const none = { success: 0, failed: 0, interrupted: 0, missed: 0 };
  assert.deepEqual(days, [
    { date: '2026-03-29', ...none, success: 3, interrupted: 1, missed: 1, medianMs: 20, maxMs: 40 },
    { date: '2026-03-30', ...none, failed: 1, medianMs: 30, maxMs: 30 },
  ]);
});

test('a day without runs is listed, and one before the kept runs is not', () => {
  const since = Date.parse('2026-03-27T12:00:00Z');
  const options = { timezone: 'UTC', since, now, count: 30 };
  const days = daysOfRuns([run('2026-03-27T12:00:00Z', 'success', 1)], options);
  assert.deepEqual(
    days.map(({ date, success, medianMs }) => [date, success, medianMs]),
    [
      ['2026-03-27', 1, 1],
      ['2026-03-28', 0, null],
      ['2026-03-29', 0, null],
      ['2026-03-30', 0, null],
    ],
  );
  assert.deepEqual(
    daysOfRuns([], { ...options, count: 2 }).map(({ date }) => date),
    ['2026-03-29', '2026-03-30'],
  );
});

test('runs that are due after now belong to no day yet', () => {
  const ahead = run('2026-04-02T00:00:00Z', 'success', 1);
  const days = daysOfRuns([ahead], { timezone: 'UTC', since: ahead.scheduledFor, now, count: 3 });
  assert.deepEqual(days, []);
});

test('every ended run of a listed day is counted once', () => {
  const figures = fc.record({
    scheduledFor: fc.integer({ min: now - 40 * 86_400_000, max: now }),
    status: fc.constantFrom(...runStatuses),
    durationMs: fc.option(fc.nat(100)),
  });
  const zones = fc.constantFrom('Europe/Paris', 'America/St_Johns', 'Asia/Kathmandu');
  const counts = fc.integer({ min: 1, max: 60 });
  fc.assert(
    fc.property(fc.array(figures), zones, counts, (runs, timezone, count) => {
      const since = Math.min(now, ...runs.map(({ scheduledFor }) => scheduledFor));
      const days = daysOfRuns(runs, { timezone, since, now, count });
      const dayOf = dayReader(timezone);
      for (const { date, medianMs, maxMs, ...counted } of days) {
        const ofDay = runs.filter((each) => isoDay(dayOf(each.scheduledFor)) === date);
        for (const [status, number] of Object.entries(counted)) {
          assert.equal(ofDay.filter((each) => each.status === status).length, number);
        }
        assert.ok((maxMs ?? 0) >= (medianMs ?? 0));
      }
    }),
  );
});
