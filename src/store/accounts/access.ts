import type { Db } from '../database/store.ts';

/** Whether there is a key that was not revoked, or a session. Expired ones count: their owners know the way. */
export async function hasAccess(db: Db): Promise<boolean> {
  const key = await db
    .selectFrom('keys')
    .select('id')
    .where('revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (key !== undefined) return true;
  const session = await db.selectFrom('sessions').select('id').limit(1).executeTakeFirst();
  return session !== undefined;
}
