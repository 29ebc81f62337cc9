import { sql } from 'kysely';
import { idList } from './dialect.ts';
import type { Db } from './store.ts';

/** The name of a workspace in the log: null while it is the only one. */
export const workspaceLabel = sql<string | null>`case when (
  select 1 from workspaces as kept where kept.deleted_at is null limit 1 offset 1) = 1
  then workspaces.name end`;

/** The names of these workspaces in the log, by id. */
export async function findWorkspaceLabels(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('workspaces')
    .select(['id', workspaceLabel.as('label')])
    .where('id', 'in', idList(ids))
    .execute();
  return new Map(rows.map(({ id, label }) => [id, label]));
}
