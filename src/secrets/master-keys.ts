/** Where master keys come from: a file beside the database, or the environment. */

import { JobdError } from '../domain/errors.ts';
import { createKeyFile, keyFilePath, readKeyFile, replaceKeyFile } from './key-file.ts';
import { makeMasterKey, parseMasterKey } from './master-key.ts';
import type { MasterKey } from './master-key.ts';

export interface MasterKeys {
  /** For messages: a path, or the name of a variable. */
  name: string;
  /** Whether they are in a file, a line each. */
  isFile: boolean;
  /** Every key there is now, the newest first. Throws `JobdError` if what is there is no key. */
  read(): MasterKey[];
  /** Makes the first key; it is on the disk when this returns. Throws `unavailable`. */
  makeFirst(): void;
  /** Makes the key that takes the place of this one; both are on the disk when this returns. */
  makeNext(active: MasterKey): void;
  /** Forgets the others: nothing is left that they sealed. */
  keepOnly(active: MasterKey): void;
}

/** The keys in the file of a data directory. */
export function masterKeysInFile(dataDir: string): MasterKeys {
  const path = keyFilePath(dataDir);
  return {
    name: path,
    isFile: true,
    read: () => readKeyFile(path),
    makeFirst: () => createKeyFile(path, makeMasterKey()),
    makeNext: (active) => replaceKeyFile(path, [makeMasterKey(), active]),
    keepOnly: (active) => replaceKeyFile(path, [active]),
  };
}

/** The key in JOBD_SECRET_KEY. Throws `invalid_input` if it is none. */
export function givenMasterKey(text: string): MasterKeys {
  return given([parseMasterKey(text, 'JOBD_SECRET_KEY')]);
}

/** The key of JOBD_SECRET_KEY_NEW, behind those there are. Throws `invalid_input` if it is none. */
export function withNextMasterKey(keys: MasterKeys, text: string): MasterKeys {
  return given([parseMasterKey(text, 'JOBD_SECRET_KEY_NEW'), ...keys.read()]);
}

/** Whoever gave them keeps them, too. */
function given(keys: readonly MasterKey[]): MasterKeys {
  return {
    name: 'JOBD_SECRET_KEY',
    isFile: false,
    read: () => [...keys],
    makeFirst: refuseToMake,
    makeNext: refuseToMake,
    keepOnly: () => {},
  };
}

function refuseToMake(): never {
  throw new JobdError(
    'invalid_input',
    'JOBD_SECRET_KEY_NEW must be another key than the one in use (openssl rand -base64 32)',
  );
}
