/**
 * Jobs that definitions manage. A definition is the whole truth about its job: what it leaves out has its default.
 * Asking twice is asking once: the key says which job is meant, so a lost answer never makes a second one.
 */

import { hasExpired } from '../../domain/accounts/account.ts';
import { JobdError } from '../../domain/errors.ts';
import type { JobInput } from '../../domain/jobs/job-input.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { checkJobKey } from '../../domain/jobs/managed-job.ts';
import type { DefinedField, JobChange } from '../../domain/jobs/managed-job.ts';
import { checkPlanLimits } from '../../domain/accounts/plan-limits.ts';
import { plans } from '../../domain/accounts/plan.ts';
import { openForPeople } from '../../domain/secrets/sealed-job.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import { findJob } from '../../store/jobs/jobs.ts';
import * as managed from '../../store/jobs/managed-jobs.ts';
import type { Db } from '../../store/database/open.ts';
import { requireAccount } from '../accounts/account-limits.ts';
import type { App, Principal } from '../app.ts';
import { compared, isPauseAtMost, readJob, replacement } from './definition-changes.ts';
import { whenIdle } from './idle.ts';
import { deleteJob, hasAccountExpired, newJob, shownJob } from './jobs.ts';
import { keepChangedJob, keepNewJob } from './keep-job.ts';
import { idCursor, pageOf, parseIdCursor } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import { requireJob } from './require-job.ts';

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
  /** The job made by hand that becomes the key's, if the key has none yet and that job is there. */
  adopt?: string;
}

/** What became of a definition, or in a dry run would become of it. */
export interface Applied {
  change: JobChange;
  /** What differed; all fields of a new job are new, so there are none. */
  fields: DefinedField[];
  /** The names of the headers that differed. */
  headers: string[];
  /** Whether a job made by hand became the key's. */
  isAdopted: boolean;
  /** The job afterwards, in a dry run as it is now; null if there is none. */
  job: Job | null;
}

/** How often somebody else may come between before it is given up. */
const longestContest = 5;

/** A page of the workspace's managed jobs, newest first. */
export async function listManagedJobs(
  { store, clock, vault }: App,
  principal: Principal,
  { limit, cursor }: PageRequest,
): Promise<Page<ManagedJob>> {
  const before = cursor === null ? null : parseIdCursor('managed-jobs', cursor);
  const page = { limit: limit + 1, before };
  const found = await managed.listManagedJobs(store.db, principal.workspaceId, page);
  const { items, nextCursor } = pageOf(found, limit, ({ job }) => idCursor('managed-jobs', job.id));
  const now = clock.now();
  const isExpired = hasAccountExpired(principal, now);
  const shown = items.map(({ key, job }) => ({
    key,
    job: shownJob(openForPeople(job, vault), isExpired, now),
  }));
  return { items: shown, nextCursor };
}

/**
 * Makes the job of a key what its definition says, in one transaction; a job that is so already is not
 * written. Throws as creating, changing and deleting a job do, and `conflict` if the job to adopt has another key.
 */
export async function applyDefinition(
  app: App,
  principal: Principal,
  definition: Definition,
): Promise<Applied> {
  checkJobKey(definition.key);
  for (let contest = 0; contest < longestContest; contest += 1) {
    const applied = await tryToApply(app, principal, definition);
    if (applied !== null) return applied;
  }
  const sentence = `others change the job of the key ${definition.key}, try again`;
  throw new JobdError('conflict', sentence);
}

/** What `applyDefinition` would do. Throws what can be known to be refused; whether there is room is not looked at. */
export async function previewDefinition(
  app: App,
  principal: Principal,
  definition: Definition,
): Promise<Applied> {
  checkJobKey(definition.key);
  const { store, clock, vault } = app;
  const { job: input } = definition;
  const found = await findTarget(store.db, principal, definition);
  const account = await requireAccount(store.db, principal);
  if (found === undefined) {
    if (input === null) return whole('none', null);
    checkPlanLimits(plans[account.plan], newJob(app, account, principal, input), null);
    return whole('create', null);
  }
  const { job, isAdopted } = found;
  const now = clock.now();
  const isExpired = hasExpired(account, now);
  if (input === null) return whole('delete', shownJob(readJob(job, vault).job, isExpired, now));
  const { before, after, fields, headers } = compared(app, job, replacement(account, input));
  if (fields.length > 0) checkPlanLimits(plans[account.plan], after, before);
  const change = fields.length > 0 ? 'update' : 'none';
  return { change, fields, headers, isAdopted, job: shownJob(before, isExpired, now) };
}

