/** The keys that sign calls: made when a job first asks for one, shown and changed by those who may open the store. */

import { workspacesTold } from '../../domain/accounts/audit.ts';
import {
  algorithmOf,
  callAlgorithms,
  isPublished,
  rotationTimes,
} from '../../domain/proof/call-key.ts';
import type { CallAlgorithm, CallKey } from '../../domain/proof/call-key.ts';
import { isoTime } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import type { SignKind } from '../../domain/jobs/sign.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import { makeCallKey } from '../../identity/keyring.ts';
import { listWorkspaces } from '../../store/accounts/workspaces.ts';
import * as keys from '../../store/proof/call-keys.ts';
import { lockAlone } from '../../store/database/alone.ts';
import type { Db } from '../../store/database/store.ts';
import { activeMasterKeyId } from '../../store/secrets/master-keys.ts';
import type { Ground, JobsApp } from '../app.ts';
import { changeByCommand, type CommandParts } from '../change.ts';

/** How keys are changed. */
export interface Rotation {
  /** Null for every algorithm that has a key. */
  algorithm: CallAlgorithm | null;
  /** Whether the keys leaked: the new ones sign at once, and the old ones are published no more. */
  isAtOnce: boolean;
}

/** Makes a key for a way of signing, if there is none: in the transaction that keeps the job which asks for it. */
export async function ensureCallKey(
  { vault, clock }: Pick<JobsApp, 'vault' | 'clock'>,
  tx: Db,
  sign: SignKind | null,
): Promise<void> {
  if (sign === null) return;
  const algorithm = algorithmOf(sign);
  const hasOne = async (): Promise<boolean> =>
    (await keys.listCallKeys(tx)).some((key) => key.algorithm === algorithm && isLast(key));
  if (await hasOne()) return;
  // Another process may be faster.
  await lockAlone(tx);
  if (await hasOne()) return;
  const now = clock.now();
  await insertNew(tx, { algorithm, vault, now, signsFrom: now });
}

/** The published keys, the newest first. */
export async function publishedCallKeys({ store, clock }: Ground): Promise<CallKey[]> {
  const now = clock.now();
  return (await keys.listCallKeys(store.db)).filter((key) => isPublished(key, now));
}

/** How long a look at the keys suffices: the first call that a new key signs may be there at once. */
const freshMs = 100;

/**
 * Returns a function that gets the published keys, the newest first: from the database ten times a second at most, however many ask.
 * It returns the same list until it looks again.
 */
export function createPublishedCallKeys(parts: Ground): () => Promise<readonly CallKey[]> {
  let lookedAt = -Infinity;
  let looked: Promise<readonly CallKey[]> | undefined;
  let isPending = false;
  const look = async (): Promise<readonly CallKey[]> => {
    isPending = true;
    try {
      return await publishedCallKeys(parts);
    } finally {
      isPending = false;
    }
  };
  return async () => {
    const now = parts.clock.monotonicMs();
    if (looked === undefined || (!isPending && now - lookedAt >= freshMs)) {
      lookedAt = now;
      looked = look();
    }
    return await looked;
  };
}

/** Every key there ever was, the newest first. */
export async function listCallKeys({ store }: Pick<Ground, 'store'>): Promise<CallKey[]> {
  return await keys.listCallKeys(store.db);
}

/** Makes new keys. Throws `not_found` if none is to follow, and `conflict` while the last one does not sign yet, unless `isAtOnce`. */
export async function rotateCallKeys(
  parts: CommandParts & { vault: Vault },
  rotation: Rotation,
): Promise<CallKey[]> {
  const { clock, vault } = parts;
  return await changeByCommand(parts, async (tx, noteIn) => {
    await lockAlone(tx);
    const now = clock.now();
    const made = await rotateIn(tx, { vault, now, ...rotation });
    if (made.length === 0) throw noKey(rotation.algorithm);
    for (const { id } of (await listWorkspaces(tx)).slice(0, workspacesTold)) {
      for (const { keyId, algorithm } of made) {
        noteIn(id, { action: 'callkey.rotate', subject: { id: keyId, name: algorithm } });
      }
    }
    return made;
  });
}

/** Makes new keys in a transaction. Returns them; none where there was none before. */
export async function rotateIn(
  tx: Db,
  { vault, now, algorithm, isAtOnce }: Rotation & { vault: Vault; now: number },
): Promise<CallKey[]> {
  const known = await keys.listCallKeys(tx);
  const made: CallKey[] = [];
  for (const each of callAlgorithms) {
    const last = known.find((key) => key.algorithm === each && isLast(key));
    if (last === undefined || (algorithm ?? each) !== each) continue;
    if (!isAtOnce && last.signsFrom > now) throw underWay(last);
    const { signsFrom, ...retirement } = rotationTimes(now, isAtOnce);
    const outgoing = isAtOnce
      ? known.filter((key) => key.algorithm === each && isPublished(key, now))
      : [last];
    for (const { keyId } of outgoing) await keys.retireCallKey(tx, keyId, retirement, isAtOnce);
    made.push(await insertNew(tx, { algorithm: each, vault, now, signsFrom }));
  }
  return made;
}

async function insertNew(
  tx: Db,
  wanted: { algorithm: CallAlgorithm; vault: Vault; now: number; signsFrom: number },
): Promise<CallKey> {
  const { algorithm, vault, now, signsFrom } = wanted;
  const { sealed, ...key } = await makeCallKey(algorithm, vault, await activeMasterKeyId(tx));
  const times = { createdAt: now, signsFrom, retiredAt: null, publishedUntil: null };
  await keys.insertCallKey(tx, { ...key, ...times, sealed });
  return { ...key, ...times };
}

/** Whether no other key is to follow. */
function isLast({ retiredAt }: CallKey): boolean {
  return retiredAt === null;
}

function noKey(algorithm: CallAlgorithm | null): JobdError {
  const which = algorithm === null ? 'call key' : `call key for ${algorithm}`;
  const when = 'one is made when a job with sign is kept';
  return new JobdError('not_found', `there is no ${which}: ${when}`);
}

function underWay({ keyId, signsFrom }: CallKey): JobdError {
  return new JobdError(
    'conflict',
    `the last rotation is under way: ${keyId} signs from ${isoTime(signsFrom)}; wait until then, or use --now if a key leaked`,
  );
}
