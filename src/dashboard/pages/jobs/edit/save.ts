/** Saves what the editor has, and shows what came of it. */

import type { Job, JobInput, JobResponse, JobUpdate } from '../../../../api/jobs/contract.ts';
import type { Failure } from '../../../client/api.ts';
import { now } from '../../../client/clock.ts';
import { requestRun } from '../../../client/actions/job-actions.ts';
import { change } from '../../../client/session/session.ts';
import { tell } from '../../../client/told.ts';
import { go, stayUntil } from '../../../router.ts';
import { timeIn } from '../../../view/times.ts';

/** Creates a job and shows it. Resolves with why it was refused; null if it was not. */
export async function createJob(input: JobInput): Promise<Failure | null> {
  const answer = await change<JobResponse>('POST', '/jobs', input);
  if (!answer.ok) return answer;
  const { job } = answer.body;
  leaveFor(`/jobs/${job.id}`);
  tell({ text: `${job.name} is created. ${nextDue(job)}` });
  return null;
}

/** Creates a job that is paused, runs it once and shows the run. Resolves with why it was refused; null if it was not. */
export async function createAndRun(input: JobInput): Promise<Failure | null> {
  const answer = await change<JobResponse>('POST', '/jobs', { ...input, paused: true });
  if (!answer.ok) return answer;
  const { id, name } = answer.body.job;
  const run = await requestRun(id);
  leaveFor(run.ok ? `/jobs/${id}/runs/${run.body.run.id}` : `/jobs/${id}`);
  tell({
    text: `${name} is created and paused. Resume it when it works as it should.`,
    ...(run.ok && { link: { to: `/jobs/${id}`, text: 'Show the job' } }),
  });
  if (!run.ok) tell({ text: `It was not run: ${run.error}`, isProblem: true });
  return null;
}

/** Changes a job and shows it. Resolves with why it was refused; null if it was not. */
export async function updateJob(id: string, changes: JobUpdate): Promise<Failure | null> {
  if (Object.keys(changes).length > 0) {
    const answer = await change<JobResponse>('PATCH', `/jobs/${id}`, changes);
    if (!answer.ok) return answer;
    const { job } = answer.body;
    tell({ text: `${job.name} is saved. ${nextDue(job)}` });
  }
  leaveFor(`/jobs/${id}`);
  return null;
}

function leaveFor(to: string): void {
  stayUntil(null);
  go(to);
}

function nextDue({ nextRunAt, timezone }: Job): string {
  if (nextRunAt === null) return 'It is paused.';
  return `Next due ${timeIn(nextRunAt, now.peek(), timezone)} (${timezone}).`;
}
