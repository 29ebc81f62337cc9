/** What people do with a job, from any page: run it now, pause it, resume it. It is said in a toast. */

import type { JobResponse } from '../../api/jobs/contract.ts';
import type { QueuedRun } from '../../api/runs/contract.ts';
import { change } from './session.ts';
import { tell } from './told.ts';

interface Named {
  id: string;
  name: string;
}

/** Queues a run now. Resolves with its id; null if it was refused. */
export async function runNow({ id, name }: Named): Promise<string | null> {
  const answer = await change<QueuedRun>('POST', `/jobs/${id}/run`);
  if (!answer.ok) {
    tell({ text: answer.error, isProblem: true });
    return null;
  }
  const { run } = answer.body;
  tell({
    text: `${name} runs now.`,
    link: { to: `/jobs/${id}/runs/${run.id}`, text: 'Show the run' },
  });
  return run.id;
}

/** Pauses or resumes a job. Resolves with whether it was done. */
export async function setPaused({ id, name }: Named, paused: boolean): Promise<boolean> {
  const action = paused ? 'pause' : 'resume';
  const answer = await change<JobResponse>('PATCH', `/jobs/${id}`, { action });
  if (answer.ok) tell({ text: `${name} is ${paused ? 'paused' : 'resumed'}.` });
  else tell({ text: answer.error, isProblem: true });
  return answer.ok;
}
