/**
 * The master key: made at the first start, required at every later one, changed by a rotation.
 *
 * A rotation first checks that all values can be opened and puts a new key beside the old one. Then the new key becomes
 * the active one, all values are sealed with it in small transactions, and the old key is removed. Until then both keys
 * are available, so every value can be opened at each step. If a rotation is interrupted, the next one resumes it.
 */

import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import { JobdError, unlessRefused } from '../../domain/errors.ts';
import { discarded, placeOf, sealedTables } from '../../domain/secrets/vault.ts';
import type { SealedTable, Vault } from '../../domain/secrets/vault.ts';
import type { MasterKey } from '../../secrets/master-key.ts';
import { openVault } from '../../secrets/vault.ts';
import { availableIds, type MasterKeys } from '../../secrets/master-keys.ts';
import { findLiveNodes } from '../../store/nodes/nodes.ts';
import * as keys from '../../store/secrets/master-keys.ts';
import { writeAlone } from '../../store/database/alone.ts';
import type { Db, Store } from '../../store/database/store.ts';
import { sweep, type SweepPage } from '../../store/database/sweep.ts';
import { findSealed, replaceSealed, type SealedValue } from '../../store/secrets/sealed.ts';
import { findMissingKey } from './missing-key.ts';
import { checkSealed, namesOf, remedyOf, valuesPerPage } from './sealed-values.ts';

export interface MasterKeyParts {
  store: Store;
  clock: Clock;
  masterKeys: MasterKeys;
}

/** Opens the vault of a store; the first time, makes its key. Throws `unavailable`, and writes nothing, if a key in use is missing. */
export async function openStoreVault({ store, clock, masterKeys }: MasterKeyParts): Promise<Vault> {
  if ((await keys.listMasterKeys(store.db)).length === 0) {
    if (masterKeys.read().length === 0) masterKeys.makeFirst();
    await writeAlone(store, async (tx) => {
      // Before the one to rotate to, if that is there too.
      const current = masterKeys.read().at(-1);
      const isFirst = (await keys.listMasterKeys(tx)).length === 0;
      if (isFirst && current !== undefined) {
        await keys.activateMasterKey(tx, current.id, clock.now());
      }
    });
  }
  await requireKeys(store.db, masterKeys);
  return openVault(masterKeys);
}

/** Throws `unavailable` unless all keys that sealed something are available. Returns their ids, the active one first. */
async function requireKeys(db: Db, source: MasterKeys): Promise<string[]> {
  const known = await keys.listMasterKeys(db);
  const missing = findMissingKey(known, source, await findLiveNodes(db));
  if (missing === null) return known;
  throw new JobdError('unavailable', missing.problem, { notes: missing.remedies });
}

/** The pause between two transactions, so that a daemon can write too. */
const restMs = 5;

export interface Rotation {
  /** Id of the active master key. */
  keyId: string;
  /** How many values were sealed with it. */
  resealed: number;
  /** Whether nothing is left in the file that the old key opens. */
  isErased: boolean;
  /** Ids of the previous master keys: earlier backups need them. */
  retired: string[];
}

/**
 * Seals everything with a new master key and removes the old one. Only one rotation may run at a time. Throws as
 * `openStoreVault` does, and `unavailable`, having changed nothing, if a value cannot be opened.
 */
export async function rotateMasterKey(parts: MasterKeyParts): Promise<Rotation> {
  const { store, clock, masterKeys } = parts;
  const vault = await openStoreVault(parts);
  await requireReadable(store.db, vault);
  const next = await nextKey(parts);
  await store.file?.overwriteFreed();
  await store.write(async (tx) => {
    if ((await keys.activeMasterKeyId(tx)) !== next.id) {
      await keys.activateMasterKey(tx, next.id, clock.now());
    }
  });
  const retired = availableIds(masterKeys).filter((id) => id !== next.id);
  let resealed = 0;
  for (const table of sealedTables) resealed += await resealTable(store, vault, table, next.id);
  await store.write((tx) => keys.removeRetiredMasterKeys(tx));
  masterKeys.keepOnly(next);
  return { keyId: next.id, resealed, isErased: (await store.file?.eraseFreed()) ?? false, retired };
}

/** The key to rotate to: that of an interrupted rotation, else a new one. */
async function nextKey({ store, masterKeys }: MasterKeyParts): Promise<MasterKey> {
  const known = await requireKeys(store.db, masterKeys);
  const active = masterKeys.read().find(({ id }) => id === known[0]);
  if (active === undefined) throw new Error('the active master key was removed meanwhile');
  if (known.length > 1) return active;
  if (masterKeys.read()[0]?.id === active.id) masterKeys.makeNext(active);
  return masterKeys.read()[0] ?? active;
}

async function requireReadable(db: Db, vault: Vault): Promise<void> {
  const unreadable: string[] = [];
  for await (const value of checkSealed(db, vault)) {
    if (!value.isReadable && !isObsolete(value)) unreadable.push(value.row);
  }
  if (unreadable.length === 0) return;
  throw new JobdError(
    'unavailable',
    `${namesOf(unreadable)} cannot be opened: nothing was changed, because the rotation would lose the old key; ` +
      `${remedyOf(unreadable)}, then rotate`,
  );
}

/** Whether nobody needs the value: it was discarded, or its row was deleted. */
function isObsolete({ sealed, isDeleted }: SealedValue): boolean {
  return sealed === discarded || isDeleted === 1;
}

/** Seals the values of a table with the new key, one page per transaction. Returns how many. */
async function resealTable(
  store: Store,
  vault: Vault,
  table: SealedTable,
  keyId: string,
): Promise<number> {
  let resealed = 0;
  const resealPage = (page: SweepPage): Promise<SealedValue[]> =>
    store.write(async (tx) => {
      const values = await findSealed(tx, table, page, keyId);
      for (const value of values) {
        const place = placeOf(table, value);
        const open = (): string => vault.open(value.sealed, place);
        // If a value was damaged since the check, the rotation ends here, with both keys available.
        const plaintext = isObsolete(value) ? unlessRefused(open) : open();
        if (plaintext === undefined) continue;
        // What was set meanwhile is sealed with the new key already.
        const sealed = vault.seal(keyId, plaintext, place);
        if (await replaceSealed(tx, table, value, sealed)) resealed += 1;
      }
      return values;
    });
  for await (const _ of sweep(resealPage, valuesPerPage)) await setTimeout(restMs);
  return resealed;
}
