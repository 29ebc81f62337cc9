/**
 * The way out when the master key is lost for good: what it sealed is given up, so that all else can be used
 * again. Nothing is called or told without its credentials: what was given up can be opened by no key, jobs are
 * paused and channels disabled until people set them anew.
 */

import { JobdError } from '../../domain/errors.ts';
import { givenUp, ifOpens, placeOf } from '../../domain/secrets/vault.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import { makeSigningKey, openSigningKey } from '../../receipt/keyring.ts';
import type { MasterKey } from '../../secrets/master-key.ts';
import { openVault } from '../../secrets/vault.ts';
import * as keys from '../../store/secrets/master-keys.ts';
import { endDeliveries } from '../../store/alerts/deliveries.ts';
import type { Db } from '../../store/database/open.ts';
import {
  giveUpChannel,
  giveUpJob,
  listSealedRows,
  overwriteFreed,
} from '../../store/secrets/sealed.ts';
import type { SealedOwner, SealedRow } from '../../store/secrets/sealed.ts';
import { activateSigningKey, findActiveSigningKey } from '../../store/receipts/signing-keys.ts';
import { eraseFreed } from '../../store/database/space.ts';
import type { MasterKeyParts } from './master-keys.ts';

/** What was given up: what people have to set anew. */
export interface GivenUp {
  /** Id of the master key that seals from now on. */
  keyId: string;
  jobs: SealedOwner[];
  channels: SealedOwner[];
  /** Id of the key that signs receipts from now on; null if it is the one of before. */
  signingKeyId: string | null;
  /** Whether nothing is left in the file that the lost key opens. */
  isErased: boolean;
}

const rowsPerLook = 100;

/** Throws `not_found` if the store has no master key of this id, `conflict` if it is not lost. */
export async function requireLostKey(
  { store, masterKeys }: MasterKeyParts,
  keyId: string,
): Promise<void> {
  const known = await keys.listMasterKeys(store.db);
  if (known.every((key) => key.keyId !== keyId)) {
    throw new JobdError('not_found', `nothing in this store is sealed with a master key ${keyId}`);
  }
  if (masterKeys.read().every(({ id }) => id !== keyId)) return;
  const why = `the master key ${keyId} is in ${masterKeys.name} and opens what is sealed`;
  throw new JobdError('conflict', `${why}: there is nothing to forget`);
}

/**
 * Gives up all that cannot be opened with the keys there are, and goes on with a key that is there, or a new one.
 * Public signing keys stay, so that receipts can be checked as before. Nobody may serve meanwhile. Throws as
 * `requireLostKey` does, and `unavailable` if a key cannot be made.
 */
export async function forgetLostKey(parts: MasterKeyParts, lostId: string): Promise<GivenUp> {
  const { store, clock } = parts;
  await requireLostKey(parts, lostId);
  const next = await keyToGoOnWith(parts);
  const vault = openVault(parts.masterKeys);
  await overwriteFreed(store.db);
  const forgotten = await store.write(async (tx) => {
    const now = clock.now();
    const known = await keys.listMasterKeys(tx);
    if (known[0]?.keyId !== next.id) await keys.activateMasterKey(tx, next.id, now);
    const lost = known.map(({ keyId }) => keyId).filter((keyId) => !vault.has(keyId));
    await keys.removeMasterKeys(tx, lost);
    const signingKeyId = await replaceSigningKey(tx, vault, next.id, now);
    const jobs = await giveUp(tx, 'jobs', vault, giveUpJob);
    const channels = await giveUp(tx, 'channels', vault, async (db, id) => {
      await giveUpChannel(db, id);
      await endDeliveries(db, id, 'the config of the channel was given up with its master key');
    });
    return { keyId: next.id, jobs, channels, signingKeyId };
  });
  return { ...forgotten, isErased: await eraseFreed(store.db) };
}

/** The active key if it is here, else one that sealed nothing yet, else a new one. */
async function keyToGoOnWith({ store, masterKeys }: MasterKeyParts): Promise<MasterKey> {
  const known = await keys.listMasterKeys(store.db);
  const ids = new Set(known.map(({ keyId }) => keyId));
  const usable = (): MasterKey | undefined => {
    const here = masterKeys.read();
    const active = here.find(({ id }) => id === known[0]?.keyId);
    return active ?? here.find(({ id }) => !ids.has(id));
  };
  const found = usable();
  if (found !== undefined) return found;
  const [other] = masterKeys.read();
  if (other === undefined) masterKeys.makeFirst();
  else masterKeys.makeNext(other);
  return usable() ?? failed();
}

function failed(): never {
  throw new Error('the new master key is not there');
}

/** Lets another key sign if the private part of the one that does was lost; its public part stays. */
async function replaceSigningKey(
  tx: Db,
  vault: Vault,
  masterKeyId: string,
  now: number,
): Promise<string | null> {
  const active = await findActiveSigningKey(tx);
  if (active === undefined) return null;
  if (ifOpens(() => openSigningKey(vault, active)) !== undefined) return null;
  const key = makeSigningKey(vault, masterKeyId);
  await activateSigningKey(tx, key, now);
  return key.keyId;
}

/** Gives up what of a table cannot be opened; returns what of it people know. */
async function giveUp(
  tx: Db,
  table: 'jobs' | 'channels',
  vault: Vault,
  giveUpOne: (db: Db, id: string) => Promise<void>,
): Promise<SealedOwner[]> {
  const lost: SealedOwner[] = [];
  let rows: SealedRow[];
  let afterId = '';
  do {
    rows = await listSealedRows(tx, table, { afterId, limit: rowsPerLook });
    for (const { value, ...owner } of rows) {
      afterId = owner.id;
      if (value.sealed === givenUp) continue;
      const place = placeOf(table, value);
      if (ifOpens(() => vault.open(value.sealed, place)) !== undefined) continue;
      await giveUpOne(tx, owner.id);
      if (value.isDeleted === 0) lost.push(owner);
    }
  } while (rows.length > 0);
  return lost;
}
