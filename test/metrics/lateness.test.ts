import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLatenessWindow } from '../../src/metrics/lateness.ts';

const minute = 60_000;

function windowAt() {
  let now = 5 * minute;
  const window = createLatenessWindow({ monotonicMs: () => now });
  return { ...window, advanceBoth: (ms: number) => void (now += ms) };
}

test('without runs there is no figure', () => {
  assert.deepEqual(windowAt().read(), {
    windowSeconds: 3_600,
    p50Ms: null,
    p99Ms: null,
    maxMs: null,
  });
});

test('the figures cover all minutes, with two digits', () => {
  const { note, read, advanceBoth } = windowAt();
  for (let ms = 0; ms < 1_000; ms += 1) {
    note(ms);
    if (ms % 100 === 0) advanceBoth(minute);
  }
  const { p50Ms, p99Ms, maxMs } = read();
  assert.ok(p50Ms !== null && Math.abs(p50Ms - 499) <= 5, `p50 ${p50Ms}`);
  assert.ok(p99Ms !== null && Math.abs(p99Ms - 989) <= 10, `p99 ${p99Ms}`);
  assert.ok(maxMs !== null && Math.abs(maxMs - 999) <= 10, `max ${maxMs}`);
});

test('on time is 0, even for a run that began before its due time after a clock change', () => {
  const { note, read } = windowAt();
  note(0);
  note(-5_000);
  const { p50Ms, p99Ms, maxMs } = read();
  assert.deepEqual([p50Ms, p99Ms, maxMs], [0, 0, 0]);
});

test('each minute is forgotten after an hour', () => {
  const { note, read, advanceBoth } = windowAt();
  note(40);
  advanceBoth(30 * minute);
  note(10);
  advanceBoth(29 * minute);
  assert.equal(read().maxMs, 40);
  advanceBoth(minute);
  assert.equal(read().maxMs, 10);
  advanceBoth(30 * minute);
  assert.equal(read().maxMs, null);
});

test('a value beyond all that is expected counts as the largest', () => {
  const { note, read } = windowAt();
  note(Number.MAX_SAFE_INTEGER);
  assert.ok((read().maxMs ?? 0) >= 590_000);
});
