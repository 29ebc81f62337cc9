/** Files for the holders of an identity: what is read is what was written, or an error. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import {
  beginsEncrypted,
  decrypted,
  encryptFor,
  parseIdentities,
} from '../../../src/wings/backups/age.ts';
import { backupRecipients } from '../../../src/settings/setting.ts';
import { randomBytes, seed, seededRandom } from '../../support/dice.ts';

/** Yields a file in chunks, each in the same buffer. */
function* reusing(bytes: Uint8Array, chunkBytes = 100_000): Generator<Uint8Array> {
  const buffer = Buffer.alloc(chunkBytes);
  for (let begin = 0; begin < bytes.length; begin += chunkBytes) {
    const length = bytes.subarray(begin, begin + chunkBytes).length;
    buffer.set(bytes.subarray(begin, begin + length));
    yield buffer.subarray(0, length);
  }
}

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks));
}

const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);
const content = randomBytes(seededRandom(seed), 64 * 1024 * 3 + 17);
const file = await joined(encryptFor([recipient])(reusing(content)));
const read = (bytes: Uint8Array, by = [identity]) => joined(decrypted(reusing(bytes), by, 'f.age'));

test('each recipient reads what was written, of any length', async () => {
  assert.ok(beginsEncrypted(file));
  assert.deepEqual(await read(file), content);
  const other = await generateX25519Identity();
  const both = encryptFor([recipient, await identityToRecipient(other)]);
  for (const length of [0, 1, 64 * 1024, 64 * 1024 + 1]) {
    const written = await joined(both(reusing(content.subarray(0, length))));
    for (const by of [identity, other]) {
      assert.deepEqual(await read(written, [by]), content.subarray(0, length));
    }
  }
});

test('a file that was cut off, continued or changed anywhere is refused', async () => {
  const chunk = 64 * 1024 + 16;
  const payload = file.length - (3 * chunk + 17 + 16) - 16;
  const changed: Uint8Array[] = [
    file.subarray(0, -1),
    file.subarray(0, payload + 16 + chunk),
    file.subarray(0, payload + 16 + 3 * chunk),
    file.subarray(0, payload),
    Buffer.concat([file, Buffer.alloc(1)]),
    ...[30, payload - 5, payload + 3, payload + 20, file.length - 1].map((at) =>
      file.with(at, 1 ^ (file[at] ?? 0)),
    ),
  ];
  for (const [index, bytes] of changed.entries()) {
    await assert.rejects(
      read(bytes),
      /f\.age cannot be decrypted: it was (changed|not)/,
      `${index}`,
    );
  }
});

test('a file for somebody else is refused in other words', async () => {
  await assert.rejects(
    read(file, [await generateX25519Identity()]),
    /it was not encrypted for the identity that was given/,
  );
});

test('a header without an end is not kept in memory', async () => {
  let taken = 0;
  function* endless(): Generator<Uint8Array> {
    yield Buffer.from('age-encryption.org/v1\n');
    for (; ; taken += 1) {
      if (taken > 10) throw new Error('it continues reading');
      yield Buffer.alloc(1024 * 1024, 'x');
    }
  }
  await assert.rejects(joined(decrypted(endless(), [identity], 'f.age')), /cannot be decrypted/);
  assert.equal(taken, 0);
});

/** The error about a recipient; empty if there is none. */
function refusal(text: string): string {
  try {
    encryptFor(backupRecipients([text], '--recipient'));
    return '';
  } catch (error) {
    return String(error);
  }
}

test('what is no recipient is refused, and an identity in its place is not repeated', () => {
  const mistyped = recipient.slice(0, -1) + (recipient.endsWith('q') ? 'p' : 'q');
  assert.match(refusal(mistyped), /^JobdError: the recipient age1\w+ is mistyped/);
  assert.match(refusal('age1abc'), /--recipient must be a recipient .*got age1abc/);
  assert.match(refusal('age2abc'), /--recipient must be a recipient .*got age2abc/);
  assert.match(refusal('ssh-ed25519 AAAA'), /got an SSH key/);
  assert.match(refusal(identity), /this is an identity, which is secret/);
  assert.ok(!refusal(identity).includes(identity));
});

test('a file of identities is read as age-keygen writes it, and never repeated', () => {
  const text = `# created: 2026-11-21\n# public key: ${recipient}\n${identity}\n`;
  assert.deepEqual(parseIdentities(text, 'k.txt'), [identity]);
  assert.throws(() => parseIdentities('# nothing\n', 'k.txt'), /k\.txt has no identity in it/);
  assert.throws(() => parseIdentities(recipient, 'k.txt'), /age1… is a recipient/);
  const altered = identity.slice(0, -1) + (identity.endsWith('X') ? 'Q' : 'X');
  assert.throws(
    () => parseIdentities(altered, 'k.txt'),
    (error: Error) => !error.message.includes(identity.slice(20, 40)),
  );
  assert.throws(() => parseIdentities('age-encryption.org/v1\n', 'k.txt'), /is encrypted itself/);
});
