/**
 * What to do when a master key is lost for good: discard the values that it sealed, so that jobd starts again.
 * Nothing is called or notified without its credentials: jobs are paused and channels disabled until people set
 * their secrets again. The discarded values stay unreadable even if the key is found later.
 */

import type { Change } from '../../domain/accounts/audit.ts';
import { JobdError, unlessRefused } from '../../domain/errors.ts';
import { discarded, type Vault } from '../../domain/secrets/vault.ts';
import { makeSigningKey, openSigningKey } from '../../receipt/keyring.ts';
import type { MasterKey } from '../../secrets/master-key.ts';
import { availableIds } from '../../secrets/master-keys.ts';
import { openVault } from '../../secrets/vault.ts';
import { endDeliveries } from '../../store/alerts/deliveries.ts';
import type { Db } from '../../store/database/store.ts';
import { activateSigningKey, findActiveSigningKey } from '../../store/proof/signing-keys.ts';
import { removeReportKey } from '../../store/secrets/report-keys.ts';
import * as keys from '../../store/secrets/master-keys.ts';
import { discardChannelConfig, discardJobSecrets } from '../../store/secrets/sealed.ts';
import type { SealedValue } from '../../store/secrets/sealed.ts';
import { openCallKey } from '../../identity/keyring.ts';
import { listSigningCallKeys } from '../../store/proof/call-keys.ts';
import { rotateIn } from '../proof/call-keys.ts';
import { changeByCommand, type CommandParts, type NoteChangeIn } from '../change.ts';
import type { MasterKeyParts } from './master-keys.ts';
import { checkSealed } from './sealed-values.ts';

/** A job or channel whose secrets were discarded, with the name of its workspace. */
export type Affected = Pick<SealedValue, 'id' | 'name' | 'workspace'>;

/** What was discarded: people have to set it again. */
export interface Forgotten {
  /** Id of the active master key. */
  keyId: string;
  jobs: Affected[];
  channels: Affected[];
  /** Id of the new key that signs receipts; null if the signing key is unchanged. */
  signingKeyId: string | null;
  /** Ids of new keys that sign calls; empty if they are unchanged. */
  callKeyIds: string[];
  /** Whether nothing is left in the file that the lost key opens. */
  isErased: boolean;
}

/** Throws `not_found` if the store has no master key of this id, `conflict` if the key is available. */
export async function requireLostKey(
  { store, masterKeys }: MasterKeyParts,
  keyId: string,
): Promise<void> {
  if (!(await keys.listMasterKeys(store.db)).includes(keyId)) {
    throw new JobdError('not_found', `nothing in this store is sealed with a master key ${keyId}`);
  }
  const { hidden } = masterKeys;
  for (const source of hidden === undefined ? [masterKeys] : [masterKeys, hidden]) {
    if (!availableIds(source).includes(keyId)) continue;
    throw new JobdError(
      'conflict',
      `the master key ${keyId} is not lost: it is in ${source.name}; nothing was changed`,
    );
  }
}

/**
 * Discards all values that no available key opens, and activates a key that is available or a new one. Public signing
 * keys stay, so receipts can still be verified. The daemon must be stopped. Throws as `requireLostKey` does, and
 * `unavailable` if a key cannot be made.
 */
