/** Keeping a job, new or changed, in the transaction that decides about it: the rules are the same whoever asks. */

import { isDeepStrictEqual } from 'node:util';
import { changeJob } from '../../domain/jobs/job-input.ts';
import type { JobUpdate } from '../../domain/jobs/job-input.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { checkPlanLimits } from '../../domain/accounts/plan-limits.ts';
import { plans } from '../../domain/accounts/plan.ts';
import { openForPeople, openJob, sealJob } from '../../domain/secrets/sealed-job.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import { siteText } from '../../domain/targets/target.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import * as jobs from '../../store/jobs/jobs.ts';
import { activeMasterKeyId } from '../../store/secrets/master-keys.ts';
import type { Db } from '../../store/database/open.ts';
import { requirePaid, requireRoom } from '../accounts/account-limits.ts';
import type { App, Principal } from '../app.ts';
import { readJob } from './definition-changes.ts';

/** Keeps a new job. Throws `payment_required`, and `forbidden` for what the plan does not allow. */
export async function keepNewJob(app: App, principal: Principal, tx: Db, job: Job): Promise<void> {
  // By the time of the transaction: schedules that the engine has stopped before it must not begin again.
  const account = await requirePaid(tx, principal, app.clock.now());
  checkPlanLimits(plans[account.plan], job, null);
  await requireRoom(tx, account);
  await jobs.insertJob(tx, await sealed(app, tx, job));
}

/**
 * Changes a job and keeps it. Throws `invalid_input`, `too_large`, `payment_required`, `unavailable` if what is
 * sealed of it was damaged, and `forbidden` for what the plan does not allow.
 */
export async function keepChangedJob(
  app: App,
  principal: Principal,
  tx: Db,
  { job, update }: { job: SealedJob; update: JobUpdate },
): Promise<Job> {
  const { vault, clock, allowTargets } = app;
  const now = clock.now();
  const { plan } = await requirePaid(tx, principal, now);
  const before = opened(job, update, vault);
  const changed = changeJob(before, update, { now, allowTargets });
  checkPlanLimits(plans[plan], changed, before);
  const kept = { ...changed, sealed: job.sealed };
  await jobs.updateJob(tx, needsSealed(job, update) ? await sealed(app, tx, changed) : kept);
  return changed;
}

/**
 * Whether an update leaves every field as it is; its action is not looked at. Headers that are given count as a change,
 * as nobody could have read their values. Throws as `changeJob` does, and `unavailable` like `keepChangedJob`.
 */
export function changesNoField(
  { vault, clock, allowTargets }: App,
  job: SealedJob,
  update: JobUpdate,
): boolean {
  const { action: _, ...fields } = update;
  if (fields.headers !== undefined) return false;
  const before = opened(job, fields, vault);
  const changed = changeJob(before, fields, { now: clock.now(), allowTargets });
  return isDeepStrictEqual(changed, before);
}

/** A job as an update needs it: what is sealed must be opened only for a change of a part of it. */
function opened(job: SealedJob, update: JobUpdate, vault: Vault): Job {
  const { headers, body } = update;
  // With new headers and a new body nothing of the old ones is needed: whatever was damaged may be.
  if (headers !== undefined && body !== undefined) return readJob(job, vault).job;
  return needsSealed(job, update) ? openJob(job, vault) : openForPeople(job, vault);
}

/**
 * Whether an update needs what is sealed, to seal it again: the method decides whether there may be a body, and what is
 * sealed is bound to where it is sent.
 */
function needsSealed({ url, sealed: secrets }: SealedJob, update: JobUpdate): boolean {
  const { headers, body, method } = update;
  if ([headers, body, method].some((field) => field !== undefined)) return true;
  return secrets !== null && update.url !== undefined && siteText(update.url) !== siteText(url);
}

async function sealed({ vault }: App, tx: Db, job: Job): Promise<SealedJob> {
  return await sealJob(job, vault, () => activeMasterKeyId(tx));
}
