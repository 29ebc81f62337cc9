/** The store as commands open it on this machine, whether or not a daemon serves it. */

import type { Caller } from './app/operator/caller.ts';
import { openStoreVault } from './app/secrets/master-keys.ts';
import { cacheDir } from './config.ts';
import { systemClock } from './domain/clock.ts';
import type { Clock } from './domain/clock.ts';
import { JobdError } from './domain/errors.ts';
import { newId } from './domain/id.ts';
import type { Vault } from './domain/secrets/vault.ts';
import { givenMasterKey, masterKeysInFile, withNextMasterKey } from './secrets/master-keys.ts';
import type { MasterKeys } from './secrets/master-keys.ts';
import { ensureDefaultWorkspace } from './store/accounts/workspaces.ts';
import { unpackAddonInto } from './store/sqlite/addon.ts';
import { lockDataDir, lockMasterKey } from './store/sqlite/lock.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/database/store.ts';

export { lostDatabase as lostStore } from './store/sqlite/lost.ts';
export { hasDatabase as hasStore } from './store/sqlite/open.ts';

/** An open store, with its keys. */
export interface Local extends AsyncDisposable {
  store: Store;
  clock: Clock;
  masterKeys: MasterKeys;
  /** Who runs the command that opened it. */
  caller?: Caller;
  /** Opens what is sealed in the store. Throws `unavailable` if the master key is missing. */
  readonly openVault: () => Promise<Vault>;
}

/** Master keys of the environment, as text. */
interface GivenKeys {
  current: string | null;
  next: string | null;
}

/** Where a store is: in a data directory, or in the database of a URL. */
export interface Place {
  dataDir: string;
  /** Null for a data directory. */
  database: string | null;
}

/**
 * Opens a store, and makes what every store has. `secretKey` is the master key, null if it is a file in the data directory.
 * Throws `invalid_input` if a server's database is opened without one.
 */
export async function openLocal(
  { dataDir, database }: Place,
  clock: Clock = systemClock,
  secretKey: string | null = null,
): Promise<Local> {
  const masterKeys =
    database === null ? prepareDatabase(dataDir, secretKey) : requireGivenKey(secretKey);
  const store = await openStore(database ?? dataDir);
  const now = clock.now();
  await ensureDefaultWorkspace(store, newId(now), now);
  return {
    store,
    clock,
    masterKeys,
    openVault: () => openStoreVault({ store, clock, masterKeys }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/**
 * To be called before a database is opened: the driver then has a second place to be unpacked in. Returns the master
 * keys of the data directory. Throws `invalid_input`.
 */
export function prepareDatabase(dataDir: string, secretKey: string | null): MasterKeys {
  unpackAddonInto(cacheDir());
  return masterKeysFor(dataDir, { current: secretKey, next: null });
}

/** No key is made for a database on a server: it would be on this machine alone. */
function requireGivenKey(secretKey: string | null): MasterKeys {
  if (secretKey !== null) return givenMasterKey(secretKey);
  throw new JobdError(
    'invalid_input',
    'a database on a server needs the master key in JOBD_SECRET_KEY: make one with openssl rand -base64 32, and keep a copy',
  );
}

/** The master keys of a data directory, with the one to rotate to. Throws `invalid_input`. */
export function masterKeysFor(dataDir: string, { current, next }: GivenKeys): MasterKeys {
  const inFile = masterKeysInFile(dataDir);
  const keys = current === null ? inFile : { ...givenMasterKey(current), hidden: inFile };
  return next === null ? keys : { ...withNextMasterKey(keys, next), hidden: inFile };
}

/** Locks a data directory so that nobody serves it meanwhile. Throws `conflict`, naming who does. */
export function lockStopped(dataDir: string): Disposable {
  using locks = new DisposableStack();
  locks.use(lockDataDir(dataDir));
  locks.use(lockMasterKey(dataDir));
  return locks.move();
}

/**
 * Locks the master key for a change. A running daemon notices a change of the key file; a key of the environment can
 * only change while it is stopped. Throws `conflict`.
 */
export function lockMasterKeyFor(dataDir: string, { current, next }: GivenKeys): Disposable {
  const isGiven = current !== null || next !== null;
  return isGiven ? lockStopped(dataDir) : lockMasterKey(dataDir);
}
