/** API keys: made, listed, revoked by whoever may open the store; checked at every request. */

import { createHash, randomBytes } from 'node:crypto';
import { checkLength } from '../domain/characters.ts';
import { isoTime } from '../domain/clock.ts';
import { invalidInput, JobdError } from '../domain/errors.ts';
import { newId } from '../domain/id.ts';
import { activeKeysPerAccount, keyPattern } from '../domain/key.ts';
import type { Key, Permission } from '../domain/key.ts';
import * as keys from '../store/keys.ts';
import type { Db } from '../store/open.ts';
import { countActiveKeys } from '../store/usage.ts';
import type { App, Principal } from './app.ts';
import { requireWorkspaceNamed } from './workspaces.ts';

/** Longest label of a key, in characters. */
const nameLength = 120;

/**
 * Makes a key; `expiresAt` in epoch milliseconds. `secret` is the key itself: it is kept nowhere and shown
 * once. Throws `invalid_input`, `not_found` for an unknown workspace, `forbidden` for one key too many.
 */
export async function createKey(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  input: { workspace: string; permission: Permission; name: string; expiresAt?: number | null },
): Promise<{ key: Key; secret: string }> {
  const { workspace, permission, name, expiresAt = null } = input;
  checkLength('name', name, nameLength);
  const now = clock.now();
  if (expiresAt !== null && expiresAt <= now) {
    throw invalidInput(`a key must expire in the future, got ${isoTime(expiresAt)}`);
  }
  const secret = `cp_${randomBytes(32).toString('hex')}`;
  const key = await store.write(async (tx) => {
    const { id: workspaceId, accountId } = await requireWorkspaceNamed(tx, workspace);
    await requireKeyRoom(tx, accountId, now);
    const given = { id: newId(now), workspaceId, name, permission, createdAt: now };
    const made = { ...given, lastUsedAt: null, expiresAt, revokedAt: null };
    await keys.insertKey(tx, made, sha256(secret));
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

/** Every key with the name of its workspace, revoked and expired ones included; oldest first. */
export async function listKeys({ store }: Pick<App, 'store'>) {
  return await keys.listKeys(store.db);
}

/** Revokes a key for good. Throws `not_found` for an unknown id and for a key that is revoked. */
export async function revokeKey(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  id: string,
): Promise<void> {
  if (await store.write((tx) => keys.revokeKey(tx, id, clock.now()))) return;
  throw new JobdError('not_found', `there is no active key with id ${id}`);
}

/**
 * Whom a presented key stands for, or undefined. Keys are found by their SHA-256, so the time this
 * takes tells nothing about any key.
 */
export async function authenticate(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  secret: string,
): Promise<Principal | undefined> {
  if (!keyPattern.test(secret)) return undefined;
  const key = await keys.findActiveKey(store.db, sha256(secret), clock.now());
  if (key === undefined) return undefined;
  const { id: keyId, workspaceId, permission, accountExpiresAt } = key;
  return { keyId, workspaceId, permission, accountExpiresAt };
}

function sha256(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
