/** This installation: its id, and where its daemon is reached. */

import type { Db, Store } from '../database/open.ts';

/** Returns the id of this installation: `id`, if it had none. After the first start nothing is written. */
export async function startInstance(store: Store, id: string): Promise<string> {
  const known = await store.db.selectFrom('instance').select('id').executeTakeFirst();
  if (known !== undefined) return known.id;
  await store.write((tx) =>
    tx.insertInto('instance').values({ one: 1, id, site_url: null }).execute(),
  );
  return id;
}

/** Keeps where people reach the daemon, if that is new. */
export async function recordSiteUrl(store: Store, siteUrl: string): Promise<void> {
  if ((await findSiteUrl(store.db)) === siteUrl) return;
  await store.write((tx) => tx.updateTable('instance').set({ site_url: siteUrl }).execute());
}

/** Where people reach the daemon; null until it has listened. */
export async function findSiteUrl(db: Db): Promise<string | null> {
  const row = await db.selectFrom('instance').select('site_url').executeTakeFirst();
  return row?.site_url ?? null;
}
