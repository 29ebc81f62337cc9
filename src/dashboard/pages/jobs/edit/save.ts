/** Saves what the editor has, and shows what came of it. */

import type { Job, JobInput, JobKept, JobUpdate } from '../../../../api/jobs/contract.ts';
import type { Failure } from '../../../client/api.ts';
import { now } from '../../../client/clock.ts';
import { requestRun } from '../../../client/actions/job-actions.ts';
import { change } from '../../../client/session/session.ts';
import { tell } from '../../../client/told.ts';
import type { Told } from '../../../client/told.ts';
import { go, stayUntil } from '../../../router.ts';
import { timeIn } from '../../../view/times.ts';

/** A job that is saved, before that is shown. */
interface Saved {
  ok: true;
  /** The signing secret that was made with it. */
  secret: string | undefined;
  /** Goes where it is shown, and says what became of it. */
  leave: () => void;
}

/** What came of saving: a refusal, or what is saved. */
export type Outcome = ({ ok: false } & Failure) | Saved;

/** Creates a job. */
export async function createJob(input: JobInput): Promise<Outcome> {
  const answer = await change<JobKept>('POST', '/jobs', input);
  if (!answer.ok) return answer;
  const { job, onResultSecret } = answer.body;
  const text = `${job.name} is created. ${nextDue(job)}`;
  return saved(onResultSecret, `/jobs/${job.id}`, { text });
}

/** Creates a job that is paused, and runs it once. */
export async function createAndRun(input: JobInput): Promise<Outcome> {
  const answer = await change<JobKept>('POST', '/jobs', { ...input, paused: true });
  if (!answer.ok) return answer;
  const { job, onResultSecret } = answer.body;
  const run = await requestRun(job.id);
  const to = `/jobs/${job.id}`;
  const text = `${job.name} is created and paused. Resume it when it works as it should.`;
  return run.ok
    ? saved(onResultSecret, `${to}/runs/${run.body.run.id}`, {
        text,
        link: { to, text: 'Show the job' },
      })
    : saved(
        onResultSecret,
        to,
        { text },
        { text: `It was not run: ${run.error}`, isProblem: true },
      );
}

/** Changes a job. */
export async function updateJob(id: string, changes: JobUpdate): Promise<Outcome> {
  const to = `/jobs/${id}`;
  if (Object.keys(changes).length === 0) return saved(undefined, to);
  const answer = await change<JobKept>('PATCH', to, changes);
  if (!answer.ok) return answer;
  const { job, onResultSecret } = answer.body;
  return saved(onResultSecret, to, { text: `${job.name} is saved. ${nextDue(job)}` });
}

function saved(secret: string | undefined, to: string, ...all: Told[]): Saved {
  const leave = (): void => {
    stayUntil(null);
    go(to);
    for (const told of all) tell(told);
  };
  return { ok: true, secret, leave };
}

function nextDue({ nextRunAt, timezone, paused, after }: Job): string {
  if (after !== undefined && !paused) return 'It runs after another job.';
  if (nextRunAt === null) return 'It is paused.';
  return `Next due ${timeIn(nextRunAt, now.peek(), timezone)} (${timezone}).`;
}
