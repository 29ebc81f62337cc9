/** Workspaces: what keys and jobs belong to. */

import type { Db } from './open.ts';

/** The workspace that exists from the first start. */
export const defaultWorkspace = 'default';

/** Makes sure that the default workspace is there. */
export async function ensureDefaultWorkspace(db: Db, id: string, now: number): Promise<void> {
  // Reading first: whoever only reads does not wait for a writer.
  if ((await findWorkspaceId(db, defaultWorkspace)) !== undefined) return;
  await db
    .insertInto('workspaces')
    .values({ id, name: defaultWorkspace, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
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
