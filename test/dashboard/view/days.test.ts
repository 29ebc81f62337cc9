import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobDays } from '../../../src/api/runs/contract.ts';
import { calendar } from '../../../src/dashboard/view/days.ts';

const nowMs = Date.parse('2026-11-22T23:30:00.000Z');
const zone = 'UTC';

type Day = JobDays['days'][number];

const day = (date: string, fields: Partial<Day> = {}): Day => ({
  date,
  success: 0,
  failed: 0,
  interrupted: 0,
  missed: 0,
  medianMs: null,
  maxMs: null,
  ...fields,
});

function cellsOf(answer: Partial<JobDays>, options: { count: number; zone?: string }) {
  const whole = { days: [], since: null, isPartial: false, ...answer };
  return calendar(whole, { zone, nowMs, ...options }).flatMap(({ cells }) => cells);
}

test('days are in rows of months, and days before the kept runs are unknown', () => {
  const days = [
    day('2026-11-01', { success: 3, medianMs: 31 }),
    day('2026-11-02', { success: 1, medianMs: 1_200 }),
  ];
  const since = '2026-11-01T00:10:00.000Z';
  const now = Date.parse('2026-11-02T12:00:00.000Z');
  const months = calendar({ days, since, isPartial: false }, { count: 4, zone, nowMs: now });
  assert.deepEqual(months, [
    {
      month: 'Oct 2026',
      cells: [
        { date: '2026-10-30', kind: 'unknown', label: 'Fri 30 Oct: no runs are kept' },
        { date: '2026-10-31', kind: 'unknown', label: 'Sat 31 Oct: no runs are kept' },
      ],
    },
    {
      month: 'Nov 2026',
      cells: [
        {
          date: '2026-11-01',
          kind: 'good',
          label: 'Sun 1 Nov: 3 success, median 31 ms, earlier runs may be gone',
        },
        { date: '2026-11-02', kind: 'good', label: 'Mon 2 Nov: 1 success, median 1.2 s' },
      ],
    },
  ]);
});

test('a day is as bad as its worst run', () => {
  const days = [
    day('2026-11-17', { success: 9, interrupted: 1 }),
    day('2026-11-18', { success: 9, interrupted: 1, missed: 1 }),
    day('2026-11-19', { success: 9, interrupted: 1, missed: 1, failed: 1 }),
    day('2026-11-20', { success: 9 }),
    day('2026-11-21'),
    day('2026-11-22', { success: 23, failed: 1, medianMs: 31, maxMs: 210 }),
  ];
  const cells = cellsOf({ days, since: '2026-01-01T00:00:00.000Z' }, { count: 6 });
  assert.deepEqual(
    cells.map(({ kind }) => kind),
    ['interrupted', 'missed', 'failed', 'good', 'none', 'failed'],
  );
  assert.equal(cells[2]?.label, 'Thu 19 Nov: 9 success, 1 failed, 1 interrupted, 1 missed');
  assert.equal(cells[4]?.label, 'Sat 21 Nov: no runs');
  assert.equal(cells[5]?.label, 'Sun 22 Nov: 23 success, 1 failed, median 31 ms');
});

test('without kept runs every day is unknown, up to today in the zone of the job', () => {
  const cells = cellsOf({}, { count: 366, zone: 'Europe/Paris' });
  assert.equal(cells.length, 366);
  assert.ok(cells.every(({ kind }) => kind === 'unknown'));
  assert.equal(cells.at(-1)?.date, '2026-11-23');
  assert.equal(cells[0]?.label, 'Sun 23 Nov 2025: no runs are kept');
});

test('a first day that was counted in part says so, even if it is today', () => {
  const days = [day('2026-11-22', { success: 10_000 })];
  const since = '2026-11-22T08:00:00.000Z';
  const [, cut] = cellsOf({ days, since, isPartial: true }, { count: 2 });
  assert.equal(cut?.label, 'Sun 22 Nov: 10000 success, earlier runs may be gone');
  const [, whole] = cellsOf({ days, since }, { count: 2 });
  assert.equal(whole?.label, 'Sun 22 Nov: 10000 success');
});
