/** What keeps a job from its next run besides its schedule: a run that goes on, and the job that it runs after. */

import { afterOnVerbs } from '../../../domain/jobs/after-words.ts';
import type { AfterOn } from '../../../domain/jobs/after-words.ts';
import { conditionsMet } from '../../../domain/runs/chained.ts';
import type { RunStatus } from '../../../domain/runs/run.ts';
import { isAwaiting } from '../../../domain/runs/active.ts';
import type { FirstJob, Records } from './facts.ts';
import { timeIn } from '../../../domain/schedule/local-time.ts';

/** The job that it runs after, what keeps that from running, and whether its newest run started this job. */
export function firstJobWords({ job: { after, timezone }, firstJob }: Records): string {
  if (after === null) return '';
  const name = firstJob?.name ?? after.jobId;
  const rule = `It runs after ${name} ${afterOnVerbs[after.on]}, and its own schedule does not count.`;
  if (firstJob === null) return rule;
  const isHeld = firstJob.paused
    ? ` ${name} is paused: until it is resumed, only its runs by hand can start this job.`
    : '';
  const isNext = firstJob.isChained ? ` ${name} runs after another job itself.` : '';
  return `${rule}${isHeld}${isNext} ${newestWords(firstJob, after.on, timezone)}`;
}

function newestWords({ name, run, startedRunId }: FirstJob, on: AfterOn, zone: string): string {
  if (run === null) return `No run of ${name} is kept.`;
  const { id, status, finishedAt, scheduledFor } = run;
  const newest = `The newest run of ${name} (${id})`;
  if (status === 'queued') return `${newest} has not begun.`;
  if (isAwaiting(run)) return `${newest} waits for the report of its target.`;
  if (status === 'running') return `${newest} is executing now.`;
  const at = timeIn(finishedAt ?? scheduledFor, zone);
  const ended = `${newest} ${endWords[status]} at ${at}`;
  if (startedRunId !== null) return `${ended}, which started run ${startedRunId} of this job.`;
  if (!conditionsMet(status).includes(on)) return `${ended}. Such an end does not start this job.`;
  const rule =
    'Such an end starts this job, unless this job is paused or has a queued run already.';
  return `${ended}. No run of this job that it started is kept. ${rule}`;
}

const endWords: Readonly<Record<Exclude<RunStatus, 'queued' | 'running'>, string>> = {
  success: 'succeeded',
  failed: 'failed',
  interrupted: 'was interrupted',
  missed: 'was missed',
};
