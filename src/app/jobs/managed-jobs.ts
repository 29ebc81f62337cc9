/**
 * Jobs that definitions manage. A definition is authoritative: a field that it leaves out has its default. Applying it
 * twice changes nothing the second time: the key identifies the job, so a lost answer never creates a second one.
 */

import { checkPaid } from '../../domain/accounts/account.ts';
import { checkPlanLimits } from '../../domain/accounts/plan-limits.ts';
import { defaultTimeoutSeconds, plans } from '../../domain/accounts/plan.ts';
import type { Plan } from '../../domain/accounts/plan.ts';
import { JobdError } from '../../domain/errors.ts';
import { changeJob } from '../../domain/jobs/job-input.ts';
import type { JobInput } from '../../domain/jobs/job-input.ts';
import type { Job } from '../../domain/jobs/job.ts';
import {
  changedFields,
  changedHeaders,
  checkJobKey,
  definedFields,
  definedJob,
} from '../../domain/jobs/managed-job.ts';
import type { DefinedField, JobChange } from '../../domain/jobs/managed-job.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import { findJob, markJobDeleted } from '../../store/jobs/jobs.ts';
import * as managed from '../../store/jobs/managed-jobs.ts';
import type { Db } from '../../store/database/open.ts';
import { requireAccount } from '../accounts/account-limits.ts';
import type { App, Principal } from '../app.ts';
import { changeBy } from '../change.ts';
import type { NoteChange } from '../change.ts';
import { idCursor, pageOf, parseIdCursor } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import { untilIdle } from './idle.ts';
import type { Tried } from './idle.ts';
import {
  keepChangedJob,
  keepNewJob,
  newJob,
  openDamaged,
  shownJob,
  shownKept,
} from './keep-job.ts';
import type { ChangedJob } from './keep-job.ts';

/** A job and the key that definitions know it by. */
export interface ManagedJob {
  key: string;
  job: Job;
}

/** What a key should stand for. */
export interface Definition {
  key: string;
  /** Null for no job at all. */
  job: JobInput | null;
  /** The job made by hand that gets the key, if no job has it yet and that job exists. */
  adopt?: string;
}

/** What happened to a definition's job, or would happen in a dry run. */
export interface Applied {
  change: JobChange;
  /** What differed in an update; empty for a creation. */
  fields: DefinedField[];
  /** The names of the headers that differed. */
  headers: string[];
  /** Whether a job made by hand got the key. */
  isAdopted: boolean;
  /** The job afterwards, in a dry run as it is now; null if there is none. */
  job: Job | null;
}

/** A page of the workspace's managed jobs, newest first. */
export async function listManagedJobs(
  app: App,
  principal: Principal,
  { limit, cursor }: PageRequest,
): Promise<Page<ManagedJob>> {
  const before = cursor === null ? null : parseIdCursor('managed-jobs', cursor);
  const page = { limit: limit + 1, before };
  const found = await managed.listManagedJobs(app.store.db, principal.workspaceId, page);
  const { items, nextCursor } = pageOf(found, limit, ({ job }) => idCursor('managed-jobs', job.id));
  const shown = items.map(({ key, job }) => ({ key, job: shownKept(app, principal, job) }));
  return { items: shown, nextCursor };
}

/**
 * Makes the job of a key what its definition says, in one transaction. A job that already is as defined is not
 * written. Throws as creating, changing and deleting a job do, and `conflict` if the job to adopt has another key.
 */
export async function applyDefinition(
  app: App,
  principal: Principal,
  definition: Definition,
): Promise<Applied> {
  checkJobKey(definition.key);
  const { store, wake } = app;
  const applied = await untilIdle(app, principal, async (): Promise<Tried<Applied>> => {
    const seen = await decide(app, principal, store.db, definition);
    if (seen.perform === null) return { result: seen.applied };
    if (seen.blockedBy !== null) return { executing: seen.blockedBy };
    // Decided again inside the transaction, where nobody can change the job in between.
    return await changeBy(app, principal, async (tx, note): Promise<Tried<Applied>> => {
      const { applied: found, perform, blockedBy } = await decide(app, principal, tx, definition);
      if (blockedBy !== null) return { executing: blockedBy };
      return { result: perform === null ? found : { ...found, job: await perform(tx, note) } };
    });
  });
  if (applied.change !== 'none' || applied.isAdopted) wake();
  return applied;
}

/**
 * What `applyDefinition` would do, also for an expired account. Throws every other refusal that is known in advance,
 * except that the account is full.
 */
export async function previewDefinition(
  app: App,
  principal: Principal,
  definition: Definition,
): Promise<Applied> {
  checkJobKey(definition.key);
  return (await decide(app, principal, app.store.db, { ...definition, isDryRun: true })).applied;
}

