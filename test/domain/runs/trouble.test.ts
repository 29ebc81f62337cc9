import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstIdAt } from '../../../src/domain/id.ts';
import type { MissedReason } from '../../../src/domain/runs/reason.ts';
import { groupTrouble, troubleText } from '../../../src/domain/runs/trouble.ts';
import type { BadRun, JobNow, Trouble } from '../../../src/domain/runs/trouble.ts';
import * as fc from '../../support/fast-check.ts';

const minute = 60_000;
const noon = Date.UTC(2026, 2, 2, 12);
const up: JobNow = { health: 'up', paused: false, failingSince: null };

const base = { startedAt: null, attempts: 0, durationMs: null, detail: null, httpStatus: null };

let made = 0;

/** A run that was due `at` minutes after noon. */
function run(jobId: string, at: number, rest: Partial<BadRun>): BadRun {
  const scheduledFor = noon + at * minute;
  made += 1;
  const id = `${firstIdAt(scheduledFor)}-7000-8000-${String(made).padStart(12, '0')}`;
  const finishedAt = rest.status === 'missed' ? null : scheduledFor;
  const fixed = { id, jobId, jobName: jobId, source: 'scheduled' as const, scheduledFor };
  return { ...base, ...fixed, finishedAt, status: 'failed', reason: 'http', ...rest };
}

const failed = (jobId: string, at: number) => run(jobId, at, { httpStatus: 500 });
const interrupted = (jobId: string, at: number, closedAt: number) =>
  run(jobId, at, {
    status: 'interrupted',
    reason: 'cut_off',
    detail: 'the process ended',
    finishedAt: noon + closedAt * minute,
  });

/** A missed run; `hindered` are the minutes after noon for which something kept jobd from calling. */
function missed(jobId: string, at: number, reason: MissedReason, hindered?: [number, number]) {
  const [from, until] = (hindered ?? []).map((minutes) => noon + minutes * minute);
  const first = noon + at * minute;
  const times = { first, last: first + minute, count: 2, from: from ?? null, until: until ?? null };
  return run(jobId, at, { status: 'missed', reason, missed: times });
}

function group(runs: readonly BadRun[], job: (id: string) => JobNow = () => up): Trouble[] {
  const rows = groupTrouble(Infinity, Infinity);
  for (const one of runs) rows.add(one, job(one.jobId));
  return rows.rows();
}

const shown = ({ kind, from, until, ...row }: Trouble) => [
  kind,
  (from - noon) / minute,
  (until - noon) / minute,
  troubleText({ ...row, last: { why: whyOf(row.last), httpStatus: row.last.httpStatus } }),
];
const whyOf = ({ reason, detail }: BadRun) => ({ reason: reason ?? ('http' as const), detail });

test('all that an outage made jobs miss is one row, with what it broke off', () => {
  const away: [number, number] = [6, 21];
  const rows = group([
    missed('c', 18, 'not_running', away),
    missed('a', 7, 'not_running', away),
    interrupted('a', 6, 21),
    interrupted('d', 1, 21),
    missed('a', -60, 'not_running', [-70, -50]),
  ]);
  assert.deepEqual(rows.map(shown), [
    ['outage', 6, 21, 'jobd was not running: 2 jobs missed 4 due times, 2 runs were interrupted'],
    ['outage', -70, -50, 'jobd was not running: 1 job missed 2 due times'],
  ]);
});

test('an outage broke off no run that was closed before it, or began after it', () => {
  const database: [number, number] = [2, 3];
  const rows = group([
    interrupted('e', 3.5, 3.6),
    missed('a', 2, 'outage', database),
    interrupted('d', 1, 2.5),
    interrupted('c', 1, 3.5),
    interrupted('a', 0.5, 1.3),
    interrupted('b', 0.4, 1.3),
    interrupted('b', -1, 0.3),
  ]);
  assert.deepEqual(rows.map(shown), [
    ['outage', 3.5, 3.6, '2 runs were interrupted: the process ended'],
    [
      'outage',
      2,
      3,
      'the database could not be used: 1 job missed 2 due times, 1 run was interrupted',
    ],
    ['outage', 1.3, 1.3, '2 runs were interrupted: the process ended'],
    ['outage', 0.3, 0.3, '1 run was interrupted: the process ended'],
  ]);
});

test('what is closed at the next start belongs to the outage, and to that alone which broke it off', () => {
  const rows = group([
    interrupted('a', 8.5, 10.5),
    missed('b', 9, 'not_running', [8, 10]),
    interrupted('a', 7.5, 10.1),
    missed('a', 6, 'not_running', [5, 7]),
    interrupted('c', 4.5, 7.2),
    interrupted('d', 4, 4.9),
    interrupted('d', 3, 4.5),
  ]);
  assert.deepEqual(rows.map(shown), [
    ['outage', 8, 10, 'jobd was not running: 1 job missed 2 due times, 2 runs were interrupted'],
    ['outage', 5, 7, 'jobd was not running: 1 job missed 2 due times, 2 runs were interrupted'],
    ['outage', 4.5, 4.5, '1 run was interrupted: the process ended'],
  ]);
  const other = { ...interrupted('b', 0, 1), detail: 'another node ended' };
  assert.equal(group([interrupted('a', 0, 1), other]).length, 2, 'two causes');
});

