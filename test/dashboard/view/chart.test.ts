import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationChart, type ChartRun } from '../../../src/dashboard/view/chart.ts';
import { each } from '../../support/each.ts';

/** Runs of these durations, a minute apart, newest first as the API lists them. */
function runsOf(durations: readonly (number | null)[], failed: readonly number[] = []): ChartRun[] {
  return durations
    .map((durationMs, minute) => ({
      durationMs,
      status: failed.includes(minute) ? ('failed' as const) : ('success' as const),
      scheduledFor: new Date(minute * 60_000).toISOString(),
    }))
    .toReversed();
}

test('the oldest run is at the left, and a point knows its run', () => {
  const { points, line } = durationChart(runsOf([10, 30, 20]), 108, 108);
  assert.deepEqual(each(points, 'x', 'index'), [
    [4, 2],
    [54, 1],
    [104, 0],
  ]);
  assert.match(line, /^M4 \S+L54 \S+L104 \S+$/);
  const [first, second, third] = points.map(({ y }) => y);
  assert.ok(second! < third! && third! < first!, 'longer is higher');
});

test('a run without a duration interrupts the line', () => {
  const { points, line } = durationChart(runsOf([10, null, 20, 30]), 100, 50);
  assert.equal(points.length, 3);
  assert.equal(line.match(/M/g)?.length, 2);
});

test('failed runs are marked, and only these', () => {
  const { points, failures } = durationChart(runsOf([10, 20, 30], [1]), 108, 108);
  assert.equal(failures, `M51 ${points[1]!.y - 3}h6v6h-6z`);
});

test('the grid of a linear scale begins at nothing and has few round steps', () => {
  const { ticks } = durationChart(runsOf([120, 310]), 100, 108);
  assert.deepEqual(each(ticks, 'label'), ['0 ms', '100 ms', '200 ms', '300 ms', '400 ms']);
  assert.deepEqual([ticks[0]!.y, ticks.at(-1)!.y], [104, 4]);
});

test('durations far apart have a logarithmic scale', () => {
  const { ticks, points } = durationChart(runsOf([31, 40, 9_000]), 100, 108);
  assert.deepEqual(each(ticks, 'label'), ['10 ms', '100 ms', '1 s']);
  assert.equal(points[2]!.y, 4);
  assert.ok(points[1]!.y < points[0]!.y, 'short ones can be told apart');
});

test('no, one and equal durations are drawn inside the picture', () => {
  const empty = durationChart(runsOf([null]), 100, 50);
  assert.deepEqual([empty.points, empty.line, empty.ticks, empty.maxMs], [[], '', [], null]);
  assert.equal(durationChart(runsOf([7]), 100, 50).points[0]!.x, 50);
  for (const durations of [
    [0, 0],
    [5, 5],
    [0, 100_000_000],
    [1, 20],
    [250_000, 260_000],
  ]) {
    const { points, ticks } = durationChart(runsOf(durations), 100, 50);
    assert.ok(ticks.length >= 1 && ticks.length <= 9, durations.join());
    for (const { y } of [...points, ...ticks])
      assert.ok(y >= 4 && y <= 46, `${durations.join()}: ${y}`);
  }
});
