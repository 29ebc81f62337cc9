/** What keeps a job from its next run besides its schedule: a run that goes on, and the job that it runs after. */

import { afterOnVerbs } from '../jobs/after-words.ts';
import type { AfterOn } from '../jobs/after-words.ts';
import { conditionsMet } from '../runs/chained.ts';
import { progressWords } from '../runs/completion.ts';
import type { Run, RunStatus, RunSummary } from '../runs/run.ts';
import { isAwaiting } from './of-run.ts';
import type { Records } from './facts.ts';
import { timeIn } from './words.ts';

/** The run that goes on, in a sentence. */
export function activeWords(active: Run | null, zone: string): string {
  if (active === null || !isAwaiting(active)) return 'A run of it is executing now';
  const { id, completion, startedAt } = active;
  const begun = startedAt === null ? '' : ` began at ${timeIn(startedAt, zone)},`;
  const words = `Run ${id}${begun} was answered ${active.httpStatus} and waits for the report of its target`;
  if (completion === undefined) return words;
  const progress = progressWords(completion);
  const at = completion.progressAt === null ? '' : ` at ${timeIn(completion.progressAt, zone)}`;
  const last = progress === null ? '' : ` (last progress${at}: ${progress})`;
  return `${words}, until ${timeIn(completion.expiresAt, zone)} at the latest${last}`;
}

/** The job that it runs after, and what came of the newest run of that. */
export function leaderWords({ job: { after, timezone }, leader }: Records): string {
  if (after === null) return '';
  const name = leader?.name ?? after.jobId;
  const rule = `It runs after ${name} ${afterOnVerbs[after.on]}, and its own schedule does not count.`;
  if (leader === null) return rule;
  return `${rule} ${newestWords(leader.run, { name, on: after.on, zone: timezone })}`;
}

function newestWords(
  run: RunSummary | null,
  { name, on, zone }: { name: string; on: AfterOn; zone: string },
): string {
  if (run === null) return `${name} has not run yet.`;
  const { id, status, finishedAt, scheduledFor } = run;
  const newest = `The newest run of ${name} (${id})`;
  if (status === 'queued') return `${newest} has not begun.`;
  if (isAwaiting(run)) return `${newest} waits for the report of its target.`;
  if (status === 'running') return `${newest} is executing now.`;
  const at = timeIn(finishedAt ?? scheduledFor, zone);
  const came = conditionsMet(status).includes(on)
    ? 'which starts this job unless it is paused'
    : 'which does not start this job';
  return `${newest} ${endWords[status]} at ${at}, ${came}.`;
}

const endWords: Readonly<Record<Exclude<RunStatus, 'queued' | 'running'>, string>> = {
  success: 'succeeded',
  failed: 'failed',
  interrupted: 'was interrupted',
  missed: 'was missed',
};
