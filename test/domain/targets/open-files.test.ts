/** How open files are divided, for any limit. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { mostAttempts } from '../../../src/domain/alerts/delivery.ts';
import { shareOpenFiles } from '../../../src/domain/targets/open-files.ts';
import { openFilesLimit } from '../../../src/serve/file-limit.ts';
import { serveSettings } from '../../../src/settings/serve-settings.ts';

/** As `jobd serve` does. */
const share = (limit: number, slots: number) => shareOpenFiles(limit, slots, mostAttempts);

test("with the service's limit everything is as configured", () => {
  const expected = { slots: 512, connections: 2_000, idle: 8_192 };
  assert.deepEqual(share(65_536, 512), expected);
  assert.deepEqual(share(Infinity, 512), expected);
  assert.equal(share(65_536, 10_000).slots, 10_000);
});

test('with 1,024 all slots fit and clients share the rest, with 256 there are fewer slots', () => {
  assert.deepEqual(share(1_024, 512), { slots: 512, connections: 213, idle: 107 });
  assert.deepEqual(share(256, 512), { slots: 42, connections: 14, idle: 8 });
});

test('docs/install.md says what a limit of 1,024 files allows, and what the default of slots needs', () => {
  const page = readFileSync(new URL('../../../docs/install.md', import.meta.url), 'utf8');
  const said =
    /With a limit of 1,024 files there are (\d+), beside (\d+) calls at once. Below (\d+) /;
  const [, connections = 0, slots = 0, least = 0] = said.exec(page)?.map(Number) ?? [];
  const usual = Number(serveSettings.slots.usual);
  assert.deepEqual(share(1_024, usual), { slots, connections, idle: 107 });
  assert.equal(share(least, usual).slots, usual);
  assert.ok(share(least - 1, usual).slots < usual);
});

test('the parts never exceed the limit, and each gets some', () => {
  const limits = fc.integer({ min: 200, max: 100_000 });
  const wanted = fc.integer({ min: 1, max: 10_000 });
  fc.assert(
    fc.property(limits, wanted, (limit, slots) => {
      const shared = share(limit, slots);
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
