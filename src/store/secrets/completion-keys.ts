/** The secret that completion URLs are made with. There is one; another takes its place if it cannot be opened. */

import type { Db } from '../database/store.ts';

/** A secret as it is kept. */
export interface CompletionKey {
  id: string;
  sealed: string;
}

/** The secret in use, or undefined if there is none yet. */
export async function findCompletionKey(db: Db): Promise<CompletionKey | undefined> {
  return await db
    .selectFrom('completion_keys')
    .select(['id', 'sealed'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Removes it. */
export async function removeCompletionKey(db: Db): Promise<void> {
  await db.deleteFrom('completion_keys').execute();
}

/** Puts a secret in the place of any other. */
export async function replaceCompletionKey(db: Db, key: CompletionKey, now: number): Promise<void> {
  await removeCompletionKey(db);
  await db
    .insertInto('completion_keys')
    .values({ ...key, created_at: now })
    .execute();
}
