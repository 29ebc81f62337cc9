/**
 * Only the call threads load undici, and only its client. The deep import needs an exact version.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

const { cache } = createRequire(import.meta.url);

/** The modules of undici that this process has loaded. */
function loaded(): string[] {
  return Object.keys(cache).flatMap((path) => path.split('/node_modules/undici/').slice(1));
}

test('undici is pinned to one version', () => {
  const file = join(import.meta.dirname, '..', '..', 'package.json');
  const { dependencies } = JSON.parse(readFileSync(file, 'utf8'));
  assert.match(dependencies.undici, /^\d+\.\d+\.\d+$/);
});

test('the daemon does not load undici', async () => {
  await import('../../src/daemon.ts');
  assert.deepEqual(loaded(), []);
});

test('a call thread loads the undici client without fetch, mocks and caches', async () => {
  await import('../../src/egress/thread.ts');
  assert.ok(loaded().includes('lib/dispatcher/client.js'));
  const unwanted = /^index\.js|^lib\/(api|cache|interceptor|mock|web)\//;
  assert.deepEqual(
    loaded().filter((path) => unwanted.test(path)),
    [],
  );
});
