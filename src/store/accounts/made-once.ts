/** What was made by requests with an `Idempotency-Key`. The key is not kept: with it, nobody can guess the request. */

import type { Db } from '../database/store.ts';
import type { MadeOnceRow } from '../database/schema-accounts.ts';

/** What a key of a workspace made, or undefined. */
export async function findMadeOnce(
  db: Db,
  { workspace_id, key_sha256 }: Pick<MadeOnceRow, 'workspace_id' | 'key_sha256'>,
): Promise<MadeOnceRow | undefined> {
  return await db
    .selectFrom('made_once')
    .selectAll()
    .where('workspace_id', '=', workspace_id)
    .where('key_sha256', '=', key_sha256)
    .executeTakeFirst();
}

/** Remembers what a key made, in place of what it made long ago. */
export async function keepMadeOnce(tx: Db, row: MadeOnceRow): Promise<void> {
  const { request_mac, subject_id, made_at } = row;
  await tx
    .insertInto('made_once')
    .values(row)
    .onConflict((same) =>
      same
        .columns(['workspace_id', 'key_sha256'])
        .doUpdateSet({ request_mac, subject_id, made_at }),
    )
    .execute();
}

/** Forgets all but the newest `most` keys of a workspace. */
export async function forgetOldest(tx: Db, workspaceId: string, most: number): Promise<void> {
  const newest = tx
    .selectFrom('made_once')
    .select('made_at')
    .where('workspace_id', '=', workspaceId)
    .orderBy('made_at', 'desc')
    .offset(most)
    .limit(1);
  await tx
    .deleteFrom('made_once')
    .where('workspace_id', '=', workspaceId)
    .where('made_at', '<=', newest)
    .execute();
}
