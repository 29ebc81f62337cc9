/** Requests of a workspace that read much take turns: few wait, and what nobody waits for is not read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from '../../src/app/turns.ts';
import { JobdError } from '../../src/domain/errors.ts';

const here = new AbortController().signal;

test('twenty wait behind the one that is read, and more are refused', async () => {
  const turns = createTurns();
  const first = Promise.withResolvers<void>();
  const asked = [turns('w', here, () => first.promise)];
  for (let count = 0; count < 20; count += 1) asked.push(turns('w', here, async () => {}));
  await assert.rejects(
    turns('w', here, async () => {}),
    (error) => error instanceof JobdError && error.code === 'rate_limited',
  );
  assert.equal(await turns('other', here, async () => 'read'), 'read');
  first.resolve();
  await Promise.all(asked);
  assert.equal(await turns('w', here, async () => 'read'), 'read');
});

test('whoever has left while it waited is not read for, and does not hold up others', async () => {
  const turns = createTurns();
  const first = Promise.withResolvers<void>();
  const left = new AbortController();
  const read: string[] = [];
  const one = turns('w', here, () => first.promise);
  const two = turns('w', left.signal, async () => read.push('left'));
  const three = turns('w', here, async () => read.push('here'));
  left.abort();
  first.resolve();
  await assert.rejects(two, { name: 'AbortError' });
  await Promise.all([one, three]);
  assert.deepEqual(read, ['here']);
});