export async function forgetLostKey(
  parts: MasterKeyParts & CommandParts,
  lostId: string,
): Promise<Forgotten> {
  const { store, clock } = parts;
  await requireLostKey(parts, lostId);
  const next = await nextKey(parts);
  const vault = openVault(parts.masterKeys);
  await store.file?.overwriteFreed();
  const forgotten = await changeByCommand(parts, async (tx, noteIn) => {
    const now = clock.now();
    const known = await keys.listMasterKeys(tx);
    if (known[0] !== next.id) await keys.activateMasterKey(tx, next.id, now);
    const lost = known.filter((id) => !vault.has(id));
    await keys.removeMasterKeys(tx, lost);
    const signingKeyId = await replaceSigningKey(tx, vault, next.id, now);
    // The next start makes another one.
    await discardReportKey(tx, vault);
    const callKeyIds = await replaceCallKeys(tx, vault, now);
    const jobs = await discardUnreadable(tx, vault, 'jobs', (db, id) =>
      discardJobSecrets(db, id, now),
    );
    noteEach(noteIn, jobs, { action: 'job.pause' });
    const channels = await discardUnreadable(tx, vault, 'channels', async (db, id) => {
      await discardChannelConfig(db, id);
      await endDeliveries(
        db,
        id,
        'the config of the channel was discarded: its master key is lost',
      );
    });
    noteEach(noteIn, channels, { action: 'channel.update', fields: ['config', 'enabled'] });
    return {
      keyId: next.id,
      jobs: jobs.map(affected),
      channels: channels.map(affected),
      signingKeyId,
      callKeyIds,
    };
  });
  return { ...forgotten, isErased: (await store.file?.eraseFreed()) ?? false };
}

/** The active key if it is available, else a key that sealed nothing yet, else a new one. */
async function nextKey({ store, masterKeys }: MasterKeyParts): Promise<MasterKey> {
  const known = await keys.listMasterKeys(store.db);
  const findUsable = (): MasterKey | undefined => {
    const here = masterKeys.read();
    return here.find(({ id }) => id === known[0]) ?? here.find(({ id }) => !known.includes(id));
  };
  const usable = findUsable();
  if (usable !== undefined) return usable;
  const [other] = masterKeys.read();
  if (other === undefined) masterKeys.makeFirst();
  else masterKeys.makeNext(other);
  const made = findUsable();
  if (made === undefined) throw new Error('the new master key is missing');
  return made;
}

/** Makes a new signing key if the private part of the active one is lost. Returns its id, or null. */
async function replaceSigningKey(
  tx: Db,
  vault: Vault,
  masterKeyId: string,
  now: number,
): Promise<string | null> {
  const active = await findActiveSigningKey(tx);
  if (active === undefined) return null;
  if (unlessRefused(() => openSigningKey(vault, active)) !== undefined) return null;
  const key = makeSigningKey(vault, masterKeyId);
  await activateSigningKey(tx, key, now);
  return key.keyId;
}

/** Removes the secret of report URLs if it is lost. The runs that wait end when their time is over. */
async function discardReportKey(tx: Db, vault: Vault): Promise<void> {
  for await (const { isReadable } of checkSealed(tx, vault, ['report_keys'])) {
    if (!isReadable) await removeReportKey(tx);
  }
}

/** Makes new keys for calls if the private part of one is lost. Returns their ids. */
async function replaceCallKeys(tx: Db, vault: Vault, now: number): Promise<string[]> {
  const lost = (await listSigningCallKeys(tx)).filter(
    (key) => unlessRefused(() => openCallKey(vault, key)) === undefined,
  );
  const made: string[] = [];
  for (const algorithm of new Set(lost.map((key) => key.algorithm))) {
    const rotated = await rotateIn(tx, { vault, now, algorithm, isAtOnce: true });
    made.push(...rotated.map(({ keyId }) => keyId));
  }
  return made;
}

/** Discards the values of a table that no key opens. Returns those of jobs or channels that are not deleted. */
async function discardUnreadable(
  tx: Db,
  vault: Vault,
  table: 'jobs' | 'channels',
  discardOne: (db: Db, id: string) => Promise<void>,
): Promise<SealedValue[]> {
  const found: SealedValue[] = [];
  for await (const value of checkSealed(tx, vault, [table])) {
    if (value.isReadable || value.sealed === discarded) continue;
    await discardOne(tx, value.id);
    if (value.isDeleted === 0) found.push(value);
  }
  return found;
}

function noteEach(
  noteIn: NoteChangeIn,
  values: readonly SealedValue[],
  change: Omit<Change, 'subject'>,
): void {
  for (const { workspaceId, id, name } of values) {
    noteIn(workspaceId, { ...change, subject: { id, name } });
  }
}

function affected({ id, name, workspace }: SealedValue): Affected {
  return { id, name, workspace };
}
