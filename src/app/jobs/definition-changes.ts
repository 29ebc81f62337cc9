/** What differs between a job and its definition, and the update that makes it so. */

import type { Account } from '../../domain/accounts/account.ts';
import { JobdError } from '../../domain/errors.ts';
import { changeJob } from '../../domain/jobs/job-input.ts';
import type { JobInput, JobUpdate } from '../../domain/jobs/job-input.ts';
import type { Job } from '../../domain/jobs/job.ts';
import {
  changedFields,
  changedHeaders,
  definedFields,
  replacementOf,
} from '../../domain/jobs/managed-job.ts';
import type { DefinedField } from '../../domain/jobs/managed-job.ts';
import { defaultTimeoutSeconds, plans } from '../../domain/accounts/plan.ts';
import { openJob } from '../../domain/secrets/sealed-job.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import type { App } from '../app.ts';

/** The update that makes any job what the definition says; the plan gives the default of its timeout. */
export function replacement({ plan }: Account, input: JobInput): JobUpdate {
  return replacementOf(input, { timeoutSeconds: defaultTimeoutSeconds(plans[plan]) });
}

/** A job before and after a replacement, what differs, and the smallest update that makes it so. */
export function compared(
  { vault, clock, allowTargets }: App,
  sealed: SealedJob,
  update: JobUpdate,
): { before: Job; after: Job; fields: DefinedField[]; headers: string[]; update: JobUpdate } {
  const { job: before, isDamaged } = readJob(sealed, vault);
  const after = changeJob(before, update, { now: clock.now(), allowTargets });
  const changed = new Set(changedFields(before, after));
  // What cannot be opened is not what the definition says, and is replaced.
  if (isDamaged) for (const field of ['headers', 'body'] as const) changed.add(field);
  const fields = definedFields.filter((field) => changed.has(field));
  const { action } = update;
  // A pause alone asks for nothing else: it need not wait for the call in flight.
  const isPause = isPauseAtMost(fields) && action !== undefined;
  return {
    before,
    after,
    fields,
    headers: changedHeaders(before, after),
    update: isPause ? { action } : update,
  };
}

/** What need not wait for the call in flight. */
export function isPauseAtMost(fields: readonly DefinedField[]): boolean {
  return fields.every((field) => field === 'paused');
}

/** A job whose sealed part was damaged shows none. */
export function readJob(job: SealedJob, vault: App['vault']): { job: Job; isDamaged: boolean } {
  try {
    return { job: openJob(job, vault), isDamaged: false };
  } catch (error) {
    if (!(error instanceof JobdError) || error.code !== 'unavailable') throw error;
    return { job: openJob({ ...job, sealed: null }, vault), isDamaged: true };
  }
}
