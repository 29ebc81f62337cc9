/** Jobs as they are kept: found, shown, created and changed. The rules are the same for every use case. */

import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { updateOf } from '../../domain/accounts/audit.ts';
import { hasExpired, type Account } from '../../domain/accounts/account.ts';
import { checkPlanLimits } from '../../domain/accounts/plan-limits.ts';
import { defaultTimeoutSeconds, plans } from '../../domain/accounts/plan.ts';
import { changedFields, definedFields, type DefinedField } from '../../domain/definition.ts';
import { JobdError, tooSoon } from '../../domain/errors.ts';
import { manualIntervalMs } from '../../domain/jobs/actions.ts';
import { isId, newId } from '../../domain/id.ts';
import { jobFields } from '../../domain/jobs/fields.ts';
import { changeJob, defineJob } from '../../domain/jobs/job-input.ts';
import type { JobInput, JobUpdate } from '../../domain/jobs/job-input.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { holdsOf, upcomingDueTime, type DueTimeFields } from '../../domain/runs/due.ts';
import { openForPeople, openJob, sealJob } from '../../domain/secrets/sealed-job.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import { siteText } from '../../domain/targets/target.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import { coveredAt, holdsAmong, type Covered } from '../../domain/windows.ts';
import { markCallbacksDeleted } from '../../store/alerts/callbacks.ts';
import * as jobs from '../../store/jobs/jobs.ts';
import { dropWait } from '../../store/runs/reports.ts';
import { activeMasterKeyId } from '../../store/secrets/master-keys.ts';
import type { Db } from '../../store/database/store.ts';
import { ensureCallKey } from '../proof/call-keys.ts';
import { requirePaid, requireRoom } from '../accounts/account-limits.ts';
import type { Ground, JobsApp, Principal } from '../app.ts';
import { windowsAround } from '../accounts/windows.ts';
import type { NoteChange } from '../change.ts';
import { keepCallback } from './callbacks.ts';
import { requireChain } from './chains.ts';

/** The kept job, if it exists and belongs to the principal. Throws `not_found`. */
export async function requireJob(
  db: Db,
  { workspaceId }: Principal,
  id: string,
): Promise<SealedJob> {
  const job = isId(id) ? await jobs.findJob(db, workspaceId, id) : undefined;
  if (job === undefined) throw noJob(id);
  return job;
}

/** The refusal of an id that no job of the workspace has. */
export function noJob(id: string): JobdError {
  return new JobdError('not_found', `there is no job with id ${id}`);
}

/**
 * Jobs as people see them: no job of an expired account is due, whatever due time is kept, and one that is held is due after that. In
 * a transaction, `db` is that.
 */
export async function shownJobs<Shown extends ShownFields>(
  { clock }: Pick<Ground, 'clock'>,
  principal: Principal,
  db: Db,
  found: readonly Shown[],
): Promise<(Shown & Covered)[]> {
  const now = clock.now();
  const isExpired = hasExpired({ expiresAt: principal.accountExpiresAt }, now);
  const windows = await windowsAround(db, principal, found, now);
  const shown: (Shown & Covered)[] = [];
  for (const job of found) {
    const its = windows.get(job.id) ?? [];
    const holds = holdsOf(scheduleOf(job), holdsAmong(its));
    const nextRunAt = isExpired ? null : upcomingDueTime(job, now, holds);
    const covered = its.length > 0 ? coveredAt(its, holds, now) : {};
    shown.push({ ...job, nextRunAt, ...covered });
    // Windows that take turns cost milliseconds for each choice of them.
    if (its.length > 1) await setImmediate();
  }
  return shown;
}

type ShownFields = DueTimeFields & Pick<Job, 'id' | 'labels'>;
/** A job as people see it, and what windows do to it now. */
export type ShownJob = Job & Covered;

/** A job as people see it. */
export async function shownJob<Shown extends ShownFields>(
  app: Pick<Ground, 'clock'>,
  principal: Principal,
  db: Db,
  job: Shown,
): Promise<Shown & Covered> {
  const [shown = job] = await shownJobs(app, principal, db, [job]);
  return shown;
}