test('two outages of one cause are two rows, if jobd called in between', () => {
  const rows = group([
    missed('b', 9, 'not_running', [8, 10]),
    missed('a', 9, 'not_running', [8, 10]),
    missed('a', 6, 'not_running', [5, 7]),
  ]);
  assert.deepEqual(rows.map(shown), [
    ['outage', 8, 10, 'jobd was not running: 2 jobs missed 4 due times'],
    ['outage', 5, 7, 'jobd was not running: 1 job missed 2 due times'],
  ]);
});

/** From when to when an outage is shown, in minutes after noon, as `now` is. */
function timesOf(one: BadRun, now: number): number[][] {
  const rows = groupTrouble(Infinity, noon + now * minute, 'outage');
  rows.add(one, up);
  return rows.rows().map(({ from, until }) => [(from - noon) / minute, (until - noon) / minute]);
}

test('an outage that a clock noticed which was ahead ends with what it made jobs miss', () => {
  const away = missed('a', 10, 'not_running', [6, 500_000]);
  assert.deepEqual(timesOf(away, 60), [[6, 11]]);
  assert.deepEqual(timesOf(away, 500_000), [[6, 500_000]]);
  assert.deepEqual(timesOf(missed('a', 10, 'clock', [11.5, 500_000]), 60), [[11, 11]]);
  const unknown = { ...missed('a', 10, 'late'), id: missed('a', 500_000, 'late').id };
  assert.deepEqual(timesOf(unknown, 60), [[10, 11]]);
  assert.deepEqual(timesOf(interrupted('a', 10, 500_000), 60), [[10, 10]]);
});

test('outages of other causes, and what a job was too busy for, are other rows', () => {
  const rows = group([
    missed('a', 10, 'outage', [9, 12]),
    missed('b', 10, 'late'),
    missed('b', 9, 'busy'),
    interrupted('c', 8, 40),
  ]);
  assert.deepEqual(rows.map(shown), [
    ['outage', 9, 12, 'the database could not be used: 1 job missed 2 due times'],
    [
      'outage',
      10,
      11,
      'jobd could not start it within a minute: overload, a database failure, a suspended machine or a clock change: 1 job missed 2 due times',
    ],
    ['job', 9, 10, 'missed 2 due times: the previous run was still executing'],
    ['outage', 40, 40, '1 run was interrupted: the process ended'],
  ]);
});

test('what one job had is one row with up to an hour in between, and as long as it is down', () => {
  const down: JobNow = { health: 'down', paused: false, failingSince: noon - 500 * minute };
  const runs = [0, -60, -121, -500, -501, -800].map((at) => failed('a', at));
  assert.deepEqual(group(runs).map(shown), [
    ['job', -60, 0, 'failed 2 times: http: 500'],
    ['job', -121, -121, 'failed once: http: 500'],
    ['job', -501, -500, 'failed 2 times: http: 500'],
    ['job', -800, -800, 'failed once: http: 500'],
  ]);
  const rows = group(runs, () => down);
  assert.deepEqual(rows.map(shown), [
    ['job', -501, 0, 'failed 5 times: http: 500'],
    ['job', -800, -800, 'failed once: http: 500'],
  ]);
  assert.deepEqual([rows[0]?.now, rows[0]?.since], ['down', down.failingSince]);
  assert.equal(group(runs, () => ({ ...down, paused: true }))[0]?.now, 'paused');
});

const kinds = fc.constantFrom('failed', 'interrupted', 'busy', 'not_running', 'late', 'outage');
const anyRun = fc.record({
  kind: kinds,
  jobId: fc.constantFrom('a', 'b', 'c'),
  at: fc.integer({ min: -2_000, max: 0 }),
  lasts: fc.integer({ min: 0, max: 200 }),
});

test('each run that was no success is in exactly one row, however the list is read', () => {
  fc.assert(
    fc.property(
      fc.array(anyRun, { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      fc.option(fc.integer({ min: -2_000, max: 0 })),
      (all, limit, downSince) => {
        const runs = all
          .toSorted((one, other) => other.at - one.at)
          .map(({ kind, jobId, at, lasts }) => {
            if (kind === 'failed') return failed(jobId, at);
            if (kind === 'interrupted') return interrupted(jobId, at, at + lasts);
            return missed(jobId, at, kind, lasts > 100 ? [at, at + lasts] : undefined);
          });
        const job: JobNow =
          downSince === null
            ? up
            : { health: 'down', paused: false, failingSince: noon + downSince * minute };
        let [rows, left]: [Trouble[], readonly BadRun[]] = [[], runs];
        while (left.length > 0) {
          const page = groupTrouble(limit, Infinity);
          const end = left.findIndex((one) => !page.add(one, job));
          assert.ok(end !== 0 && page.rows().length <= limit);
          rows = [...rows, ...page.rows()];
          left = end === -1 ? [] : left.slice(end);
        }
        const sum = (of: (row: Trouble) => number) =>
          rows.reduce((total, row) => total + of(row), 0);
        const count = (status: string) => runs.filter((one) => one.status === status).length;
        assert.equal(
          sum(({ failed: of }) => of),
          count('failed'),
        );
        assert.equal(
          sum(({ interrupted: of }) => of),
          count('interrupted'),
        );
        assert.equal(
          sum(({ missed: of }) => of),
          2 * count('missed'),
        );
        assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
        const outages = groupTrouble(Infinity, Infinity, 'outage');
        const jobs = groupTrouble(Infinity, Infinity, 'job');
        for (const one of runs) assert.ok(outages.add(one, job) && jobs.add(one, job));
        assert.equal(outages.rows().length + jobs.rows().length, group(runs, () => job).length);
      },
    ),
  );
});
