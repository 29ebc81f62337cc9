/** The store as commands open it on this machine, whether or not a daemon serves it. */

import type { Caller } from './app/operator/caller.ts';
import { whoServes } from './app/operator/served.ts';
import type { Place } from './app/operator/served.ts';
import { openStoreVault } from './app/secrets/master-keys.ts';
import { cacheDir } from './config.ts';
import type { GivenKey } from './config.ts';
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

export type { Place };
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

/** Master keys of the environment. */
interface GivenKeys {
  current: GivenKey | null;
  next: GivenKey | null;
}

/** How a store is opened. */
interface Opening {
  clock?: Clock;
  /** The master key; null if it is a file in the data directory. */
  secretKey?: GivenKey | null;
  /** Whether a server's database that has nothing in it yet becomes a store. */
  mayMake?: boolean;
}

/**
 * Opens a store, and makes what every store has. Throws `invalid_input` if a server's database is opened without a master
 * key, and `not_found` if there is no store in it and none may be made.
 */
export async function openLocal(
  { dataDir, database }: Place,
  { clock = systemClock, secretKey = null, mayMake = false }: Opening = {},
): Promise<Local> {
  const masterKeys =
    database === null ? prepareDatabase(dataDir, secretKey) : requireGivenKey(secretKey);
  const store = await openStore(database ?? dataDir, { mayMake });
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

/** To be called before a database file is opened: the driver then has a second place to be unpacked in. */
export function unpackDriverFor({ database }: Place): void {
  if (database === null) unpackAddonInto(cacheDir());
}

/** The same for a data directory. Returns its master keys. Throws `invalid_input`. */
export function prepareDatabase(dataDir: string, secretKey: GivenKey | null): MasterKeys {
  const place = { dataDir, database: null };
  unpackDriverFor(place);
  return masterKeysFor(place, { current: secretKey, next: null });
}

/** No key is made for a database on a server: it would be on this machine alone. */
function requireGivenKey(secretKey: GivenKey | null): MasterKeys {
  if (secretKey !== null) return givenMasterKey(secretKey);
  throw new JobdError(
    'invalid_input',
    'a database on a server needs the master key in JOBD_SECRET_KEY or the file of JOBD_SECRET_KEY_FILE: make one with openssl rand -base64 32, and keep a copy',
  );
}

/** The master keys of a place, with the one to rotate to. Throws `invalid_input`. */
export function masterKeysFor({ dataDir, database }: Place, given: GivenKeys): MasterKeys {
  const { current, next } = given;
  if (database !== null) {
    const keys = requireGivenKey(current);
    return next === null ? keys : withNextMasterKey(keys, next);
  }
  const inFile = masterKeysInFile(dataDir);
  const keys = current === null ? inFile : { ...givenMasterKey(current), hidden: inFile };
  return next === null ? keys : { ...withNextMasterKey(keys, next), hidden: inFile };
}

/**
 * Locks a data directory so that nobody serves it meanwhile; a database on a server must not be served now. Throws `conflict`,
 * naming who does.
 */
export async function lockStopped({ dataDir, database }: Place, local: Local): Promise<Disposable> {
  using locks = new DisposableStack();
  if (database === null) {
    locks.use(lockDataDir(dataDir));
    locks.use(lockMasterKey(dataDir));
    return locks.move();
  }
  const who = await whoServes({ dataDir, database }, local.store.db);
  if (who === null) return locks.move();
  throw new JobdError('conflict', `jobd (${who}) serves this database, stop it first`);
}

/**
 * Locks the master key for a change. A running daemon notices a change of the key file; a key of the environment can
 * only change while it is stopped. Throws `conflict`.
 */
export async function lockMasterKeyFor(
  place: Place,
  local: Local,
  { current, next }: GivenKeys,
): Promise<Disposable> {
  const isGiven = current !== null || next !== null;
  return isGiven ? await lockStopped(place, local) : lockMasterKey(place.dataDir);
}
