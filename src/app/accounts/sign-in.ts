/** How a session starts: with a key, or with a code that the operator made (`jobd open`). */

import { keyPattern, type Permission } from '../../domain/accounts/key.ts';
import {
  codePattern,
  longestCodeMs,
  sessionsPerKey,
  termOf,
} from '../../domain/accounts/session.ts';
import type { Session } from '../../domain/accounts/session.ts';
import { inTwoUnits } from '../../domain/durations.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { newId } from '../../domain/id.ts';
import type { Actor, Sender } from '../../domain/accounts/audit.ts';
import { findSiteUrl } from '../../store/accounts/instance.ts';
import { findActiveKey } from '../../store/accounts/keys.ts';
import { findSurplusSessions, insertSession } from '../../store/accounts/sessions.ts';
import { findCode, insertCode, takeCode } from '../../store/accounts/sign-in-codes.ts';
import type { Db } from '../../store/database/store.ts';
import type { AccessApp, Ground } from '../app.ts';
import { changeBy, type NoteChange } from '../change.ts';
import { newSecret, sha256Of } from './secrets.ts';
import { endIn } from './sessions.ts';
import { requireWorkspaceNamed } from './workspaces.ts';

/** What a presented key or code allows. */
export interface Grant extends Pick<Session, 'workspaceId' | 'name' | 'permission' | 'isOwner'> {
  keyId: string | null;
  sha256: string;
  /** The session ends with its key; epoch milliseconds, null if that never expires. */
  endsBy: number | null;
}

/** Checks what somebody presents. Throws `unauthenticated`, which never says which part was wrong. */
export async function checkKey({ store, clock }: Ground, key: string): Promise<Grant> {
  const sha256 = sha256Of(key);
  const found = keyPattern.test(key)
    ? await findActiveKey(store.db, sha256, clock.now())
    : undefined;
  if (found === undefined) throw noSuchKey();
  const { id: keyId, workspaceId, name, permission, expiresAt } = found;
  return { sha256, keyId, workspaceId, name, permission, isOwner: false, endsBy: expiresAt };
}

/** The same for a code. */
export async function checkCode({ store, clock }: Ground, code: string): Promise<Grant> {
  const sha256 = sha256Of(code);
  const found = codePattern.test(code) ? await findCode(store.db, sha256, clock.now()) : undefined;
  if (found === undefined) throw noSuchCode();
  const { workspaceId, permission, isOwner } = found;
  return { sha256, keyId: null, workspaceId, name: 'jobd open', permission, isOwner, endsBy: null };
}

/** Starts a session. `secret`, its cookie, is stored nowhere. Throws `unauthenticated` if the key was revoked or the code used. */
export async function startSession(
  app: AccessApp,
  grant: Grant,
  sender: Sender,
): Promise<{ session: Session; secret: string }> {
  const { workspaceId, name, permission, isOwner, keyId } = grant;
  const now = app.clock.now();
  const secret = newSecret(32);
  const expiresAt = Math.min(now + termOf(grant).lifeMs, grant.endsBy ?? Infinity);
  const granted = { workspaceId, name, permission, isOwner, keyId };
  const session = { ...granted, id: newId(now), createdAt: now, lastSeenAt: now, expiresAt };
  const actor: Actor =
    keyId === null ? { type: 'session', id: session.id, name } : { type: 'key', id: keyId, name };
  await changeBy(app, { actor, sender, workspaceId }, async (tx, note) => {
    await useUp(tx, grant, now);
    await insertSession(tx, session, sha256Of(secret));
    note({ action: 'session.start', subject: session });
    await endSurplus(tx, grant, note);
  });
  return { session, secret };
}

async function useUp(tx: Db, { keyId, sha256 }: Grant, now: number): Promise<void> {
  if (keyId === null) {
    if (!(await takeCode(tx, sha256))) throw noSuchCode();
  } else if ((await findActiveKey(tx, sha256, now)) === undefined) throw noSuchKey();
}

/** So that whoever has a key cannot fill the disk with sessions. */
async function endSurplus(tx: Db, grant: Grant, note: NoteChange): Promise<void> {
  for (const surplus of await findSurplusSessions(tx, grant, sessionsPerKey)) {
    await endIn(tx, surplus, note);
  }
}

/** A link that signs in once. */
export interface SignInLink {
  url: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/**
 * Makes a link to the daemon that runs. Its code is in the fragment, which browsers send to nobody. Throws
 * `invalid_input`, `not_found` for an unknown workspace, `unavailable` while the daemon starts.
 */
export async function createSignInLink(
  { store, clock }: Ground,
  input: { workspace: string; permission: Permission; isOwner: boolean; validMs: number },
): Promise<SignInLink> {
  const { workspace, permission, isOwner, validMs } = input;
  if (validMs < 1_000 || validMs > longestCodeMs) {
    const given = inTwoUnits(validMs / 1_000, { minute: 'min' });
    throw invalidInput(`a sign-in link must be valid for 1 s to 24 h, got ${given}`);
  }
  const siteUrl = await findSiteUrl(store.db);
  if (siteUrl === null) throw new JobdError('unavailable', 'jobd serve is starting: try again');
  const code = newSecret(16);
  const expiresAt = clock.now() + validMs;
  await store.write(async (tx) => {
    const { id: workspaceId } = await requireWorkspaceNamed(tx, workspace);
    await insertCode(tx, { workspaceId, permission, isOwner, expiresAt }, sha256Of(code));
  });
  return { url: `${siteUrl}/sign-in#code=${code}`, expiresAt };
}

function noSuchKey(): JobdError {
  return new JobdError(
    'unauthenticated',
    'this key is not valid: it is unknown, revoked or expired',
  );
}

function noSuchCode(): JobdError {
  const text = 'this link is not valid: it was used, or it expired: jobd open makes another one';
  return new JobdError('unauthenticated', text);
}
