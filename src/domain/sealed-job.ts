/**
 * A job as it is kept: its header values and its body sealed together, so that a call costs one opening.
 * A job that has neither has nothing sealed, and costs none.
 */

import type { Job, JobRequest } from './job.ts';
import { identityOf } from './vault.ts';
import type { Vault } from './vault.ts';

/** What of a request is kept sealed. */
export type RequestSecrets = Pick<JobRequest, 'headers' | 'body'>;

export interface SealedJob extends Omit<Job, keyof RequestSecrets> {
  /** Null if there are no headers and no body. */
  sealed: string | null;
}

/** Seals a job; `keyId` is asked for only if there is something to seal. */
export async function sealJob(
  { headers, body, ...job }: Job,
  vault: Vault,
  keyId: () => Promise<string>,
): Promise<SealedJob> {
  if (body === null && Object.keys(headers).length === 0) return { ...job, sealed: null };
  const plaintext = JSON.stringify({ headers, body } satisfies RequestSecrets);
  return { ...job, sealed: vault.seal(await keyId(), plaintext, identityOf('jobs', job.id)) };
}

/** Opens a job. Throws `unavailable` if it cannot be opened. */
export function openJob({ sealed, ...job }: SealedJob, vault: Vault): Job {
  return { ...job, ...openRequest(job.id, sealed, vault) };
}

/** Opens what a job sends. Throws `unavailable` if it cannot be opened. */
export function openRequest(jobId: string, sealed: string | null, vault: Vault): RequestSecrets {
  if (sealed === null) return { headers: {}, body: null };
  return JSON.parse(vault.open(sealed, identityOf('jobs', jobId))) as RequestSecrets;
}
