/** A job may be named by its id or, where no other has it, by its name. */

import type { Job } from '../api/contract.ts';
import { invalidInput, JobdError } from '../domain/errors.ts';
import { isId } from '../domain/id.ts';
import type { Client } from './client.ts';

/** Finds the job. Throws `not_found`, or `invalid_input` if several have this name. */
export async function findJob(client: Client, idOrName: string): Promise<Job> {
  if (isId(idOrName)) return await client.getJob(idOrName);
  const found: Job[] = [];
  for await (const job of client.listJobs()) {
    if (job.name === idOrName) found.push(job);
  }
  const [job, ...others] = found;
  if (job === undefined) throw new JobdError('not_found', `there is no job named ${idOrName}`);
  if (others.length === 0) return job;
  const ids = found.map(({ id }) => id).join(', ');
  throw invalidInput(`${found.length} jobs are named ${idOrName}, use an id: ${ids}`);
}
