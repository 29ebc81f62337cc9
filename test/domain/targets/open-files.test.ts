/** How open files are divided, for any limit. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { shareOpenFiles } from '../../../src/domain/targets/open-files.ts';
import { openFilesLimit } from '../../../src/serve/file-limit.ts';

test("with the service's limit everything is as configured", () => {
  const expected = { slots: 512, connections: 2_000, idle: 8_192 };
  assert.deepEqual(shareOpenFiles(65_536, 512, 64), expected);
  assert.deepEqual(shareOpenFiles(Infinity, 512, 64), expected);
  assert.equal(shareOpenFiles(65_536, 10_000, 64).slots, 10_000);
});

test('with 1,024 all slots fit and clients share the rest, with 256 there are fewer slots', () => {
  assert.deepEqual(shareOpenFiles(1_024, 512, 64), { slots: 512, connections: 234, idle: 118 });
  assert.deepEqual(shareOpenFiles(256, 512, 64), { slots: 64, connections: 21, idle: 11 });
});

test('the parts never exceed the limit, and each gets some', () => {
  const limits = fc.integer({ min: 200, max: 100_000 });
  const wanted = fc.integer({ min: 1, max: 10_000 });
  fc.assert(
    fc.property(limits, wanted, (limit, slots) => {
      const shared = shareOpenFiles(limit, slots, 64);
      assert.ok(shared.slots >= 1 && shared.slots <= slots);
      assert.ok(shared.connections >= 8);
      assert.ok(shared.idle >= 0);
      assert.ok(shared.slots + shared.connections + shared.idle + 150 <= limit);
    }),
  );
});

function text(limit: string): string {
  return [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    `Max open files            ${limit}                 524288               files     `,
  ].join('\n');
}

test('the limit is read from Linux, elsewhere it is the guaranteed minimum', () => {
  assert.equal(openFilesLimit(text('1024')), 1_024);
  assert.equal(openFilesLimit(text('unlimited')), Infinity);
  assert.equal(openFilesLimit('nothing of it'), 10_240);
  assert.equal(openFilesLimit(null), 10_240);
});
