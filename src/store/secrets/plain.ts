/** What a store of an earlier jobd holds in plain text, until it is sealed. */

import type { RequestSecrets } from '../../domain/secrets/sealed-job.ts';
import type { Db } from '../database/open.ts';
import { emptyLog, rewrite } from '../database/space.ts';

/** Whether it is still to be made sure that nothing is there in plain text. */
export async function hasPlainText(db: Db): Promise<boolean> {
  const found = await db
    .selectFrom('chores')
    .select('name')
    .where('name', '=', 'seal')
    .executeTakeFirst();
  return found !== undefined;
}

/** What a job has in plain text. */
export interface PlainRequest extends RequestSecrets {
  job: { id: string; workspaceId: string; url: string };
}

/** Jobs with headers or body in plain text, in the order of their ids. */
export async function findPlainRequests(
  db: Db,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<PlainRequest[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'workspace_id as workspaceId', 'url', 'headers', 'body'])
    .where('id', '>', afterId)
    .where((of) => of.or([of('headers', '<>', '{}'), of('body', 'is not', null)]))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ headers, body, ...job }) => ({
    job,
    headers: JSON.parse(headers) as Record<string, string>,
    body,
  }));
}

/** Keeps the sealed value of a job in place of its plain text. */
export async function replacePlainRequest(db: Db, jobId: string, sealed: string): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ headers: '{}', body: null, sealed })
    .where('id', '=', jobId)
    .execute();
}

/**
 * Writes the file anew, so that what was freed in it is gone, and empties the log. Returns false if that
 * has to be done again, as another process reads.
 */
export async function removeFreedText(db: Db): Promise<boolean> {
  await rewrite(db);
  if (!(await emptyLog(db))) return false;
  await db.deleteFrom('chores').where('name', '=', 'seal').execute();
  return true;
}
