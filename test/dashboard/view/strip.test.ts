import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recentStatuses } from '../../../src/domain/runs/run.ts';
import { flapping, strip, stripLabel } from '../../../src/dashboard/view/strip.ts';

/** Where the bars of some path data begin. */
const placesOf = (path = ''): number[] => [
  ...new Set(path.matchAll(/M(\d+) \d+h4/g).map(([, x]) => Number(x))),
];

const shapeOf = (status: string): string =>
  Object.values(strip([status], { width: 1 }).paths).join();

test('the newest run is at the right, and places without a run are ticks', () => {
  const { width, height, paths } = strip(['failed', 'success', 'missed'], { width: 5 });
  assert.deepEqual([width, height], [28, 18]);
  assert.deepEqual(placesOf(paths.empty), [0, 6]);
  assert.deepEqual(placesOf(paths.failed), [12]);
  assert.deepEqual(placesOf(paths.success), [18]);
  assert.deepEqual(placesOf(paths.missed), [24]);
});

test('only the newest runs are drawn', () => {
  const { width, paths } = strip([...Array(20).fill('failed'), ...Array(30).fill('success')]);
  assert.equal(width, 178);
  assert.deepEqual(Object.keys(paths), ['success']);
  assert.equal(placesOf(paths.success).length, 30);
});

test('each status has a shape of its own', () => {
  assert.equal(shapeOf('success'), 'M0 7h4v11h-4z');
  assert.equal(shapeOf('failed'), 'M0 0h4v18h-4z');
  assert.equal(shapeOf('missed'), 'M0 0h4v18h-4zM1 1v16h2v-16z');
  assert.equal(shapeOf('interrupted'), 'M0 0h4v7h-4zM0 11h4v7h-4z');
  assert.equal(shapeOf('running'), 'M0 14h4v4h-4z');
  assert.equal(shapeOf('fail'), shapeOf('failed'));
  assert.equal(shapeOf('constructor'), 'M0 16h4v2h-4z');
  const shapes = recentStatuses.filter((status) => status !== 'queued').map(shapeOf);
  assert.equal(new Set(shapes).size, shapes.length);
});

test('the label counts every run by its status', () => {
  const recent = [...Array(26).fill('success'), 'missed', 'failed', 'failed', 'failed'];
  assert.equal(stripLabel(recent), 'last 30 runs: 26 success, 3 failed, 1 missed');
  assert.equal(stripLabel(['success', 'fail'], 'ping'), 'last 2 pings: 1 success, 1 failed');
  assert.equal(stripLabel(['missed']), 'last run: missed');
  assert.equal(stripLabel([]), 'no run yet');
  assert.equal(stripLabel(recentStatuses).match(/\b1 /g)?.length, recentStatuses.length);
  assert.match(stripLabel(['made_up', 'success']), /1 missed and made up for/);
});

test('a job flaps that changed four times between success and failure, whatever was missed between', () => {
  const [good, bad] = ['success', 'failed'];
  assert.equal(flapping([good, good, good, bad, bad]), null);
  assert.equal(flapping([good, bad, good, bad]), null);
  assert.deepEqual(flapping([good, bad, good, bad, good]), { failed: 2, of: 5 });
  assert.deepEqual(flapping([bad, 'missed', good, bad, 'running', good, bad]), {
    failed: 3,
    of: 5,
  });
  assert.equal(flapping([good, 'missed', good, 'interrupted', good, 'missed', good]), null);
});
