/**
 * A job as it is kept: its header values and its body sealed together, so that a call costs one opening.
 * A job that has neither has nothing sealed, and costs none.
 */

import { JobdError } from '../errors.ts';
import type { Job } from '../jobs/job.ts';
import { errorText } from '../runs/outcome.ts';
import type { Failure } from '../runs/outcome.ts';
import { ifOpens, placeOf } from './vault.ts';
import type { RequestSecrets, Vault } from './vault.ts';

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
  return { ...job, sealed: vault.seal(await keyId(), plaintext, placeOf('jobs', job)) };
}

/** Why a call of a damaged job fails: rather nothing is sent than something else than the job says. */
export const damage: Failure = {
  reason: 'protocol',
  detail: 'nothing is sent: the headers and the body cannot be opened, set both anew',
};

/**
 * Opens a job. What was sealed stays with it: to leave out one field costs more than to copy all. Throws `unavailable`,
 * with the remedy, if it cannot be opened.
 */
export function openJob(job: SealedJob, vault: Vault): Job {
  try {
    const { headers, body } = openRequest(job, vault);
    return { ...job, headers, body };
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
    const remedy = 'set headers and body anew, both in one update';
    throw new JobdError('unavailable', `${error.message}: ${remedy}`, { cause: error });
  }
}

/**
 * A job as people see it. One that cannot be opened shows no headers and no body, and that it is down, with
 * the reason that its next run will have: whoever lists jobs must not lose sight of the others.
 */
export function openForPeople(sealedJob: SealedJob, vault: Vault): Job {
  const opened = ifOpens(() => openJob(sealedJob, vault));
  if (opened !== undefined) return opened;
  const { sealed: _, ...job } = sealedJob;
  return { ...job, headers: {}, body: null, health: 'down', downReason: errorText(damage) };
}

/** Opens what a job sends. Throws `unavailable` if it cannot be opened. */
export function openRequest(
  job: Pick<SealedJob, 'id' | 'workspaceId' | 'url' | 'sealed'>,
  vault: Vault,
): RequestSecrets {
  if (job.sealed === null) return { headers: {}, body: null };
  return JSON.parse(vault.open(job.sealed, placeOf('jobs', job))) as RequestSecrets;
}