interface Decision {
  /** With the job as it is now. */
  applied: Applied;
  /** Carries it out and returns the job afterwards; null if there is nothing to do. */
  perform: ((tx: Db, note: NoteChange) => Promise<Job | null>) | null;
  /** The job, if a run of it is executing that must end first; else null. */
  blockedBy: SealedJob | null;
}

/** Decides what a definition changes, from what `db` sees now. */
async function decide(
  app: App,
  principal: Principal,
  db: Db,
  definition: Definition & { isDryRun?: true },
): Promise<Decision> {
  const { key, job: input, isDryRun = false } = definition;
  const none = { fields: [], headers: [], isAdopted: false, job: null };
  const idle = { perform: null, blockedBy: null };
  const account = await requireAccount(db, principal);
  const plan = plans[account.plan];
  const checkAllowed = (after: Job, before: Job | null): void => {
    if (!isDryRun) checkPaid(account, app.clock.now());
    checkPlanLimits(plan, after, before);
  };
  const target = await findTarget(db, principal, definition);
  if (target === undefined) {
    if (input === null) return { ...idle, applied: { change: 'none', ...none } };
    const job = newJob(app, account, principal, input);
    checkAllowed(job, null);
    const perform = async (tx: Db, note: NoteChange): Promise<Job> => {
      await keepNewJob(app, principal, tx, job, note);
      await managed.setJobKey(tx, job.id, key);
      return job;
    };
    return { ...idle, applied: { change: 'create', ...none }, perform };
  }
  const { kept, isAdopted } = target;
  const executing = kept.activeRunId === null ? null : kept;
  const opened = openDamaged(kept, app.vault);
  const job = shownJob(app, principal, opened.job);
  if (input === null) {
    const perform = async (tx: Db, note: NoteChange): Promise<null> => {
      await markJobDeleted(tx, kept.id, app.clock.now());
      note({ action: 'job.delete', subject: kept });
      return null;
    };
    return { applied: { change: 'delete', ...none, job }, perform, blockedBy: executing };
  }
  const { fields, headers, isPause, change } = replaced(app, kept, opened, input, plan);
  if (fields.length > 0) checkAllowed(change.after, change.before);
  const applied: Applied = {
    change: fields.length > 0 ? 'update' : 'none',
    fields,
    headers,
    isAdopted,
    job,
  };
  if (fields.length === 0 && !isAdopted) return { ...idle, applied };
  const perform = async (tx: Db, note: NoteChange): Promise<Job> => {
    const after = await keepChangedJob(app, principal, tx, change, note);
    if (isAdopted) await managed.setJobKey(tx, kept.id, key);
    return shownJob(app, principal, after);
  };
  return { applied, perform, blockedBy: isPause ? null : executing };
}

/** A job as its definition replaces it, and what differs. A pause alone changes nothing else and need not wait. */
function replaced(
  { clock, allowTargets }: App,
  kept: SealedJob,
  { job: before, isDamaged }: ReturnType<typeof openDamaged>,
  input: JobInput,
  plan: Plan,
) {
  const context = { now: clock.now(), allowTargets };
  const { paused, ...rest } = definedJob(input, defaultTimeoutSeconds(plan));
  const action = paused ? 'pause' : 'resume';
  const whole = changeJob(before, { ...rest, action }, context);
  const differing = new Set(changedFields(before, whole));
  // A sealed part that cannot be opened is not as defined, and is replaced.
  if (isDamaged) differing.add('headers').add('body');
  const fields = definedFields.filter((field) => differing.has(field));
  const isPause = fields.every((field) => field === 'paused');
  const after = isPause ? changeJob(before, { action }, context) : whole;
  const change: ChangedJob = { kept, before, after, isResealed: !isPause };
  return { fields, headers: changedHeaders(before, whole), isPause, change };
}

interface Target {
  kept: SealedJob;
  /** Whether it has no key yet. */
  isAdopted: boolean;
}

/** The job that a definition is about. Throws `conflict` if the one to adopt has another key. */
async function findTarget(
  db: Db,
  { workspaceId }: Principal,
  { key, job: input, adopt }: Definition,
): Promise<Target | undefined> {
  const job = await managed.findManagedJob(db, workspaceId, key);
  if (job !== undefined) return { kept: job, isAdopted: false };
  if (adopt === undefined || input === null) return undefined;
  const adopted = await findJob(db, workspaceId, adopt);
  if (adopted === undefined) return undefined;
  const other = await managed.jobKeyOf(db, adopt);
  if (other === null) return { kept: adopted, isAdopted: true };
  throw new JobdError(
    'conflict',
    `the job ${adopt} has the key ${other}, it cannot have ${key} too`,
  );
}
