/** This installation: its id, and where its daemon is reached. */

import type { Db, Store } from '../database/open.ts';

/** Returns the id of this installation: `id`, if it had none. Nobody reaches its daemon yet. */
export async function startInstance(store: Store, id: string): Promise<string> {
  return await store.write(async (tx) => {
    await tx
      .insertInto('instance')
      .values({ one: 1, id, site_url: null })
      .onConflict((row) => row.column('one').doUpdateSet({ site_url: null }))
      .execute();
    const row = await tx.selectFrom('instance').select('id').executeTakeFirstOrThrow();
    return row.id;
  });
}

/** Keeps where people reach the daemon. */
export async function recordSiteUrl(store: Store, siteUrl: string): Promise<void> {
  await store.write((tx) => tx.updateTable('instance').set({ site_url: siteUrl }).execute());
}

/** Where people reach the daemon; null until it listens. */
export async function findSiteUrl(db: Db): Promise<string | null> {
  const row = await db.selectFrom('instance').select('site_url').executeTakeFirst();
  return row?.site_url ?? null;
}
