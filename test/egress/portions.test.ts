/** What comes all at once is taken, and handed on, a few at a time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGathering, createIntake, portionSize } from '../../src/egress/portions.ts';

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

test('a portion is taken at once and one in each turn that follows, in order', async () => {
  const taken: number[] = [];
  const intake = createIntake<number>((item) => taken.push(item));
  const all = numbers(portionSize * 2 + 2);
  intake.add(all.slice(0, -1));
  intake.add(all.slice(-1));
  assert.equal(taken.length, portionSize);
  await nextTurn();
  assert.equal(taken.length, portionSize * 2);
  await nextTurn();
  assert.deepEqual(taken, all);
  intake.add([0]);
  assert.equal(taken.length, all.length + 1);
});

test('what waits is taken at once when told to, and not again', async () => {
  const taken: number[] = [];
  const intake = createIntake<number>((item) => taken.push(item));
  const all = numbers(portionSize * 3);
  intake.add(all);
  intake.finish();
  assert.deepEqual(taken, all);
  await nextTurn();
  assert.deepEqual(taken, all);
});

test('what is gathered is handed on when it is a portion, the rest when the turn ends', async () => {
  const handedOn: number[][] = [];
  const gather = createGathering<number>((items) => handedOn.push(items));
  const all = numbers(portionSize * 2 + 1);
  for (const item of all) gather(item);
  assert.deepEqual(
    handedOn.map((items) => items.length),
    [portionSize, portionSize],
  );
  await nextTurn();
  assert.deepEqual(handedOn.flat(), all);
  await nextTurn();
  assert.equal(handedOn.length, 3);
});
