/** API keys: made, listed and revoked by those who may open the store; checked at every request. */

import { hash, randomBytes } from 'node:crypto';
import { checkLength } from '../../domain/characters.ts';
import { isoTime } from '../../domain/clock.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { nameRule } from '../../domain/fields.ts';
import { newId } from '../../domain/id.ts';
import { activeKeysPerAccount, keyPattern } from '../../domain/accounts/key.ts';
import type { Key, Permission } from '../../domain/accounts/key.ts';
import * as keys from '../../store/accounts/keys.ts';
import type { ActiveKey } from '../../store/accounts/keys.ts';
import { dataVersion } from '../../store/database/inspect.ts';
import type { Db } from '../../store/database/open.ts';
import { countActiveKeys } from '../../store/accounts/usage.ts';
import type { App, Principal } from '../app.ts';
import { changeBy, commandIn } from '../change.ts';
import type { ChangeParts } from '../change.ts';
import { requireWorkspaceNamed } from './workspaces.ts';

/**
 * Makes a key; `expiresAt` in epoch milliseconds. `secret` is the key itself: it is shown once and stored nowhere.
 * Throws `invalid_input`, `not_found` for an unknown workspace, `forbidden` if the account has too many keys.
 */
export async function createKey(
  parts: ChangeParts,
  input: { workspace: string; permission: Permission; name: string; expiresAt?: number | null },
): Promise<{ key: Key; secret: string }> {
  const { store, clock } = parts;
  const { workspace, permission, name, expiresAt = null } = input;
  checkLength('name', name, nameRule.maxLength);
  const now = clock.now();
  if (expiresAt !== null && expiresAt <= now) {
    throw invalidInput(`a key must expire in the future, got ${isoTime(expiresAt)}`);
  }
  const secret = `cp_${randomBytes(32).toString('hex')}`;
  const { id: workspaceId } = await requireWorkspaceNamed(store.db, workspace);
  const key = await changeBy(parts, commandIn(workspaceId), async (tx, note) => {
    // Asked again: the workspace may be deleted meanwhile.
    const { accountId } = await requireWorkspaceNamed(tx, workspace);
    await requireKeyRoom(tx, accountId, now);
    const given = { id: newId(now), workspaceId, name, permission, createdAt: now };
    const made = { ...given, lastUsedAt: null, expiresAt, revokedAt: null };
    await keys.insertKey(tx, made, sha256Of(secret));
    note({ action: 'key.create', subject: made });
    return made;
  });
  return { key, secret };
}

async function requireKeyRoom(tx: Db, accountId: string, now: number): Promise<void> {
  const used = await countActiveKeys(tx, accountId, now);
  if (used < activeKeysPerAccount) return;
  throw new JobdError(
    'forbidden',
    `an account may hold ${activeKeysPerAccount} active keys, this one holds ${used}: revoke one first`,
  );
}

/** Every key with the name of its workspace, revoked and expired keys too. Oldest first. */
export async function listKeys({ store }: Pick<App, 'store'>) {
  return await keys.listKeys(store.db);
}

/** Revokes a key for good. Throws `not_found` for an unknown id or a revoked key. */
export async function revokeKey(parts: ChangeParts, id: string): Promise<void> {
  const { store, clock } = parts;
  const key = await keys.findKey(store.db, id);
  if (key === undefined) throw noSuchKey(id);
  await changeBy(parts, commandIn(key.workspaceId), async (tx, note) => {
    if (!(await keys.revokeKey(tx, id, clock.now()))) throw noSuchKey(id);
    note({ action: 'key.revoke', subject: key });
  });
}

function noSuchKey(id: string): JobdError {
  return new JobdError('not_found', `there is no active key with id ${id}`);
}

/** Returns whom a presented key stands for, or undefined. */
export type Authenticate = (secret: string) => Promise<Omit<Principal, 'sender'> | undefined>;

/** Keys that are remembered. More are in use only if many accounts send requests at once. */
const rememberedKeys = 10_000;

/**
 * Makes an `Authenticate`. Keys are found by their SHA-256, so its timing says nothing about any key. Found keys are
 * remembered until another process writes: the daemon itself changes neither keys nor accounts. A revoked key is
 * refused from the next request on.
 */
export function createAuthenticate({ store, clock }: Pick<App, 'store' | 'clock'>): Authenticate {
  const remembered = new Map<string, ActiveKey>();
  let version = NaN;

  async function lookUp(sha256: string, now: number): Promise<ActiveKey | undefined> {
    const asOf = version;
    const key = await keys.findActiveKey(store.db, sha256, now);
    if (key !== undefined && version === asOf) remembered.set(sha256, key);
    return key;
  }

  return async (secret) => {
    if (!keyPattern.test(secret)) return undefined;
    const sha256 = sha256Of(secret);
    // Before the look-up, so that the next request notices what is written after this.
    const found = await dataVersion(store.db);
    const now = clock.now();
    if (found !== version || remembered.size > rememberedKeys) remembered.clear();
    version = found;
    const key = remembered.get(sha256) ?? (await lookUp(sha256, now));
    if (key === undefined || (key.expiresAt !== null && key.expiresAt <= now)) return undefined;
    const { id, name, workspaceId, permission, accountExpiresAt } = key;
    const actor = { type: 'key', id, name } as const;
    return { actor, isOwner: false, workspaceId, permission, accountExpiresAt };
  };
}

function sha256Of(secret: string): string {
  return hash('sha256', secret, 'hex');
}
