/** Many one-time jobs, each created as a single one is, under a key of its own (docs/behavior.md#once-6). */

import { setImmediate } from 'node:timers/promises';
import type { JobsApp, Principal } from '../../app/app.ts';
import { requirePaid } from '../../app/accounts/account-limits.ts';
import { changeInSteps } from '../../app/jobs/actions.ts';
import { keepNewJob, newJob } from '../../app/jobs/keep-job.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { isoTime } from '../../domain/clock.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import type { JobInput } from '../../domain/jobs/job-input.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { findCalls } from '../../store/jobs/jobs.ts';
import type { Db } from '../../store/database/store.ts';

/** A job to call once: its name is its key unless it has one, and `runAt` or `inSeconds` says when. */
export interface Call extends Omit<JobInput, 'name'> {
  key: string;
  name?: string;
  inSeconds?: number;
}

/** What became of a call: the id of the job that its key names, or why there is none. */
export interface CallResult {
  key: string;
  id: string | null;
  error: string | null;
  /** Whether this request made the job. */
  isNew: boolean;
}

/** A call that was read: the job to create, or why it cannot be. */
interface Draft extends Pick<Call, 'key' | 'onResultSecret'> {
  job: Job | JobdError;
}

/** Creates a job for each call whose key names none yet, in steps. A refused call affects no other. Throws `payment_required`. */
export async function createCalls(
  app: JobsApp,
  principal: Principal,
  calls: readonly Call[],
): Promise<CallResult[]> {
  const account = await requirePaid(app.store.db, principal, app.clock.now());
  const drafts: Draft[] = [];
  for (const call of calls) {
    drafts.push(draftOf(app, account, principal, call));
    // Zones and expressions that were never used take a millisecond each.
    await setImmediate();
  }
  let subject: Job | undefined;
  return await changeInSteps<Draft, CallResult>(
    app,
    principal,
    drafts,
    async (tx, step, note) => {
      const { made, results } = await keepCalls(app, principal, tx, step);
      subject ??= made[0];
      const ids = made.map(({ id }) => id);
      if (subject !== undefined && ids.length > 0) {
        note({ action: 'job.create', subject, made: ids });
      }
      return results;
    },
    ({ key }, refusal) => refused(key, refusal),
  );
}

function draftOf(
  app: JobsApp,
  account: Account,
  principal: Principal,
  { key, inSeconds, name = key, ...call }: Call,
): Draft {
  const { runAt = null, onResult = null, onResultSecret } = call;
  const draft = { key, ...(onResultSecret !== undefined && { onResultSecret }) };
  try {
    if ((runAt === null) === (inSeconds === undefined)) {
      throw invalidInput('say when to call, by either runAt or inSeconds');
    }
    if (onResult !== null && onResultSecret === undefined) {
      throw invalidInput('onResult needs onResultSecret here: nobody would see a generated one');
    }
    const at = runAt ?? isoTime(app.clock.now() + Number(inSeconds) * 1_000);
    return { ...draft, job: newJob(app, account, principal, { ...call, name, runAt: at }) };
  } catch (error) {
    return { ...draft, job: refusalIn(error) };
  }
}

/** Creates those of one transaction. */
async function keepCalls(app: JobsApp, principal: Principal, tx: Db, step: readonly Draft[]) {
  const keys = step.map(({ key }) => key);
  const known = await findCalls(tx, principal.workspaceId, keys);
  const made: Job[] = [];
  const results: CallResult[] = [];
  for (const { key, job, onResultSecret: secret } of step) {
    try {
      const isNew = !known.has(key);
      if (isNew) {
        if (job instanceof JobdError) throw job;
        // One note stands for all of them.
        await keepNewJob(app, principal, tx, job, () => {}, { secret, callKey: key });
        known.set(key, job.id);
        made.push(job);
      }
      results.push({ key, id: known.get(key) ?? null, error: null, isNew });
    } catch (error) {
      results.push(refused(key, refusalIn(error)));
    }
  }
  return { made, results };
}

function refused(key: string, { message }: JobdError): CallResult {
  return { key, id: null, error: message, isNew: false };
}

/** The error of one call; any other fails the transaction. */
function refusalIn(error: unknown): JobdError {
  if (error instanceof JobdError && error.httpStatus < 500) return error;
  throw error;
}