/** A kept job as people see it. */
export async function shownKept(
  app: JobsApp,
  principal: Principal,
  db: Db,
  job: SealedJob,
): Promise<ShownJob> {
  return await shownJob(app, principal, db, openForPeople(job, app.vault));
}

/** A new job; the plan of the account gives the default of its timeout. Throws as `defineJob` does. */
export function newJob(
  { clock, allowTargets }: JobsApp,
  { plan }: Account,
  { workspaceId }: Principal,
  input: JobInput,
): Job {
  const now = clock.now();
  return defineJob(
    { timeoutSeconds: defaultTimeoutSeconds(plans[plan]), ...input },
    { id: newId(now), workspaceId, now, allowTargets },
  );
}

/**
 * Keeps a new job. `secret` is that of `onResult`; returns the one that jobd made for it, null if it made none. `callKey`: its key, if
 * it is one of many calls. Throws `payment_required`, `invalid_input` for `after`, and `forbidden` if the plan does not allow it.
 */
export async function keepNewJob(
  app: JobsApp,
  principal: Principal,
  tx: Db,
  job: Job,
  note: NoteChange,
  { secret, callKey }: { secret?: string | undefined; callKey?: string } = {},
): Promise<string | null> {
  // Judged inside the transaction: once the engine has stopped the schedules of an account, none may be added.
  const account = await requirePaid(tx, principal, app.clock.now());
  checkPlanLimits(plans[account.plan], job, null);
  await requireRoom(tx, account);
  await requireChain(tx, principal, job, null);
  await ensureCallKey(app, tx, job.sign);
  await jobs.insertJob(tx, await sealed(app, tx, job), callKey);
  note({ action: 'job.create', subject: job });
  return await keepCallback(app, tx, { before: null, after: job, secret });
}

/** Hides a job for good, with a run that waits for a report. Its history is removed in small steps afterwards. */
export async function removeJob(
  { clock }: Pick<Ground, 'clock'>,
  tx: Db,
  job: Pick<SealedJob, 'id' | 'name' | 'activeRunId'>,
  note: NoteChange,
): Promise<void> {
  const { id: jobId, activeRunId: runId } = job;
  const now = clock.now();
  if (runId !== null) await dropWait(tx, { jobId, runId, now });
  await jobs.markJobDeleted(tx, jobId, now);
  await markCallbacksDeleted(tx, [jobId], now);
  note({ action: 'job.delete', subject: job });
}

export interface ChangedJob {
  kept: SealedJob;
  before: Job;
  after: Job;
  /** From when it counts, in epoch milliseconds. */
  now: number;
  /** Whether the sealed part must be sealed again. */
  isResealed: boolean;
  /** Whether the sealed part could not be opened: what replaces it is a change, whatever it is. */
  isDamaged: boolean;
  /** A new secret of `onResult`, if one is given. */
  secret?: string | undefined;
}

type DifferingJob = Pick<ChangedJob, 'before' | 'after' | 'isDamaged' | 'secret'>;

/** A job that was kept, with the secret that jobd made for its `onResult`, to be shown once; left out if it made none. */
export interface KeptJob extends Job, Covered {
  madeSecret?: string;
}

/** A job with the secret that was made for it. */
export function withSecret(job: Job, secret: string | null): KeptJob {
  return secret === null ? job : { ...job, madeSecret: secret };
}

/** Applies an update. Throws as `changeJob` does, and `unavailable` if it needs the sealed part and that is damaged. */
export function changedJob(
  { vault, clock, allowTargets }: JobsApp,
  kept: SealedJob,
  update: JobUpdate,
): ChangedJob {
  const isResealed = needsSealed(kept, update);
  const { job: before, isDamaged } = opened(kept, update, vault);
  const now = clock.now();
  const after = changeJob(before, update, { now, allowTargets });
  return { kept, before, after, now, isResealed, isDamaged, secret: update.onResultSecret };
}

