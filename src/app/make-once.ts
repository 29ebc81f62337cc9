/** What a request makes, made once for each `Idempotency-Key` (docs/behavior.md#api-11). Runs by hand keep their keys themselves. */

import { createHash, createHmac } from 'node:crypto';
import { isoTime } from '../domain/clock.ts';
import { JobdError } from '../domain/errors.ts';
import { rememberedKeys, rememberedMs, type Repeatable } from '../domain/repeatable.ts';
import { findMadeOnce, forgetOldest, keepMadeOnce } from '../store/accounts/made-once.ts';
import type { MadeOnceRow } from '../store/database/schema-accounts.ts';
import type { Db } from '../store/database/store.ts';
import { changeBy, type Author, type ChangeParts, type NoteChange } from './change.ts';

/** How something is made, and shown again. */
export interface Making<T> {
  id: string;
  /** Null without an `Idempotency-Key`. */
  repeatable: Repeatable | null;
  readonly make: (tx: Db, note: NoteChange) => Promise<T>;
  /** Finds what an earlier request made. Throws `not_found` if it was deleted since. */
  readonly find: (tx: Db, id: string) => Promise<T>;
}

/** Makes it, or finds what an equal request with the same key made. Throws `conflict` if that was another request, or was deleted since. */
export async function makeOnce<T>(
  parts: ChangeParts,
  author: Author,
  { id, repeatable, make, find }: Making<T>,
): Promise<T> {
  if (repeatable === null) return await changeBy(parts, author, make);
  const { key, request } = repeatable;
  const own = {
    workspace_id: author.workspaceId,
    key_sha256: createHash('sha256').update(key).digest('hex'),
    request_mac: createHmac('sha256', key).update(request).digest('hex'),
  };
  const known = async (db: Db): Promise<T | undefined> => {
    const first = await findMadeOnce(db, own);
    if (first === undefined || first.made_at < parts.clock.now() - rememberedMs) return undefined;
    if (first.request_mac !== own.request_mac) throw usedForAnother(first);
    return await find(db, first.subject_id).catch((error: unknown) => {
      throw error instanceof JobdError && error.code === 'not_found' ? goneSince(first) : error;
    });
  };
  const work = async (tx: Db, note: NoteChange): Promise<T> => {
    // Asked again: now nobody else can be making it.
    const found = await known(tx);
    if (found !== undefined) return found;
    const made = await make(tx, note);
    await keepMadeOnce(tx, { ...own, subject_id: id, made_at: parts.clock.now() });
    await forgetOldest(tx, author.workspaceId, rememberedKeys);
    return made;
  };
  return await changeBy(parts, author, work, known);
}

function usedForAnother({ made_at: at }: MadeOnceRow): JobdError {
  return new JobdError(
    'conflict',
    `this Idempotency-Key was used at ${isoTime(at)} for another request: use a new one for each request`,
  );
}

function goneSince({ made_at: at }: MadeOnceRow): JobdError {
  return new JobdError(
    'conflict',
    `what this Idempotency-Key made at ${isoTime(at)} was deleted since: use a new one to make it again`,
  );
}
