/** The form of API keys (docs/behavior.md#key-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyPattern, permissions } from '../../../src/domain/accounts/key.ts';

test('a key is cp_ and 64 hexadecimal digits, nothing before and nothing after', () => {
  const key = `cp_${'0123456789abcdef'.repeat(4)}`;
  assert.match(key, keyPattern);
  for (const text of [
    '',
    'cp_',
    key.slice(0, -1),
    `${key}0`,
    `${key}\n`,
    ` ${key}`,
    key.slice(3),
    key.replace('cp_', 'CP_'),
    key.replace('f', 'g'),
  ]) {
    assert.doesNotMatch(text, keyPattern);
  }
});

test('a key may read, or also write', () => {
  assert.deepEqual(permissions, ['read', 'write']);
});
