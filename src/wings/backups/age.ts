/**
 * Encryption of whole files for people who are away, in the age format (age-encryption.org/v1): whoever has the recipients
 * can write, only who has an identity can read. Everything is streamed: a file may be larger than memory.
 */

import { Decrypter, Encrypter } from 'age-encryption';
import { invalidInput, JobdError, messageOf } from '../../domain/errors.ts';

/** The first line of an encrypted file. */
const firstLine = 'age-encryption.org/v1\n';
/** The library reads the header into memory. One for a thousand recipients is about this long. */
const longestHeader = 128 * 1024;

/** Whether a file that begins with these bytes is encrypted. */
export function beginsEncrypted(beginning: Uint8Array): boolean {
  return Buffer.from(beginning).toString('latin1').startsWith(firstLine);
}

/** What reads files for nobody but the holders of some identities. */
export type Encrypt = (chunks: Iterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** Encrypts for all of these recipients; each can decrypt alone. Throws `invalid_input` if one is mistyped. */
export function encryptFor(recipients: readonly string[]): Encrypt {
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (error) {
      throw invalidInput(`the recipient ${recipient} is mistyped: ${messageOf(error)}`);
    }
  }
  return (chunks) => encrypted(encrypter, chunks);
}

async function* encrypted(
  encrypter: Encrypter,
  chunks: Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* await encrypter.encrypt(streamOf(chunks));
}

/** Identities of one file of them. */
export type Identities = readonly string[];

/** Reads a file of identities, as age-keygen writes it. Throws `invalid_input`, never repeating what is in it. */
export function parseIdentities(text: string, path: string): Identities {
  if (text.startsWith(firstLine) || text.includes('BEGIN AGE ENCRYPTED FILE')) {
    throw invalidInput(
      `${path} is encrypted itself: decrypt it first, with age -d -o identity.txt ${path}`,
    );
  }
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (identities.length === 0) throw invalidInput(`${path} has no identity in it`);
  const decrypter = new Decrypter();
  for (const identity of identities) {
    try {
      decrypter.addIdentity(identity);
    } catch {
      const hint = identity.startsWith('age1')
        ? ': age1… is a recipient, which cannot decrypt'
        : '';
      throw invalidInput(
        `${path} must have lines that begin with AGE-SECRET-KEY-1, as age-keygen writes them${hint}`,
      );
    }
  }
  return identities;
}

/** Decrypts a file called `path`. Throws `unavailable` at the first chunk that is not as it was written. */
export async function* decrypted(
  chunks: Iterable<Uint8Array>,
  identities: Identities,
  path: string,
): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  try {
    yield* await decrypter.decrypt(streamOf(withHeader(chunks)));
  } catch (error) {
    throw error instanceof JobdError ? error : unreadable(path, messageOf(error), error);
  }
}

function unreadable(path: string, reason: string, cause: unknown): JobdError {
  const words = reason.startsWith('no identity matched')
    ? 'it was not encrypted for the identity that was given'
    : 'it was changed, or cut off, since it was encrypted';
  return new JobdError('unavailable', `${path} cannot be decrypted: ${words}`, { cause });
}

/** Refuses an endless header before the library keeps all of it. */
function* withHeader(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let isFirst = true;
  for (const bytes of chunks) {
    const header = Buffer.from(bytes.subarray(0, longestHeader));
    if (isFirst && !header.includes('\n---')) throw new Error('the header does not end');
    isFirst = false;
    yield bytes;
  }
}

/** Asks for a chunk only when one is wanted. The bytes are copied: their source may use its buffer again. */
function streamOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(Uint8Array.from(next.value));
    },
    cancel() {
      iterator.return?.();
    },
  });
}
