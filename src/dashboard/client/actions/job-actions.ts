/** What people do with a job, from any page: run it now. It is said in a toast. */

import { signal } from '@preact/signals';
import type { QueuedRun } from '../../../api/runs/contract.ts';
import type { Answer } from '../api.ts';
import { now } from '../clock.ts';
import { change } from '../session/session.ts';
import { tell } from '../told.ts';
import type { Named } from './update.ts';

/** A job may be run by hand once in this time. */
const pauseMs = 60_000;
/** When the API takes another run of a job, by its id, in milliseconds of the server. */
const nextRuns = signal<ReadonlyMap<string, number>>(new Map());

/** In how many seconds a job may be run by hand again; 0 if it may, as far as this tab knows. */
export function runWait(id: string): number {
  return Math.max(0, Math.ceil(((nextRuns.value.get(id) ?? 0) - now.value) / 1000));
}

/** Asks for a run, and says nothing. */
export async function requestRun(id: string): Promise<Answer<QueuedRun>> {
  const answer = await change<QueuedRun>('POST', `/jobs/${id}/run`);
  if (answer.ok) waitFor(id, pauseMs);
  else if (answer.retryAfter !== null && runWait(id) === 0) waitFor(id, answer.retryAfter * 1000);
  return answer;
}

/** Queues a run now. Resolves with its id; null if it was refused. */
export async function runNow({ id, name }: Named): Promise<string | null> {
  const answer = await requestRun(id);
  if (answer.ok) {
    const run = answer.body.run.id;
    tell({
      text: `${name} runs now.`,
      link: { to: `/jobs/${id}/runs/${run}`, text: 'Show the run' },
    });
    return run;
  }
  const { error, retryAfter } = answer;
  const wait = retryAfter === null ? '' : `. Again in ${runWait(id)} s.`;
  tell({ text: error + wait, isProblem: true });
  return null;
}

function waitFor(id: string, ms: number): void {
  nextRuns.value = new Map(nextRuns.value).set(id, now.peek() + ms);
}
