/** Sealed values open only in their own row, with the key that sealed them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../support/fast-check.ts';
import { JobdError } from '../../src/domain/errors.ts';
import { makeMasterKey, masterKeyText, parseMasterKey } from '../../src/secrets/master-key.ts';
import { sealedBy } from '../../src/secrets/seal.ts';
import { openVault } from '../../src/secrets/vault.ts';
import { testMasterKeyId as keyId, testMasterKeys, testVault } from '../support/fakes/vault.ts';
import { randomBytes, rollDice } from '../support/dice.ts';

/** The message of a refusal; it reveals nothing of the secret. */
function refusalOf(sealed: string, identity: string): string {
  try {
    testVault.open(sealed, identity);
  } catch (error) {
    assert.ok(error instanceof JobdError);
    assert.equal(error.code, 'unavailable');
    return error.message;
  }
  return assert.fail('it was opened');
}

test('a sealed text can be opened, and no two seals are alike', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const sealed = testVault.seal(keyId, text, 'jobs/1');
      assert.equal(testVault.open(sealed, 'jobs/1'), text.toWellFormed());
      assert.notEqual(testVault.seal(keyId, text, 'jobs/1'), sealed);
      assert.equal(sealedBy(sealed), keyId);
      assert.match(sealed, /^v1\.[0-9a-f]{16}\.[A-Za-z0-9+/]+=*$/);
    }),
  );
});

test('a value of another row is refused, by name', () => {
  const sealed = testVault.seal(keyId, 'canary-1', 'jobs/1');
  assert.match(refusalOf(sealed, 'jobs/2'), /^the sealed value of jobs\/2 cannot be opened: /);
  assert.match(refusalOf(sealed, 'signing_keys/1'), /was changed or moved/);
});

test('a change of any character is refused', () => {
  const sealed = testVault.seal(keyId, 'canary-1', 'jobs/1');
  for (let at = 0; at < sealed.length; at += 1) {
    for (const other of ['A', 'b', '0', '.']) {
      // The last character before the padding has unused bits.
      if (sealed[at] === other || sealed[at + 1] === '=' || sealed[at] === '=') continue;
      refusalOf(sealed.slice(0, at) + other + sealed.slice(at + 1), 'jobs/1');
    }
  }
  for (let length = 0; length < sealed.length - 2; length += 1) {
    refusalOf(sealed.slice(0, length), 'jobs/1');
  }
});

test('a missing key is named', () => {
  const other = makeMasterKey();
  const vault = openVault({ ...testMasterKeys, read: () => [other] });
  const sealed = vault.seal(other.id, 'canary-1', 'jobs/1');
  assert.match(
    refusalOf(sealed, 'jobs/1'),
    new RegExp(`jobs/1 cannot be opened: the master key ${other.id} is missing`),
  );
  assert.throws(() => vault.seal(keyId, 'x', 'jobs/1'), /is not in/);
});

test('a vault finds keys that are added after it was opened, and keeps those that are removed', () => {
  const [first, second] = [makeMasterKey(), makeMasterKey()];
  let there = [first];
  const vault = openVault({ ...testMasterKeys, read: () => there });
  const old = vault.seal(first.id, 'old', 'jobs/1');
  there = [second];
  assert.equal(vault.open(vault.seal(second.id, 'new', 'jobs/1'), 'jobs/1'), 'new');
  assert.equal(vault.open(old, 'jobs/1'), 'old');
});

test('a key is 32 bytes in hexadecimal, base64 or base64url, and has the same id in each', (t) => {
  const bytes = randomBytes(rollDice(t), 32);
  const ids = (['hex', 'base64', 'base64url'] as const).map(
    (form) => parseMasterKey(bytes.toString(form), 'it').id,
  );
  const key = parseMasterKey(bytes.toString('hex').toUpperCase(), 'it');
  assert.deepEqual(new Set([...ids, key.id]).size, 1);
  assert.equal(masterKeyText(key), bytes.toString('base64'));
  assert.ok(!bytes.toString('hex').includes(key.id));
});

test('an invalid key is refused and not repeated in the message', () => {
  for (const text of ['canary', 'canary'.repeat(8), `canary${'0'.repeat(57)}`, 'é'.repeat(43)]) {
    assert.throws(
      () => parseMasterKey(text, 'JOBD_SECRET_KEY'),
      (error: Error) =>
        error.message.startsWith('JOBD_SECRET_KEY must be 32') && !/canary|é/.test(error.message),
    );
  }
});
