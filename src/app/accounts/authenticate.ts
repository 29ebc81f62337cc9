/** Whom a key or a cookie stands for, checked at every request. */

import { hasExpired } from '../../domain/accounts/account.ts';
import { keyPattern, type ActiveKey } from '../../domain/accounts/key.ts';
import { hasEnded, sessionPattern } from '../../domain/accounts/session.ts';
import { JobdError } from '../../domain/errors.ts';
import { findActiveKey, findKey } from '../../store/accounts/keys.ts';
import { findActiveSession, findSession } from '../../store/accounts/sessions.ts';
import type { ActiveSession } from '../../store/accounts/sessions.ts';
import type { Db } from '../../store/database/store.ts';
import type { Authenticate, Ground, Identity, Principal } from '../app.ts';
import { sha256Of } from './secrets.ts';

/** Keys and sessions that are remembered. More are in use only if many accounts send requests at once. */
const mostRemembered = 10_000;

/**
 * Makes an `Authenticate`. Secrets are found by their SHA-256, so its timing says nothing about any of them. What was
 * found is remembered until another process writes, or this one changes a key, a session or a window: an ended session and a
 * revoked key are refused from the next request on.
 */
export function createAuthenticate({ store, clock }: Ground): Authenticate {
  const keys = new Map<string, ActiveKey>();
  const sessions = new Map<string, ActiveSession>();
  let version = NaN;
  /** Counts how often everything was forgotten. */
  let generation = 0;

  const forget = (): void => {
    keys.clear();
    sessions.clear();
    generation += 1;
  };

  async function find<T>(
    secret: string,
    remembered: Map<string, T>,
    lookUp: (db: Db, sha256: string, now: number) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const sha256 = sha256Of(secret);
    // Before the look-up, so that the next request notices what is written after this.
    const found = await store.othersWrites();
    if (found !== version || keys.size + sessions.size > mostRemembered) forget();
    version = found;
    const known = remembered.get(sha256);
    if (known !== undefined) return known;
    const asOf = generation;
    const active = await lookUp(store.db, sha256, clock.now());
    if (active !== undefined && generation === asOf) remembered.set(sha256, active);
    return active;
  }

  return {
    async byKey(secret) {
      if (!keyPattern.test(secret)) return undefined;
      const key = await find(secret, keys, findActiveKey);
      if (key === undefined || hasExpired(key, clock.now())) return undefined;
      return identityOf(key);
    },

    async bySession(secret, { isUse } = { isUse: true }) {
      if (!sessionPattern.test(secret)) return undefined;
      const session = await find(secret, sessions, findActiveSession);
      const now = clock.now();
      if (session === undefined || hasEnded(session, now)) return undefined;
      if (isUse) session.lastSeenAt = now;
      const { id, name, keyId, isOwner } = session;
      return { actor: { type: 'session', id, name }, keyId, isOwner, ...groundsOf(session) };
    },

    onChanged(entries) {
      if (entries.some(({ action }) => /^(key|session|window)\./.test(action))) forget();
    },
  };
}

/** Whom a key stands for. */
export function identityOf(key: ActiveKey): Identity {
  const { id, name } = key;
  return { actor: { type: 'key', id, name }, keyId: null, isOwner: false, ...groundsOf(key) };
}

function groundsOf({
  workspaceId,
  permission,
  accountExpiresAt,
  hasWindows,
}: ActiveKey | ActiveSession) {
  return { workspaceId, permission, accountExpiresAt, hasWindows: Boolean(hasWindows) };
}

/**
 * Requires that the key or session of a request that waited is still valid. Throws `unauthenticated`. A use case may act for
 * a key that has no row: rows of keys stay.
 */
export async function requireStillValid(
  { store, clock }: Ground,
  { actor: { type, id } }: Principal,
): Promise<void> {
  const now = clock.now();
  if (type === 'session') {
    if ((await findSession(store.db, id, now)) === undefined) throw unauthenticated();
  } else if (type === 'key') {
    const key = await findKey(store.db, id);
    if (key === undefined) return;
    if (hasExpired(key, now) || key.revokedAt !== null) throw unauthenticated();
  }
}

/** The refusal of a request without a valid key or session. */
export function unauthenticated(): JobdError {
  return new JobdError(
    'unauthenticated',
    'a valid key is needed, send it as: Authorization: Bearer cp_…',
  );
}
