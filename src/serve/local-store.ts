/** The store as commands open it on this machine, whether or not a daemon serves it. */

import type { Caller } from '../app/operator/caller.ts';
import { whoServes, type Place } from '../app/operator/served.ts';
import { openStoreVault } from '../app/secrets/master-keys.ts';
import { cacheDir, type GivenKey, type GivenKeys } from '../settings/config.ts';
import { systemClock, type Clock } from '../domain/clock.ts';
import { JobdError } from '../domain/errors.ts';
import { newId } from '../domain/id.ts';
import { nodeName } from '../domain/nodes.ts';
import type { Vault } from '../domain/secrets/vault.ts';
import {
  availableIds,
  givenMasterKey,
  masterKeysInFile,
  needsMasterKey,
  noMasterKeys,
  withNextMasterKey,
} from '../secrets/master-keys.ts';
import type { MasterKeys } from '../secrets/master-keys.ts';
import { ensureDefaultWorkspace } from '../store/accounts/workspaces.ts';
import { databaseClockOf, type DatabaseClock } from '../store/nodes/database-clock.ts';
import { unpackAddonInto } from '../store/sqlite/addon.ts';
import { lockDataDir, lockMasterKey } from '../store/sqlite/lock.ts';
import { openStore } from '../store/open.ts';
import type { Db, Store } from '../store/database/store.ts';
import type { StoreUpgrade } from '../store/database/upgrade.ts';
import { findLiveNodes } from '../store/nodes/nodes.ts';

export type { Place };
export { loadAddonOfBundle as loadDriverOfBundle } from '../store/sqlite/addon.ts';
export { lostDatabase as lostStore, movedDatabase as movedStore } from '../store/sqlite/lost.ts';
export { hasDatabase as hasStore } from '../store/sqlite/reader.ts';

/** An open store, with its keys. */
export interface Local extends AsyncDisposable {
  store: Store;
  clock: Clock;
  /** The same if it is the clock of a database on a server; else null. */
  databaseClock: DatabaseClock | null;
  masterKeys: MasterKeys;
  /** The ids of the master keys that are there. Throws `JobdError` if one is not valid. */
  readonly masterKeyIds: () => string[];
  /** Who runs the command that opened it. */
  caller?: Caller;
  /** Opens what is sealed in the store. Throws `unavailable` if the master key is missing. */
  readonly openVault: () => Promise<Vault>;
}

interface Opening {
  /** By default that of this machine, or of the database if that is on a server. */
  clock?: Clock;
  /** By default the master keys are in a file in the data directory. */
  keys?: GivenKeys;
  /** Whether a server's database that has nothing in it yet becomes a store. */
  mayMake?: boolean;
  /** Brings an older store up to date, which is refused without it. */
  upgrade?: Omit<StoreUpgrade, 'now'>;
}

/**
 * Opens a store, and makes what every store has. Throws `invalid_input` if a server's database would be made without a
 * master key, and `not_found` if there is no store in it and none may be made.
 */
export async function openLocal(
  { dataDir, database }: Place,
  { clock: given, keys = noKeys, mayMake = false, upgrade }: Opening = {},
): Promise<Local> {
  const masterKeys =
    database === null
      ? prepareDatabase(dataDir, keys.current)
      : masterKeysFor({ dataDir, database }, keys);
  const hasKey = database === null || availableIds(masterKeys).length > 0;
  const store = await openStore(database ?? dataDir, {
    mayMake: mayMake && hasKey,
    ...(upgrade && { upgrade: { ...upgrade, now: (given ?? systemClock).now() } }),
  }).catch((error: unknown) => {
    const isNothingThere = error instanceof JobdError && error.code === 'not_found';
    throw mayMake && !hasKey && isNothingThere ? needsMasterKey() : error;
  });
  const goesByServer = database !== null && given === undefined;
  const databaseClock = goesByServer ? await databaseClockOf(store.db, systemClock) : null;
  const clock = databaseClock ?? given ?? systemClock;
  const now = clock.now();
  await ensureDefaultWorkspace(store, newId(now), now);
  return {
    store,
    clock,
    databaseClock,
    masterKeys,
    masterKeyIds: () => availableIds(masterKeys),
    openVault: () => openStoreVault({ store, clock, masterKeys }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const noKeys: GivenKeys = { current: null, next: null };

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

/** The master keys of a place, with the one to rotate to. Throws `invalid_input`. */
export function masterKeysFor({ dataDir, database }: Place, given: GivenKeys): MasterKeys {
  const { current, next } = given;
  if (database !== null) {
    const keys = current === null ? noMasterKeys() : givenMasterKey(current);
    return next === null ? keys : withNextMasterKey(keys, next);
  }
  const inFile = masterKeysInFile(dataDir);
  const keys = current === null ? inFile : { ...givenMasterKey(current), hidden: inFile };
  return next === null ? keys : { ...withNextMasterKey(keys, next), hidden: inFile };
}

/** Locks a data directory, so that nobody serves it; a server's database must not be served. Throws `conflict`, naming who does. */
export async function lockStopped({ dataDir, database }: Place, local: Local): Promise<Disposable> {
  if (database === null) return lockOffline(dataDir);
  const who = await whoServes({ dataDir, database }, local.store.db);
  if (who === null) return new DisposableStack();
  throw new JobdError('conflict', `jobd (${who}) serves this database, stop it first`);
}

/** Locks a data directory so that nobody serves it or changes its master key meanwhile. Throws `conflict`. */
export function lockOffline(dataDir: string): Disposable {
  using locks = new DisposableStack();
  locks.use(lockDataDir(dataDir));
  locks.use(lockMasterKey(dataDir));
  return locks.move();
}

/**
 * Locks the master key for a change. A running daemon notices a change of the key file; a key of the environment can only change
 * while it is stopped. On a server every node must have the next key beside the one in use. Throws `conflict`.
 */
export async function lockMasterKeyFor(
  place: Place,
  local: Local,
  { current, next }: GivenKeys,
): Promise<Disposable> {
  if (place.database !== null && next !== null) {
    await requireOnAllNodes(local.store.db, givenMasterKey(next));
    return new DisposableStack();
  }
  const isGiven = current !== null || next !== null;
  return isGiven ? await lockStopped(place, local) : lockMasterKey(place.dataDir);
}

async function requireOnAllNodes(db: Db, nextKey: MasterKeys): Promise<void> {
  const ids = availableIds(nextKey);
  const live = await findLiveNodes(db);
  const without = live.filter(({ masterKeys }) => !ids.every((id) => masterKeys.includes(id)));
  if (without.length === 0) return;
  const names = without.map(nodeName).join(', ');
  throw new JobdError('conflict', `some nodes do not have the new master key yet: ${names}`, {
    notes: ['start each with JOBD_SECRET_KEY_NEW beside the key in use, then rotate'],
  });
}
