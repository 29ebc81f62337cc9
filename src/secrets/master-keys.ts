/** The sources of master keys: a file beside the database, or the environment. */

import { JobdError } from '../domain/errors.ts';
import { createKeyFile, keyFilePath, readKeyFile, replaceKeyFile } from './key-file.ts';
import { makeMasterKey, parseMasterKey, type MasterKey } from './master-key.ts';

export interface MasterKeys {
  /** For messages: a path, or the name of a variable. */
  name: string;
  /** Whether they are in a file, a line each. */
  isFile: boolean;
  /** Those in the file of the data directory, which nobody reads while the environment has one. */
  hidden?: MasterKeys;
  /** The available keys, the newest first. Throws `JobdError` if one is not valid. */
  read(): MasterKey[];
  /** Makes the first key; it is on the disk when this returns. Throws `unavailable`. */
  makeFirst(): void;
  /** Makes the key that will replace this one; both are on the disk when this returns. Throws `unavailable`. */
  makeNext(active: MasterKey): void;
  /** Removes all other keys, once nothing is sealed with them. */
  keepOnly(active: MasterKey): void;
}

/** The ids of the available keys, the newest first. Throws `JobdError` if a key is not valid. */
export function availableIds(keys: MasterKeys): string[] {
  return keys.read().map(({ id }) => id);
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

/** A key as text, and the variable that it is from. */
interface GivenKey {
  name: string;
  text: string;
}

/** The key of the environment. Throws `invalid_input` if it is not valid. */
export function givenMasterKey({ name, text }: GivenKey): MasterKeys {
  return given(name, [parseMasterKey(text, name)]);
}

/** The key to rotate to, and the previous ones. Throws `invalid_input` if it is not valid. */
export function withNextMasterKey(keys: MasterKeys, { name, text }: GivenKey): MasterKeys {
  return given(name, [parseMasterKey(text, name), ...keys.read()]);
}

/** Keys of the environment: jobd can neither make nor remove them. */
function given(name: string, keys: readonly MasterKey[]): MasterKeys {
  return {
    name: name.replace('_NEW', ''),
    isFile: false,
    read: () => [...keys],
    makeFirst: refuseToMake,
    makeNext: refuseToMake,
    keepOnly: () => {},
  };
}

/** No key is given. None is made for a database on a server either: it would be on this machine alone. */
export function noMasterKeys(): MasterKeys {
  return {
    name: 'JOBD_SECRET_KEY',
    isFile: false,
    read: () => [],
    makeFirst: refuseToMakeFirst,
    makeNext: refuseToMakeFirst,
    keepOnly: () => {},
  };
}

function refuseToMakeFirst(): never {
  throw needsMasterKey();
}

/** A new database on a server needs a key. */
export function needsMasterKey(): JobdError {
  return new JobdError(
    'invalid_input',
    'a database on a server needs the master key in JOBD_SECRET_KEY or the file of JOBD_SECRET_KEY_FILE: make one with openssl rand -base64 32, and keep a copy',
  );
}

function refuseToMake(): never {
  throw new JobdError(
    'invalid_input',
    'JOBD_SECRET_KEY_NEW must be another key than the one in use (openssl rand -base64 32)',
  );
}
