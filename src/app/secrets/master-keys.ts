/** The master key: made at the first start, demanded at every other, changed on request. */

import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import { givenUp, ifOpens, placeOf, rowOf, sealedTables } from '../../domain/secrets/vault.ts';
import type { SealedTable, Vault } from '../../domain/secrets/vault.ts';
import type { MasterKey } from '../../secrets/master-key.ts';
import { openVault } from '../../secrets/vault.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';
import * as keys from '../../store/secrets/master-keys.ts';
import type { Db, Store } from '../../store/database/open.ts';
import { findSealedByOthers, overwriteFreed, replaceSealed } from '../../store/secrets/sealed.ts';
import type { SealedValue } from '../../store/secrets/sealed.ts';
import { eraseFreed } from '../../store/database/space.ts';

export interface MasterKeyParts {
  store: Store;
  clock: Clock;
  masterKeys: MasterKeys;
}

/**
 * Opens the vault of a store; the first time it makes a key. Throws `unavailable`, having written nothing,
 * if a key that sealed something is not there.
 */
export async function openStoreVault({ store, clock, masterKeys }: MasterKeyParts): Promise<Vault> {
  if ((await keys.listMasterKeys(store.db)).length === 0) {
    if (masterKeys.read().length === 0) masterKeys.makeFirst();
    await store.write(async (tx) => {
      const [newest] = masterKeys.read();
      const isFirst = (await keys.listMasterKeys(tx)).length === 0;
      if (isFirst && newest !== undefined) {
        await keys.activateMasterKey(tx, newest.id, clock.now());
      }
    });
  }
  const vault = openVault(masterKeys);
  const known = await keys.listMasterKeys(store.db);
  if (known.some(({ keyId }) => !vault.has(keyId))) throw missing(masterKeys, known);
  return vault;
}

function missing(source: MasterKeys, known: readonly keys.MasterKeyRecord[]): JobdError {
  const needed = known.map(({ keyId }) => keyId).join(' and ');
  const here = source.read().map(({ id }) => id);
  const lost = known.find(({ keyId }) => !here.includes(keyId))?.keyId ?? needed;
  const found = here.length === 0 ? 'it is not there' : `there is ${here.join(' and ')}`;
  const unfinished = known.length > 1;
  const help = unfinished
    ? 'a rotation was begun and not finished: give jobd secrets rotate both keys'
    : 'restore it from a backup, or set JOBD_SECRET_KEY to it; without it nothing that is sealed can be read, ' +
      `and if it is lost for good, jobd secrets forget ${lost} gives that up`;
  return new JobdError(
    'unavailable',
    `the master key of this store is ${needed}, and in ${source.name} ${found}: ${help}`,
  );
}

/** Values sealed anew in one transaction, and the rest between two, so that a daemon goes on. */
const valuesPerStep = 100;
const restMs = 5;

/** What a rotation did. */
export interface Rotation {
  /** Id of the master key that seals from now on. */
  keyId: string;
  /** Values that were sealed anew. */
  resealed: number;
  /** Whether nothing is left in the file that the old key opens. */
  isErased: boolean;
  /** Ids of the master keys that were there until now: backups made before need them. */
  retired: string[];
}

/**
 * Lets another master key seal from now on, seals everything anew with it, and forgets the old one. What
 * broke off is gone on with. At every moment all that is sealed can be opened with keys that are there.
 * Only one may run at a time. Throws as `openStoreVault` does, and `unavailable`, having rotated nothing, if a
 * value cannot be opened: without the old key it never could be.
 */
export async function rotateMasterKey(parts: MasterKeyParts): Promise<Rotation> {
  const { store, clock, masterKeys } = parts;
  const vault = await openStoreVault(parts);
  await requireReadable(store, vault);
  const next = await nextKey(parts);
  await overwriteFreed(store.db);
  await store.write(async (tx) => {
    if ((await keys.activeMasterKeyId(tx)) !== next.id) {
      await keys.activateMasterKey(tx, next.id, clock.now());
    }
  });
  const ids = masterKeys.read().map(({ id }) => id);
  const retired = ids.filter((id) => id !== next.id);
  const rotation: Rotation = { keyId: next.id, resealed: 0, isErased: false, retired };
  for (const table of sealedTables) await resealTable(store, vault, table, rotation);
  await store.write((tx) => keys.removeRetiredMasterKeys(tx));
  masterKeys.keepOnly(next);
  rotation.isErased = await eraseFreed(store.db);
  return rotation;
}

