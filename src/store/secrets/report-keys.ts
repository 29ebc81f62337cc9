/** The secret that report URLs are made with. There is one; another takes its place if it cannot be opened. */

import type { Db } from '../database/store.ts';

/** A secret as it is kept. */
export interface ReportKey {
  id: string;
  sealed: string;
}

/** The secret in use, or undefined if there is none yet. */
export async function findReportKey(db: Db): Promise<ReportKey | undefined> {
  return await db
    .selectFrom('report_keys')
    .select(['id', 'sealed'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Removes it. */
export async function removeReportKey(db: Db): Promise<void> {
  await db.deleteFrom('report_keys').execute();
}

/** Puts a secret in the place of any other. */
export async function replaceReportKey(db: Db, key: ReportKey, now: number): Promise<void> {
  await removeReportKey(db);
  const row = { ...key, created_at: now };
  await db.insertInto('report_keys').values(row).execute();
}
