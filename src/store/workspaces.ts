/** Workspaces: what keys and jobs belong to. */

import type { Db, Store } from './open.ts';

/** The workspace that exists from the first start. */
export const defaultWorkspace = 'default';

/** Makes sure that the default workspace is there. */
export async function ensureDefaultWorkspace(store: Store, id: string, now: number): Promise<void> {
  // Reading first: whoever only reads does not wait for a writer.
  if ((await findWorkspaceId(store.db, defaultWorkspace)) !== undefined) return;
  await store.write((tx) =>
    tx
      .insertInto('workspaces')
      .values({ id, name: defaultWorkspace, created_at: now })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute(),
  );
}

/** The id of the workspace with this name, or undefined. */
export async function findWorkspaceId(db: Db, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.id;
}
