import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lru } from '../../src/egress/lru.ts';

test('what was used longest ago is forgotten, and what has had its time', () => {
  let now = 1_000;
  const names = new Lru<number>(2, { monotonicMs: () => now });
  names.set('a', 1).set('b', 2);
  names.get('a');
  names.set('c', 3, { ttl: 50 });
  assert.deepEqual([...names.keys()].toSorted(), ['a', 'c']);
  now += 49;
  assert.equal(names.has('c'), true);
  now += 2;
  assert.equal(names.has('c'), false);
  assert.equal(names.get('a'), 1);
});
