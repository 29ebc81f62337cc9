/** API keys: made, listed, revoked by whoever may open the store; checked at every request. */

import { createHash, randomBytes } from 'node:crypto';
import { characterCount } from '../domain/characters.ts';
import { invalidInput, JobdError } from '../domain/errors.ts';
import { newId } from '../domain/id.ts';
import { keyPattern } from '../domain/key.ts';
import type { Key, Permission } from '../domain/key.ts';
import * as keys from '../store/keys.ts';
import { findWorkspaceId } from '../store/workspaces.ts';
import type { App, Principal } from './app.ts';

/** Longest label of a key, in characters. */
const nameLength = 120;

/** Makes a key. `secret` is the key itself: it is kept nowhere and shown once. */
export async function createKey(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  input: { workspace: string; permission: Permission; name: string },
): Promise<{ key: Key; secret: string }> {
  const length = characterCount(input.name);
  if (length > nameLength) {
    throw invalidInput(`name must be at most ${nameLength} characters, got ${length}`);
  }
  const workspaceId = await findWorkspaceId(store.db, input.workspace);
  if (workspaceId === undefined) {
    throw new JobdError('not_found', `there is no workspace named ${input.workspace}`);
  }
  const now = clock.now();
  const secret = `cp_${randomBytes(32).toString('hex')}`;
  const { name, permission } = input;
  const key = { id: newId(now), workspaceId, name, permission, createdAt: now, revokedAt: null };
  await store.write((tx) => keys.insertKey(tx, key, sha256(secret)));
  return { key, secret };
}

/** Every key with the name of its workspace, revoked ones included; oldest first. */
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
  { store }: Pick<App, 'store'>,
  secret: string,
): Promise<Principal | undefined> {
  if (!keyPattern.test(secret)) return undefined;
  const key = await keys.findActiveKey(store.db, sha256(secret));
  return key && { keyId: key.id, workspaceId: key.workspaceId, permission: key.permission };
}

function sha256(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
