/** Ids: UUIDv7 (RFC 9562, section 5.7), always increasing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isId, newId } from '../../src/domain/id.ts';

/** Later than any other test of this process uses: ids never decrease. */
const start = Date.parse('2200-01-01T00:00:00Z');

function timeOf(id: string): number {
  return parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

test('an id is a lower-case UUID of version 7 that begins with its time', () => {
  const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  for (let ms = 0; ms < 500; ms += 1) {
    const id = newId(start + ms);
    assert.match(id, uuidV7);
    assert.ok(isId(id));
    assert.equal(timeOf(id), start + ms);
  }
});

test('ids increase even when more than 4096 are made in one millisecond', () => {
  const now = start + 1_000;
  let last = newId(now - 1);
  for (let made = 0; made < 20_000; made += 1) {
    const id = newId(now);
    assert.ok(id > last, `${id} comes after ${last}`);
    last = id;
  }
  assert.equal(timeOf(last), now + Math.floor(19_999 / 4_096), 'the counter borrows from the time');
});

test('ids increase even when the wall clock steps back', () => {
  const now = start + 10_000;
  const before = newId(now);
  const ids = [
    newId(now - 3_600_000),
    newId(now - 3_600_000),
    newId(0),
    newId(now),
    newId(now + 1),
  ];
  assert.deepEqual([before, ...ids].toSorted(), [before, ...ids]);
});

test('ids differ between two processes in the same millisecond', () => {
  const randoms = new Set<string>();
  for (let made = 0; made < 10_000; made += 1) randoms.add(newId(start + 20_000).slice(19));
  assert.equal(randoms.size, 10_000, 'the random part alone makes them differ');
});

test('every bit of the random part takes both values', () => {
  let ones = 0n;
  let zeros = 0n;
  for (let made = 0; made < 200; made += 1) {
    const random = BigInt(
      `0x${newId(start + 30_000)
        .slice(19)
        .replace('-', '')}`,
    );
    ones |= random;
    zeros |= ~random & 0xffffffffffffffffn;
  }
  assert.equal(ones.toString(16), 'bfffffffffffffff', 'all but the variant');
  assert.equal(zeros.toString(16), '7fffffffffffffff', 'all but the variant');
});

test('only a lower-case UUID is an id', () => {
  const id = newId(start);
  assert.ok(isId('00000000-0000-0000-0000-000000000000'));
  for (const text of [
    '',
    id.toUpperCase(),
    id.replaceAll('-', ''),
    `${id} `,
    `\n${id}`,
    `${id}\n`,
    `{${id}}`,
    id.slice(1),
    id.replace(/.$/, 'g'),
  ]) {
    assert.equal(isId(text), false, JSON.stringify(text));
  }
});
