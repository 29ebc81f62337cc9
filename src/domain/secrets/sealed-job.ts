/** A job as it is kept: header values and body are sealed together, so that a call opens one value; nothing if it has neither. */

import { JobdError, unlessRefused } from '../errors.ts';
import type { Job } from '../jobs/job.ts';
import { errorOfResult, type Failure } from '../runs/outcome.ts';
import { placeOf, type RequestSecrets, type Vault } from './vault.ts';

export interface SealedJob extends Omit<Job, keyof RequestSecrets> {
  /** Null if there are no headers and no body. */
  sealed: string | null;
}

/** Seals a job; `keyId` is called only if there is something to seal. */
export async function sealJob(
  { headers, body, ...job }: Job,
  vault: Vault,
  keyId: () => Promise<string>,
): Promise<SealedJob> {
  if (body === null && Object.keys(headers).length === 0) return { ...job, sealed: null };
  const plaintext = JSON.stringify({ headers, body } satisfies RequestSecrets);
  return { ...job, sealed: vault.seal(await keyId(), plaintext, placeOf('jobs', job)) };
}

/** Why a call of a damaged job fails: sending nothing is better than sending something else. */
export const damage: Failure = {
  reason: 'unopened',
  detail: 'nothing is sent: the headers and the body cannot be opened, set both again',
};

/** Opens a job, which keeps its sealed value: leaving it out costs more than copying all. Throws `unavailable`, with the remedy. */
export function openJob(job: SealedJob, vault: Vault): Job {
  try {
    const { headers, body } = openRequest(job, vault);
    return { ...job, headers, body };
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
    const remedy = 'set headers and body again, both in one update';
    throw new JobdError('unavailable', `${error.message}: ${remedy}`, { cause: error });
  }
}

/**
 * A job as people see it. One that cannot be opened shows no headers and no body, and that it is down, with
 * the reason that its next run will have, so that a list still shows all other jobs.
 */
export function openForPeople(sealedJob: SealedJob, vault: Vault): Job {
  const opened = unlessRefused(() => openJob(sealedJob, vault));
  if (opened !== undefined) return opened;
  const { sealed: _, ...job } = sealedJob;
  const downReason = errorOfResult({ kind: 'failure', failure: damage });
  return { ...job, headers: {}, body: null, health: 'down', downReason };
}

/** Opens the headers and the body of a job. Throws `unavailable` if that fails. */
export function openRequest(
  job: Pick<SealedJob, 'id' | 'workspaceId' | 'url' | 'sealed'>,
  vault: Vault,
): RequestSecrets {
  if (job.sealed === null) return { headers: {}, body: null };
  return JSON.parse(vault.open(job.sealed, placeOf('jobs', job))) as RequestSecrets;
}