/** Null if somebody else came between: then everything is looked at again. */
async function tryToApply(
  app: App,
  principal: Principal,
  definition: Definition,
): Promise<Applied | null> {
  const { job: input, key } = definition;
  const found = await findTarget(app.store.db, principal, definition);
  if (input === null) return found ? await remove(app, principal, found.job) : whole('none', null);
  if (found === undefined) return await create(app, principal, key, input);
  return await replace(app, principal, { key, input, ...found });
}

interface Target {
  job: SealedJob;
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
  if (job !== undefined) return { job, isAdopted: false };
  if (adopt === undefined || input === null) return undefined;
  const adopted = await findJob(db, workspaceId, adopt);
  if (adopted === undefined) return undefined;
  const other = await managed.jobKeyOf(db, adopt);
  if (other === null) return { job: adopted, isAdopted: true };
  throw new JobdError(
    'conflict',
    `the job ${adopt} has the key ${other}, it cannot have ${key} too`,
  );
}

async function create(
  app: App,
  principal: Principal,
  key: string,
  input: JobInput,
): Promise<Applied | null> {
  const { store, wake } = app;
  const job = newJob(app, await requireAccount(store.db, principal), principal, input);
  const isKept = await store.write(async (tx) => {
    if (await managed.findManagedJob(tx, principal.workspaceId, key)) return false;
    await keepNewJob(app, principal, tx, job);
    await managed.setJobKey(tx, job.id, key);
    return true;
  });
  if (!isKept) return null;
  wake();
  return whole('create', job);
}

async function replace(
  app: App,
  principal: Principal,
  { key, input, job: found, isAdopted }: Target & { key: string; input: JobInput },
): Promise<Applied | null> {
  const { store, clock, wake } = app;
  const account = await requireAccount(store.db, principal);
  const isExpired = hasExpired(account, clock.now());
  const seen = compared(app, found, replacement(account, input));
  if (seen.fields.length === 0 && !isAdopted)
    return whole('none', shownJob(seen.before, isExpired, clock.now()));

  const work = async (tx: Db, job: SealedJob): Promise<Applied | null> => {
    const other = await managed.findManagedJob(tx, principal.workspaceId, key);
    if (isAdopted ? other || (await managed.jobKeyOf(tx, job.id)) : other?.id !== job.id)
      return null;
    const { before, fields, headers, update } = compared(app, job, replacement(account, input));
    if (fields.length === 0 && !isAdopted)
      return whole('none', shownJob(before, isExpired, clock.now()));
    // Somebody changed it meanwhile, and more than a pause is needed now: that waits for the call in flight.
    if (!isPauseAtMost(fields) && job.activeRunId !== null) return null;
    const changed = await keepChangedJob(app, principal, tx, { job, update });
    if (isAdopted) await managed.setJobKey(tx, job.id, key);
    return {
      change: fields.length > 0 ? 'update' : 'none',
      fields,
      headers,
      isAdopted,
      job: shownJob(changed, isExpired, clock.now()),
    };
  };
  const atOnce = isPauseAtMost(seen.fields);
  const applied = await orElse('not_found', () =>
    atOnce
      ? store.write(async (tx) => work(tx, await requireJob(tx, principal, found.id)))
      : whenIdle(app, principal, found.id, work),
  );
  if (applied !== null) wake();
  return applied;
}

async function remove(app: App, principal: Principal, job: SealedJob): Promise<Applied | null> {
  return await orElse('not_found', async () => {
    await deleteJob(app, principal, job.id);
    return whole('delete', null);
  });
}

/** Null if it fails for this reason: the job has gone meanwhile. */
async function orElse<T>(code: JobdError['code'], work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof JobdError && error.code === code) return null;
    throw error;
  }
}

/** What became of a job as a whole: no field of it is named. */
function whole(change: JobChange, job: Job | null): Applied {
  return { change, fields: [], headers: [], isAdopted: false, job };
}
