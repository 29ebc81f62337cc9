/** What people do with a job, from any page: run it now, pause it, resume it. It is said in a toast. */

import type { JobResponse } from '../../api/jobs/contract.ts';
import type { QueuedRun } from '../../api/runs/contract.ts';
import type { Answer } from './api.ts';
import { change } from './session.ts';
import { tell } from './told.ts';

interface Named {
  id: string;
  name: string;
}

/** Queues a run now. Resolves with its id; null if it was refused. */
export async function runNow(job: Named): Promise<string | null> {
  const answer = await requestRun(job);
  return answer.ok ? answer.body.run.id : null;
}

/** Queues a run now. Resolves with the answer, which says how long to wait if it is too soon. */
export async function requestRun({ id, name }: Named): Promise<Answer<QueuedRun>> {
  const answer = await change<QueuedRun>('POST', `/jobs/${id}/run`);
  if (answer.ok) {
    const to = `/jobs/${id}/runs/${answer.body.run.id}`;
    tell({ text: `${name} runs now.`, link: { to, text: 'Show the run' } });
  } else {
    const { error, retryAfter } = answer;
    const wait = retryAfter === null ? '' : `. Again in ${retryAfter} s.`;
    tell({ text: error + wait, isProblem: true });
  }
  return answer;
}

/** Pauses or resumes a job. Resolves with whether it was done. */
export async function setPaused({ id, name }: Named, paused: boolean): Promise<boolean> {
  const action = paused ? 'pause' : 'resume';
  const answer = await change<JobResponse>('PATCH', `/jobs/${id}`, { action });
  if (answer.ok) tell({ text: `${name} is ${paused ? 'paused' : 'resumed'}.` });
  else tell({ text: answer.error, isProblem: true });
  return answer.ok;
}
