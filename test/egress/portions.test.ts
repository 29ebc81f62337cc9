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
  intake.add(all.slice(0, portionSize));
  intake.add(all.slice(portionSize));
  assert.equal(taken.length, portionSize, 'also if the first to come were no more than a portion');
  await nextTurn();
  assert.equal(taken.length, portionSize * 2);
  await nextTurn();
  assert.deepEqual(taken, all);
});

test('what comes in a later turn is taken at once', async () => {
  const taken: number[] = [];
  const intake = createIntake<number>((item) => taken.push(item));
  for (const item of numbers(3)) {
    intake.add([item]);
    assert.equal(taken.length, item + 1);
    await nextTurn();
  }
});

test('what is given while a portion is taken comes behind what waits', async () => {
  const taken: number[] = [];
  const intake = createIntake<number>((item) => {
    taken.push(item);
    if (item < portionSize) intake.add([item + portionSize]);
  });
  const all = numbers(portionSize * 2);
  intake.add(all.slice(0, portionSize));
  await nextTurn();
  assert.deepEqual(taken, all);
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
