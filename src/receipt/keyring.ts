/**
 * The private keys, each a file of its own that only its owner can read, beside the database: whoever
 * gets a copy of the database alone cannot sign.
 */

import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { JobdError } from '../domain/errors.ts';
import { signingKeyOf } from './sign.ts';
import type { SigningKey } from './sign.ts';

export interface Keyring {
  /** Makes a key; its private part is on the disk when this returns. Throws `unavailable`. */
  make(): SigningKey;
  /** The key with this id. Throws `unavailable`, naming the file, if it is not there or is another. */
  load(keyId: string): SigningKey;
  /** Removes the private part of a key that signs no more. */
  forget(keyId: string): void;
}

/** The keyring in a data directory. */
export function openKeyring(dataDir: string): Keyring {
  const directory = join(dataDir, 'signing-keys');
  const fileOf = (keyId: string): string => join(directory, `${keyId}.pem`);
  return {
    make() {
      const key = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
      const pem = key.privateKey.export({ format: 'pem', type: 'pkcs8' });
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        writeSynced(fileOf(key.keyId), pem);
        syncDirectory(directory);
      } catch (error) {
        throw unusable(`the signing key cannot be kept in ${fileOf(key.keyId)}`, error);
      }
      return key;
    },
    load(keyId) {
      const file = fileOf(keyId);
      let key: SigningKey;
      try {
        key = signingKeyOf(createPrivateKey(readFileSync(file)));
      } catch (error) {
        throw unusable(`the signing key cannot be read from ${file}`, error);
      }
      if (key.keyId === keyId) return key;
      throw new JobdError('unavailable', `${file} holds another key, ${key.keyId}`);
    },
    forget(keyId) {
      rmSync(fileOf(keyId), { force: true });
    },
  };
}

function writeSynced(file: string, text: string | Buffer): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    writeSync(descriptor, String(text));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A new file is only sure to be there when its directory was synced too. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function unusable(what: string, error: unknown): JobdError {
  const why = error instanceof Error ? error.message : String(error);
  const help = 'restore it from a backup, or let another one sign: jobd signing-key rotate';
  return new JobdError('unavailable', `${what}: ${why}; ${help}`, { cause: error });
}
