/** Bytes that wait for clients are bounded in all (docs/security.md#what-clients-of-the-api-cannot-do). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeUntaken, type Connection } from '../../../../src/api/http/limits/connection.ts';
import { defaultConnectionLimits } from '../../../../src/api/http/limits/connections.ts';

/** Closes of these connections, each `[address, since when it waits, bytes]`, so that `most` bytes wait. Returns the closed ones. */
function closedOf(
  most: number,
  connections: readonly (readonly [string, number | null, number])[],
) {
  const closed: number[] = [];
  const all = connections.map(([addressGroup, untakenSince, writableLength], index) => {
    const close = () => void closed.push(index);
    return { addressGroup, untakenSince, socket: { writableLength }, close };
  });
  closeUntaken(all as unknown as Connection[], most);
  return closed;
}

test('nothing is closed while few bytes wait', () => {
  assert.deepEqual(closedOf(30, []), []);
  assert.deepEqual(
    closedOf(30, [
      ['a', 1, 10],
      ['a', 2, 10],
      ['b', 3, 10],
    ]),
    [],
  );
});

test('the address that leaves most loses those that have waited longest, and no more than needed', () => {
  const connections = [
    ['slow', 1, 10],
    ['greedy', null, 0],
    ['greedy', 4, 10],
    ['greedy', 3, 10],
    ['greedy', 2, 10],
  ] as const;
  assert.deepEqual(closedOf(30, connections), [4]);
  assert.deepEqual(closedOf(15, connections), [4, 3, 2]);
  assert.deepEqual(closedOf(5, connections), [4, 3, 2, 0]);
});

test('many that read nothing leave no more than 64 MiB', () => {
  const bytes = 1_200_000;
  const connections = Array.from({ length: 2_000 }, (_, index) => ['a', index, bytes] as const);
  const closed = closedOf(defaultConnectionLimits.maxUntakenBytes, connections);
  assert.equal(connections.length - closed.length, Math.floor((64 * 1024 * 1024) / bytes));
});
