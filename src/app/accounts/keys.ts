/** API keys: made, listed and revoked by those who may open the store, and by sessions of the owner. */

import { checkLength } from '../../domain/characters.ts';
import { isoTime } from '../../domain/clock.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { nameRule } from '../../domain/fields.ts';
import { newId } from '../../domain/id.ts';
import { activeKeysPerAccount, type Key, type Permission } from '../../domain/accounts/key.ts';
import type { Repeatable } from '../../domain/repeatable.ts';
import * as keys from '../../store/accounts/keys.ts';
import { deleteSessionsOfKey } from '../../store/accounts/sessions.ts';
import type { Db } from '../../store/database/store.ts';
import { countActiveKeys } from '../../store/accounts/usage.ts';
import { requireAccount } from './account-limits.ts';
import type { AccessApp, Ground, Principal } from '../app.ts';
import { changeBy, commandIn } from '../change.ts';
import type { Author, ChangeParts, CommandParts } from '../change.ts';
import { makeOnce } from '../make-once.ts';
import { idPage, type Page, type PageRequest } from '../page.ts';
import { newSecret, sha256Of } from './secrets.ts';
import { requireOwner } from './sessions.ts';
import { requireWorkspaceNamed } from './workspaces.ts';

/** What people say about a new key; `expiresAt` in epoch milliseconds. */
export interface KeyInput {
  permission: Permission;
  name: string;
  expiresAt?: number | null;
}

/** A new key. `secret` is the key itself: it is shown once and stored nowhere. */
export interface MadeKey {
  key: Key;
  secret: string;
}

/**
 * Makes a key for a command. Throws `invalid_input`, `not_found` for an unknown workspace, `forbidden` if the account has
 * too many keys, `conflict` if an active key of the workspace has the name, unless `allowDuplicate`.
 */
export async function createKey(
  parts: CommandParts,
  given: KeyInput & { workspace: string; allowDuplicate?: boolean },
): Promise<MadeKey> {
  const { workspace, allowDuplicate = true, ...input } = given;
  const { id } = await requireWorkspaceNamed(parts.store.db, workspace);
  return await makeKey(parts, commandIn(parts, id), input, async (tx) => {
    if (!allowDuplicate) await requireFreeName(tx, id, input.name, parts.clock.now());
    // Asked again: the workspace may be deleted meanwhile.
    return (await requireWorkspaceNamed(tx, workspace)).accountId;
  });
}

/** Keys without a name are no duplicates. */
async function requireFreeName(
  tx: Db,
  workspaceId: string,
  name: string,
  now: number,
): Promise<void> {
  if (name === '') return;
  const taken = await keys.findActiveKeyNamed(tx, { workspaceId, name, now });
  if (taken === undefined) return;
  throw new JobdError(
    'conflict',
    `there is an active key named ${name} already: choose another name`,
    { notes: [`revoke the other one: jobd key revoke ${taken}`, 'or add --allow-duplicate'] },
  );
}

/** Makes a key in the workspace of an owner's session. Throws `invalid_input`, `forbidden`, and `conflict` if the request made one. */
export async function createOwnersKey(
  app: AccessApp,
  principal: Principal,
  input: KeyInput,
  repeatable: Repeatable | null = null,
): Promise<MadeKey> {
  requireOwner(principal, managed);
  const accountIn = async (tx: Db) => (await requireAccount(tx, principal)).id;
  return await makeKey(app, principal, input, accountIn, repeatable);
}

const managed = 'manage keys';

async function makeKey(
  parts: ChangeParts,
  author: Author,
  { permission, name, expiresAt = null }: KeyInput,
  accountIn: (tx: Db) => Promise<string>,
  repeatable: Repeatable | null = null,
): Promise<MadeKey> {
  checkLength('name', name, nameRule.maxLength);
  const now = parts.clock.now();
  if (expiresAt !== null && expiresAt <= now) {
    throw invalidInput(`a key must expire in the future, got ${isoTime(expiresAt)}`);
  }
  const { workspaceId } = author;
  const secret = `cp_${newSecret(32)}`;
  const given = { id: newId(now), workspaceId, name, permission, createdAt: now };
  const key = { ...given, lastUsedAt: null, expiresAt, revokedAt: null };
  return await makeOnce(parts, author, {
    id: key.id,
    repeatable,
    async make(tx, note) {
      await requireKeyRoom(tx, await accountIn(tx), now);
      await keys.insertKey(tx, key, sha256Of(secret));
      note({ action: 'key.create', subject: key });
      return { key, secret };
    },
    async find(_, id) {
      throw new JobdError(
        'conflict',
        `this request has made key ${id}, which is kept nowhere and was in that answer alone: revoke it, and make another one with a new Idempotency-Key`,
      );
    },
  });
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
export async function listKeys({ store }: Pick<Ground, 'store'>) {
  return await keys.listKeys(store.db);
}

/** The keys of the workspace of an owner's session, revoked and expired ones too. Newest first. */
export async function listOwnersKeys(
  { store }: Ground,
  principal: Principal,
  request: PageRequest,
): Promise<Page<Key>> {
  requireOwner(principal, managed);
  return await idPage('keys', request, (page) =>
    keys.listKeysOf(store.db, principal.workspaceId, page),
  );
}

/** Revokes a key for good, for a command. Throws `not_found` for an unknown id or a revoked key. */
export async function revokeKey(parts: CommandParts, id: string): Promise<void> {
  const key = await keys.findKey(parts.store.db, id);
  if (key === undefined) throw noSuchKey(id);
  await revoke(parts, commandIn(parts, key.workspaceId), key);
}

/** The same, for an owner's session and a key of its workspace. Throws `forbidden` too. */
export async function revokeOwnersKey(
  app: AccessApp,
  principal: Principal,
  id: string,
): Promise<void> {
  requireOwner(principal, managed);
  const key = await keys.findKey(app.store.db, id);
  if (key?.workspaceId !== principal.workspaceId) throw noSuchKey(id);
  await revoke(app, principal, key);
}

/** The sessions that were started with a key end with it. */
async function revoke(parts: ChangeParts, author: Author, key: Key): Promise<void> {
  await changeBy(parts, author, async (tx, note) => {
    if (!(await keys.revokeKey(tx, key.id, parts.clock.now()))) throw noSuchKey(key.id);
    note({ action: 'key.revoke', subject: key });
    for (const session of await deleteSessionsOfKey(tx, key.id)) {
      note({ action: 'session.end', subject: session });
    }
  });
}

function noSuchKey(id: string): JobdError {
  return new JobdError('not_found', `there is no active key with id ${id}`);
}