/** Keeps a change. Throws `payment_required`, `invalid_input` for `after`, and `forbidden` if the plan does not allow it. */
export async function keepChangedJob(
  app: JobsApp,
  principal: Principal,
  tx: Db,
  change: ChangedJob,
  note: NoteChange,
): Promise<KeptJob> {
  const { kept, before, after, now, isResealed, secret } = change;
  const { plan } = await requirePaid(tx, principal, app.clock.now());
  checkPlanLimits(plans[plan], after, before);
  refuseTooSoon(change);
  await requireChain(tx, principal, after, before);
  await ensureCallKey(app, tx, after.sign);
  const row = isResealed ? await sealed(app, tx, after) : { ...after, sealed: kept.sealed };
  await jobs.updateJob(tx, kept, row, now);
  note(updateOf('job', after, differingFields(change)));
  return withSecret(after, await keepCallback(app, tx, { before, after, secret }));
}

/** One who sets `runAt` again and again calls no more often than by hand (docs/behavior.md#once-3). */
function refuseTooSoon({ kept: { lastRunAt }, before, after }: ChangedJob): void {
  if (after.runAt === null || after.runAt === before.runAt || lastRunAt === null) return;
  const agoMs = Date.parse(after.runAt) - lastRunAt;
  if (agoMs >= manualIntervalMs) return;
  const rule = 'a job can be called once more a minute after its last call';
  throw tooSoon(rule, manualIntervalMs, Math.max(0, agoMs));
}

/** The fields that a change changes, in the order of definitions. */
export function differingFields({
  before,
  after,
  isDamaged,
  secret,
}: DifferingJob): DefinedField<typeof jobFields>[] {
  const differing = new Set(changedFields(jobFields, before, after));
  if (isDamaged) differing.add('headers').add('body');
  if (secret !== undefined) differing.add('onResultSecret');
  return definedFields(jobFields).filter((field) => differing.has(field));
}

/**
 * Whether an update leaves every field as it is, apart from its action. Given headers and a given secret count as a
 * change, because nobody can have read their values. Throws as `changedJob` does.
 */
export function changesNoField(app: JobsApp, kept: SealedJob, update: JobUpdate): boolean {
  const { action: _, ...fields } = update;
  if (fields.headers !== undefined || fields.onResultSecret !== undefined) return false;
  const { before, after } = changedJob(app, kept, fields);
  return isDeepStrictEqual(after, before);
}

/** Opens a job; one whose sealed part is damaged has no headers and no body. */
export function openDamaged(job: SealedJob, vault: Vault): { job: Job; isDamaged: boolean } {
  try {
    return { job: openJob(job, vault), isDamaged: false };
  } catch (error) {
    if (!(error instanceof JobdError) || error.code !== 'unavailable') throw error;
    return { job: openJob({ ...job, sealed: null }, vault), isDamaged: true };
  }
}

/** Opens only what the update needs, so that a damaged job can still be changed in other fields. */
function opened(job: SealedJob, update: JobUpdate, vault: Vault): { job: Job; isDamaged: boolean } {
  const { headers, body } = update;
  // New headers and a new body replace the whole sealed part, even a damaged one.
  if (headers !== undefined && body !== undefined) return openDamaged(job, vault);
  const open = needsSealed(job, update) ? openJob : openForPeople;
  return { job: open(job, vault), isDamaged: false };
}

/** Whether an update seals again: the method decides about a body, and the sealed part is bound to scheme, host and port. */
function needsSealed({ url, sealed: secrets }: SealedJob, update: JobUpdate): boolean {
  const { headers, body, method, sign } = update;
  if ([headers, body, method].some((field) => field !== undefined)) return true;
  // Which headers the job has decides how it may sign.
  if (sign !== undefined && sign !== null) return true;
  return secrets !== null && update.url !== undefined && siteText(update.url) !== siteText(url);
}

async function sealed({ vault }: JobsApp, tx: Db, job: Job): Promise<SealedJob> {
  return await sealJob(job, vault, () => activeMasterKeyId(tx));
}
