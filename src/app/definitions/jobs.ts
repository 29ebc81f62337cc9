/** Jobs that definitions manage. */

import { checkPaid } from '../../domain/accounts/account.ts';
import { checkPlanLimits } from '../../domain/accounts/plan-limits.ts';
import { defaultTimeoutSeconds, plans } from '../../domain/accounts/plan.ts';
import type { Plan } from '../../domain/accounts/plan.ts';
import { changeJob } from '../../domain/jobs/job-input.ts';
import type { JobInput } from '../../domain/jobs/job-input.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { changedHeaders, definedJob } from '../../domain/jobs/managed-job.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import { findJob, markJobDeleted } from '../../store/jobs/jobs.ts';
import { requireAccount } from '../accounts/account-limits.ts';
import type { App } from '../app.ts';
import { untilIdle } from '../jobs/idle.ts';
import {
  differingFields,
  keepChangedJob,
  keepNewJob,
  newJob,
  openDamaged,
  shownJob,
  shownKept,
} from '../jobs/keep-job.ts';
import type { ChangedJob } from '../jobs/keep-job.ts';
import type { ManagedKind, Scene } from './managed.ts';

/** Jobs: a change waits until no run is executing, unless it only pauses. */
export const managedJobs: ManagedKind<JobInput, SealedJob, Job> = {
  table: 'jobs',
  noun: 'job',
  find: findJob,
  show: async ({ app, principal }, kept) => shownKept(app, principal, kept),
  async create(scene, input) {
    const { app, principal, db } = scene;
    const account = await requireAccount(db, principal);
    const job = newJob(app, account, principal, input);
    await checkAllowed(scene, job, null);
    const perform = async (...[tx, note]: Parameters<Performed>): Promise<Job> => {
      await keepNewJob(app, principal, tx, job, note);
      return job;
    };
    return { id: job.id, perform };
  },
  async compare(scene, kept, input) {
    const { app, principal, db } = scene;
    const { plan } = await requireAccount(db, principal);
    const { fields, hidden, isPause, change } = replaced(app, kept, input, plans[plan]);
    if (fields.length > 0) await checkAllowed(scene, change.after, change.before);
    const perform = async (...[tx, note]: Parameters<Performed>): Promise<Job> =>
      shownJob(app, principal, await keepChangedJob(app, principal, tx, change, note));
    return { fields, hidden, perform, mayWhileBusy: isPause };
  },
  remove:
    ({ app }, kept) =>
    async (tx, note) => {
      await markJobDeleted(tx, kept.id, app.clock.now());
      note({ action: 'job.delete', subject: kept });
    },
  isBusy: ({ activeRunId }) => activeRunId !== null,
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

/** A job as its definition replaces it, and what differs. A pause alone changes nothing else and need not wait. */
function replaced(app: App, kept: SealedJob, input: JobInput, plan: Plan) {
  const { clock, allowTargets, vault } = app;
  const { job: before, isDamaged } = openDamaged(kept, vault);
  const context = { now: clock.now(), allowTargets };
  const { paused, ...rest } = definedJob(input, defaultTimeoutSeconds(plan));
  const action = paused ? 'pause' : 'resume';
  const whole = changeJob(before, { ...rest, action }, context);
  const fields = differingFields({ before, after: whole, isDamaged });
  const isPause = fields.every((field) => field === 'paused');
  const after = isPause ? changeJob(before, { action }, context) : whole;
  const change: ChangedJob = { kept, before, after, isResealed: !isPause, isDamaged };
  return { fields, hidden: changedHeaders(before, whole), isPause, change };
}
