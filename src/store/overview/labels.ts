import { sql } from 'kysely';
import type { Db } from '../database/store.ts';

/** Labels as they are kept; paused ones are not down. */
export interface LabelledRow {
  id: string;
  labels: string | null;
  isDown: number;
}

/** The labels of up to `limit` jobs or monitors before an id, newest first. */
export async function listLabels(
  db: Db,
  table: 'jobs' | 'monitors',
  workspaceId: string,
  { before, limit }: { before: string; limit: number },
): Promise<LabelledRow[]> {
  return await db
    .selectFrom(table)
    .select(['id', 'labels'])
    .select(sql<number>`case when health = 'down' and paused = 0 then 1 else 0 end`.as('isDown'))
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
