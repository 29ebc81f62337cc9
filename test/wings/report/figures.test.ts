/** What a report counts, and which month it is of (docs/behavior.md#month-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateText } from '../../../src/domain/runs/rate.ts';
import { countRuns, type CountedRun } from '../../../src/wings/report/figures.ts';
import { readMonth } from '../../../src/wings/report/month.ts';
import type { RunStatus } from '../../../src/domain/runs/run.ts';

const hour = 3_600_000;
const iso = (at: number) => new Date(at).toISOString();

function troubleOf(statuses: readonly RunStatus[], until = statuses.length * hour) {
  const { add, figures } = countRuns(until);
  const runs = statuses.map((status, index): CountedRun => {
    return { scheduledFor: index * hour, source: 'scheduled', status, receipts: 0 };
  });
  for (const run of runs.toReversed()) add(run);
  const { longestTrouble: found } = figures;
  return found && [found.from / hour, found.until === null ? null : found.until / hour];
}

test('the longest trouble lasts from a due time without success to the next one with success', () => {
  const [ok, bad] = ['success', 'failed'] as const;
  assert.equal(troubleOf([]), null);
  assert.equal(troubleOf([ok, ok]), null);
  assert.deepEqual(troubleOf([ok, bad, ok]), [1, 2]);
  assert.deepEqual(troubleOf([bad, ok, 'missed', 'interrupted', ok, bad, ok]), [2, 4]);
  assert.deepEqual(troubleOf([bad, ok, bad]), [0, 1], 'of two as long, the first');
  assert.deepEqual(troubleOf([bad, ok, bad, bad]), [2, null]);
  assert.deepEqual(troubleOf([bad, 'running', 'queued']), [0, null], 'what is not over ends none');
});

const rate = (success: number, failed: number, interrupted = 0, missed = 0) =>
  rateText({ success, failed, interrupted, missed });

test('a rate is rounded down: 100 % is all of them', () => {
  assert.equal(rate(0, 0), null);
  assert.equal(rate(5, 0), '100.00 %');
  assert.equal(rate(99_999, 1), '99.99 %');
  assert.equal(rate(1, 0, 1, 1), '33.33 %');
});

test('a month is that of the zone; by default it is the last one that is over', () => {
  const now = Date.parse('2026-03-31T23:30:00Z');
  const of = (month: string | undefined, timezone: string) => {
    const { month: name, from, until } = readMonth(month, timezone, now);
    return [name, iso(from), iso(until)];
  };
  const [february, march] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
  assert.deepEqual(of(undefined, 'UTC'), ['2026-02', february, march]);
  const begin = '2026-02-28T23:00:00.000Z';
  assert.deepEqual(of(undefined, 'Europe/Berlin'), ['2026-03', begin, '2026-03-31T22:00:00.000Z']);
  assert.deepEqual(of('2026-03', 'UTC'), ['2026-03', march, '2026-04-01T00:00:00.000Z']);
  for (const wrong of ['2026-13', '2026-3', '', '2026-03-01', '0001-01', '9999-12']) {
    assert.throws(() => of(wrong, 'UTC'), /^JobdError: month must be /, wrong);
  }
  assert.throws(() => of('2026-04', 'UTC'), /month must have begun, got "2026-04"/);
  assert.equal(of('2026-04', 'Europe/Berlin')[0], '2026-04');
});