/** The key to rotate to: one that a rotation had begun with, else a new one. */
async function nextKey({ store, masterKeys }: MasterKeyParts): Promise<MasterKey> {
  const known = await keys.listMasterKeys(store.db);
  const activeId = known[0]?.keyId;
  const active = masterKeys.read().find(({ id }) => id === activeId);
  if (active === undefined) throw missing(masterKeys, known);
  if (known.length > 1) return active;
  const isNewest = masterKeys.read()[0]?.id === activeId;
  if (isNewest) masterKeys.makeNext(active);
  return masterKeys.read()[0] ?? active;
}

const namedAtMost = 10;

async function requireReadable(store: Store, vault: Vault): Promise<void> {
  const unreadable: string[] = [];
  for (const table of sealedTables) {
    for await (const value of sealedValues(store.db, table)) {
      const place = placeOf(table, value);
      const open = (): string => vault.open(value.sealed, place);
      if (!isOver(value) && ifOpens(open) === undefined) unreadable.push(rowOf(place));
    }
  }
  if (unreadable.length === 0) return;
  const named = unreadable.slice(0, namedAtMost).join(', ');
  const more = unreadable.length > namedAtMost ? ', …' : '';
  throw new JobdError(
    'unavailable',
    `${named}${more} cannot be opened: nothing was rotated, since without the present key they never could be; ${remedyOf(unreadable)}, then rotate`,
  );
}

/** What people can do about rows, as `TABLE/ID`, whose sealed values cannot be opened. */
export function remedyOf(rows: readonly string[]): string {
  const has = (table: SealedTable): boolean => rows.some((row) => row.startsWith(`${table}/`));
  return [
    ...(has('jobs') ? ['set headers and body of a job, both in one update, or delete it'] : []),
    ...(has('channels') ? ['set the config of a channel, or delete it'] : []),
    ...(has('signing_keys') ? ['let another key sign: jobd signing-key rotate'] : []),
  ].join('; ');
}

/** Whether nobody will ever open it: it was given up, or its row was deleted. */
function isOver({ sealed, isDeleted }: SealedValue): boolean {
  return sealed === givenUp || isDeleted === 1;
}

/** All sealed values of a table, page by page. */
export async function* sealedValues(db: Db, table: SealedTable): AsyncGenerator<SealedValue> {
  for (let afterId = ''; ;) {
    const page = { keyId: '', afterId, limit: valuesPerStep };
    const values = await findSealedByOthers(db, table, page);
    yield* values;
    if (values.length < valuesPerStep) return;
    afterId = values.at(-1)?.id ?? afterId;
  }
}

async function resealTable(
  store: Store,
  vault: Vault,
  table: SealedTable,
  rotation: Rotation,
): Promise<void> {
  const { keyId } = rotation;
  let afterId = '';
  for (;;) {
    const page = { keyId, afterId, limit: valuesPerStep };
    const values = await store.write(async (tx) => {
      const found = await findSealedByOthers(tx, table, page);
      for (const value of found) await resealValue(tx, table, value);
      return found;
    });
    if (values.length === 0) return;
    afterId = values.at(-1)?.id ?? afterId;
    await setTimeout(restMs);
  }

  async function resealValue(tx: Db, of: SealedTable, value: SealedValue) {
    const place = placeOf(of, value);
    const open = (): string => vault.open(value.sealed, place);
    // What cannot be opened though it could be before ends the rotation, with both keys still there.
    const plaintext = isOver(value) ? ifOpens(open) : open();
    if (plaintext === undefined) return;
    const sealed = vault.seal(keyId, plaintext, place);
    await replaceSealed(tx, of, { id: value.id, sealed });
    rotation.resealed += 1;
  }
}
