import { requireAccount } from '../../../app/accounts/account-limits.ts';
import type { App } from '../../../app/app.ts';
import { callbackSecret } from '../../../app/jobs/callbacks.ts';
import { refuseFollowed } from '../../../app/jobs/chains.ts';
import { isExecuting } from '../../../app/jobs/idle.ts';
import {
  differingFields,
  keepChangedJob,
  keepNewJob,
  newJob,
  openDamaged,
  removeJob,
} from '../../../app/jobs/keep-job.ts';
import type { ChangedJob } from '../../../app/jobs/keep-job.ts';
import { checkPaid } from '../../../domain/accounts/account.ts';
import { checkPlanLimits } from '../../../domain/accounts/plan-limits.ts';
import { defaultTimeoutSeconds, plans, type Plan } from '../../../domain/accounts/plan.ts';
import { valuesIn } from '../../../domain/fields.ts';
import { jobFields } from '../../../domain/jobs/fields.ts';
import { changeJob, type JobInput } from '../../../domain/jobs/job-input.ts';
import { hasIdleSchedule, jobDefaults, offOfOnce, type Job } from '../../../domain/jobs/job.ts';
import { isPast } from '../../../domain/schedule/adjustment-input.ts';
import { changedHeaders, definedInput, definedJob } from '../../../domain/jobs/managed-job.ts';
import type { JobDefinition } from '../../../domain/jobs/managed-job.ts';
import { openForPeople, type SealedJob } from '../../../domain/secrets/sealed-job.ts';
import { findManagedKeys } from '../../../store/database/managed-keys.ts';
import { findJob } from '../../../store/jobs/jobs.ts';
import { comparable, managed, mayCompare, type Scene } from './managed.ts';

/** Jobs: a change waits until no run is executing, unless it only pauses. */
export const managedJobs = managed<JobDefinition, SealedJob>({
  table: 'jobs',
  noun: 'job',
  find: findJob,
  async fieldsOf({ app, db }, kept) {
    const job = openForPeople(kept, app.vault);
    const { headers, after, ...fields } = valuesIn(jobFields, job);
    const ids = after === null ? [] : [after.jobId];
    const { workspaceId } = kept;
    const keys = await findManagedKeys(db, 'jobs', { workspaceId, ids });
    const names = Object.keys(headers);
    return {
      ...fields,
      ...(hasIdleSchedule(job) && { scheduleType: 'cron', cronExpr: null, periodSeconds: null }),
      headers: Object.fromEntries(names.map((name) => [name, null])),
      after: after && (keys.get(after.jobId) ?? after.jobId),
      afterOn: after?.on ?? 'success',
    };
  },
  defaults: (plan) => {
    return { ...jobDefaults, afterOn: 'success', timeoutSeconds: defaultTimeoutSeconds(plan) };
  },
  together: {
    schedule: ['scheduleType', 'cronExpr', 'timezone', 'periodSeconds'],
    after: ['after', 'afterOn'],
    onResultSecret: [],
  },
  async create(scene, definition) {
    const { app, principal, db } = scene;
    const input = inputOf(scene, definition);
    const timezone = input.timezone ?? jobDefaults.timezone;
    if (isPast({ ...input, timezone }, app.clock.now())) return null;
    const account = await requireAccount(db, principal);
    const job = newJob(app, account, principal, { ...offOfOnce, ...input });
    await checkAllowed(scene, job, null);
    return {
      id: job.id,
      async perform(tx, note) {
        await keepNewJob(app, principal, tx, job, note, { secret: input.onResultSecret });
      },
    };
  },
  async compare(scene, kept, definition) {
    const { app, principal, db } = scene;
    const { onResultSecret, ...input } = inputOf(scene, definition);
    const { plan } = await requireAccount(db, principal);
    const { isDamaged, ...opened } = openDamaged(kept, app.vault);
    const job = mayCompare(principal) ? opened.job : withoutValues(opened.job);
    // Before any refusal, which would say that something differs.
    const headers = comparable(scene, input.headers ?? {}, job.headers);
    const secret = await newSecret(scene, kept, onResultSecret);
    const replacement = { ...input, headers, ...(secret !== undefined && { secret }) };
    const known = { kept, job, isDamaged };
    const { change, whole } = replaced(app, known, replacement, plans[plan]);
    const fields = differingFields({ ...change, after: whole });
    if (fields.length > 0) await checkAllowed(scene, change.after, change.before);
    const isScheduleMeant = hasIdleSchedule(job) !== hasIdleSchedule(whole);
    return {
      fields: isScheduleMeant ? [...new Set([...fields, 'schedule'])] : fields,
      hidden: changedHeaders(change.before, whole),
      async perform(tx, note) {
        await keepChangedJob(app, principal, tx, change, note);
      },
      mayWhileBusy: !change.isResealed,
    };
  },
  remove:
    ({ app }, kept) =>
    async (tx, note) => {
      await refuseFollowed(tx, kept);
      await removeJob(app, tx, kept, note);
    },
  executing: async ({ db }, kept) => ((await isExecuting(db, kept)) ? kept : null),
});

/** A job whose headers have no values: their sum would tell whoever fills it up how long a hidden one is. */
function withoutValues(job: Job): Job {
  const names = Object.keys(job.headers);
  return { ...job, headers: Object.fromEntries(names.map((name) => [name, ''])) };
}

async function checkAllowed(
  { app, principal, db, isDryRun }: Scene,
  after: Job,
  before: Job | null,
): Promise<void> {
  const account = await requireAccount(db, principal);
  if (!isDryRun) checkPaid(account, app.clock.now());
  checkPlanLimits(plans[account.plan], after, before);
}

/** The secret of a definition if it is another one than the job has; undefined if it is the same, or none is given. */
async function newSecret(
  scene: Scene,
  { id }: SealedJob,
  given: string | undefined,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const before = await callbackSecret(scene.app, scene.db, id);
  const { secret } = comparable(scene, { secret: given }, before ? { secret: before } : {});
  return secret === before ? undefined : secret;
}

/** A definition with the id for its key. */
function inputOf({ known }: Scene, definition: JobDefinition): JobInput {
  const { after, ...input } = definedInput(definition);
  const job = after && { ...after, jobId: known.jobs.get(after.jobId) ?? after.jobId };
  return { ...input, after: job ?? null };
}

/** A job as its definition replaces it. A pause alone changes nothing else and need not wait. */
function replaced(
  { clock, allowTargets }: App,
  { kept, job: before, isDamaged }: { kept: SealedJob; job: Job; isDamaged: boolean },
  { secret, ...input }: JobInput & { secret?: string },
  plan: Plan,
): { change: ChangedJob; whole: Job } {
  const now = clock.now();
  const context = { now, allowTargets };
  const { paused, ...rest } = definedJob(input, defaultTimeoutSeconds(plan), before);
  const action = paused ? 'pause' : 'resume';
  const given = secret === undefined ? rest : { ...rest, onResultSecret: secret };
  const whole = changeJob(before, { ...given, action }, context);
  const fields = differingFields({ before, after: whole, isDamaged, secret });
  const isPause = fields.every((field) => field === 'paused');
  const after = isPause ? changeJob(before, { action }, context) : whole;
  return { change: { kept, before, after, now, isResealed: !isPause, isDamaged, secret }, whole };
}
