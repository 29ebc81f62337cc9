/** Jobs that definitions manage. */

import { checkPaid } from '../../../domain/accounts/account.ts';
import { checkPlanLimits } from '../../../domain/accounts/plan-limits.ts';
import { defaultTimeoutSeconds, plans } from '../../../domain/accounts/plan.ts';
import type { Plan } from '../../../domain/accounts/plan.ts';
import { got, invalidInput } from '../../../domain/errors.ts';
import { isId } from '../../../domain/id.ts';
import { changeJob } from '../../../domain/jobs/job-input.ts';
import type { JobInput } from '../../../domain/jobs/job-input.ts';
import type { Job } from '../../../domain/jobs/job.ts';
import { changedHeaders, definedInput, definedJob } from '../../../domain/jobs/managed-job.ts';
import type { JobDefinition } from '../../../domain/jobs/managed-job.ts';
import type { SealedJob } from '../../../domain/secrets/sealed-job.ts';
import { findManagedId } from '../../../store/database/managed-keys.ts';
import { findJob } from '../../../store/jobs/jobs.ts';
import { requireAccount } from '../../../app/accounts/account-limits.ts';
import type { App } from '../../../app/app.ts';
import { callbackSecret } from '../../../app/jobs/callbacks.ts';
import { refuseFollowed } from '../../../app/jobs/chains.ts';
import { isExecuting, untilIdle } from '../../../app/jobs/idle.ts';
import {
  differingFields,
  keepChangedJob,
  keepNewJob,
  newJob,
  openDamaged,
  removeJob,
  shownJob,
  shownKept,
} from '../../../app/jobs/keep-job.ts';
import type { ChangedJob } from '../../../app/jobs/keep-job.ts';
import { guessesIn } from './managed.ts';
import type { ManagedKind, Scene } from './managed.ts';

/** Jobs: a change waits until no run is executing, unless it only pauses. */
export const managedJobs: ManagedKind<JobDefinition, SealedJob, Job> = {
  table: 'jobs',
  noun: 'job',
  find: findJob,
  show: async ({ app, principal }, kept) => shownKept(app, principal, kept),
  async create(scene, definition) {
    const { app, principal, db } = scene;
    const input = await inputOf(scene, definition);
    const account = await requireAccount(db, principal);
    const job = newJob(app, account, principal, input);
    await checkAllowed(scene, job, null);
    const perform = async (...[tx, note]: Parameters<Performed>): Promise<Job> => {
      await keepNewJob(app, principal, tx, job, note, input.onResultSecret);
      return job;
    };
    return { id: job.id, perform };
  },
  async compare(scene, kept, definition) {
    const { app, principal, db } = scene;
    const input = await inputOf(scene, definition);
    const { plan } = await requireAccount(db, principal);
    const secret = await newSecret(scene, kept, input);
    const replacement = { ...input, onResultSecret: secret };
    const { fields, hidden, whole, isPause, change } = replaced(
      app,
      kept,
      replacement,
      plans[plan],
    );
    // Before any other refusal, which would say that something differs.
    scene.countGuesses(guessesIn(whole.headers, change.before.headers));
    if (fields.length > 0) await checkAllowed(scene, change.after, change.before);
    const perform = async (...[tx, note]: Parameters<Performed>): Promise<Job> =>
      shownJob(app, principal, await keepChangedJob(app, principal, tx, change, note));
    return { fields, hidden, perform, mayWhileBusy: isPause };
  },
  remove:
    ({ app }, kept) =>
    async (tx, note) => {
      await refuseFollowed(tx, kept);
      await removeJob(app, tx, kept, note);
    },
  isBusy: ({ db }, kept) => isExecuting(db, kept),
  untilFree: untilIdle,
};

type Performed = Awaited<ReturnType<typeof managedJobs.create>>['perform'];

async function checkAllowed(
  { app, principal, db, isDryRun }: Scene,
  after: Job,
  before: Job | null,
): Promise<void> {
  const account = await requireAccount(db, principal);
  if (!isDryRun) checkPaid(account, app.clock.now());
  checkPlanLimits(plans[account.plan], after, before);
}

interface Replacement extends Omit<JobInput, 'onResultSecret'> {
  onResultSecret: string | undefined;
}

/** The secret of a definition if it is another one than the job has; undefined if it is the same, or none is given. */
async function newSecret(
  { app, db, countGuesses }: Scene,
  kept: SealedJob,
  { onResultSecret: given }: JobInput,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const before = await callbackSecret(app, db, kept.id);
  if (before !== undefined) countGuesses([{ kept: before, given }]);
  return given === before ? undefined : given;
}

/** A definition with the id for its key. Throws `invalid_input` for an unknown one; in a dry run it stands for itself. */
async function inputOf(
  { db, principal: { workspaceId }, isDryRun }: Scene,
  definition: JobDefinition,
): Promise<JobInput> {
  const input = definedInput(definition);
  const key = input.after?.jobId;
  if (!input.after || key === undefined) return input;
  const id = (await findManagedId(db, 'jobs', { workspaceId, key })) ?? key;
  if (!isDryRun && !isId(id.toLowerCase())) {
    throw invalidInput(`after must be the key of a managed job, or an id, ${got(key)}`);
  }
  return { ...input, after: { ...input.after, jobId: id } };
}

/** A job as its definition replaces it, and what differs. A pause alone changes nothing else and need not wait. */
function replaced(app: App, kept: SealedJob, input: Replacement, plan: Plan) {
  const { clock, allowTargets, vault } = app;
  const { onResultSecret: secret, ...defined } = input;
  const { job: before, isDamaged } = openDamaged(kept, vault);
  const context = { now: clock.now(), allowTargets };
  const { paused, ...rest } = definedJob(defined, defaultTimeoutSeconds(plan));
  const action = paused ? 'pause' : 'resume';
  const given = secret === undefined ? rest : { ...rest, onResultSecret: secret };
  const whole = changeJob(before, { ...given, action }, context);
  const fields = differingFields({ before, after: whole, isDamaged, secret });
  const isPause = fields.every((field) => field === 'paused');
  const after = isPause ? changeJob(before, { action }, context) : whole;
  const change: ChangedJob = { kept, before, after, isResealed: !isPause, isDamaged, secret };
  return { fields, hidden: changedHeaders(before, whole), whole, isPause, change };
}
