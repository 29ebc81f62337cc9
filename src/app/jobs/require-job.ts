/** A job that a principal may act on. */

import { JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import * as jobs from '../../store/jobs/jobs.ts';
import type { Db } from '../../store/database/open.ts';
import type { Principal } from '../app.ts';

/** The job as it is kept, if it is there and the principal's own; else throws `not_found`. */
export async function requireJob(
  db: Db,
  { workspaceId }: Principal,
  id: string,
): Promise<SealedJob> {
  const job = isId(id) ? await jobs.findJob(db, workspaceId, id) : undefined;
  if (job === undefined) throw new JobdError('not_found', `there is no job with id ${id}`);
  return job;
}
