/** What people do with a job, a monitor or a channel, from any page. What came of it is said in a toast. */

import { runsNow } from '../view/job-state.ts';
import { pageOf, type Kind } from '../view/places.ts';
import { change, create } from './session.ts';
import { showToast } from './toasts.ts';
import { signal } from '@preact/signals';
import type { QueuedRun } from '../../api/runs/contract.ts';
import { now } from './clock.ts';
import type { DeliveryResponse } from '../../api/alerts/contract.ts';
import { ask, type Answer } from './api.ts';

/** What is changed, as toasts name it. */
export interface Named {
  id: string;
  name: string;
  heldUntil?: string;
}

/** Changes fields; `done` says what it is then, as in `backup is paused.` Resolves with whether it was done. */
export async function update(
  kind: Kind,
  { id, name }: Named,
  fields: object,
  done: (answer: Record<string, { paused?: boolean }>) => string,
): Promise<boolean> {
  const path = pageOf(kind, id);
  const answer = await change<Record<string, { paused?: boolean }>>('PATCH', path, fields);
  const text = answer.ok ? `${name} is ${done(answer.body)}.` : answer.error;
  showToast({ text, isProblem: !answer.ok });
  return answer.ok;
}

/** Pauses or resumes a job or a monitor; a job that is over stays as it is. Resolves with whether it was done. */
export function setPaused(
  kind: 'job' | 'monitor',
  subject: Named,
  paused: boolean,
): Promise<boolean> {
  const action = paused ? 'pause' : 'resume';
  return update(kind, subject, { action }, (answer) =>
    answer[kind]?.paused === paused ? `${action}d` : `over: nothing is left to ${action}`,
  );
}

/** A job may be run by hand once in this time. */
const pauseMs = 60_000;
/** When the API takes another run of a job, by its id, in milliseconds of the server. */
const nextRuns = signal<ReadonlyMap<string, number>>(new Map());

/** In how many seconds a job may be run by hand again; 0 if it may, as far as this tab knows. */
export function runWait(id: string): number {
  return Math.max(0, Math.ceil(((nextRuns.value.get(id) ?? 0) - now.value) / 1000));
}

/** Asks for a run, or for one that stands for the due time of another run, and says nothing. */
export async function requestRun(id: string, replayed?: string): Promise<Answer<QueuedRun>> {
  const answer =
    replayed === undefined
      ? await create<QueuedRun>(`/jobs/${id}/run`)
      : await create<QueuedRun>(`/jobs/${id}/runs/${replayed}/replay`, {});
  if (answer.ok) waitFor(id, pauseMs);
  else if (replayed !== undefined && answer.status === 409)
    return { ...answer, error: replayedAlready };
  else if (answer.retryAfter !== null && runWait(id) === 0) waitFor(id, answer.retryAfter * 1000);
  return answer;
}

/** The server's own words are for programs. */
const replayedAlready =
  'Not replayed: a run for this due time waits or is executing, or has succeeded. The page of the job shows it';

/** Queues a run now, as `requestRun` does. Resolves with its id; null if it was refused. */
export async function runNow(job: Named, replayed?: string): Promise<string | null> {
  const answer = await requestRun(job.id, replayed);
  if (answer.ok) {
    const run = answer.body.run.id;
    showToast({
      text: runsNow(job, now.peek()),
      link: { to: `/jobs/${job.id}/runs/${run}`, text: 'Show the run' },
    });
    return run;
  }
  const { error, retryAfter } = answer;
  const wait = retryAfter === null ? '' : `. Again in ${runWait(job.id)} s.`;
  showToast({ text: error + wait, isProblem: true });
  return null;
}

function waitFor(id: string, ms: number): void {
  nextRuns.value = new Map(nextRuns.value).set(id, now.peek() + ms);
}

/** An attempt takes 10 s at most. */
const mostLooks = 12;

/** Sends a test, waits for its first attempt, and says what came of it. */
export async function sendTest({ id, name }: Named): Promise<void> {
  const sent = await change<DeliveryResponse>('POST', `/channels/${id}/test`);
  if (!sent.ok) {
    showToast({ text: sent.error, isProblem: true });
    return;
  }
  let { delivery } = sent.body;
  for (let look = 0; look < mostLooks && delivery.attempts === 0; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const path = `/channels/${id}/deliveries/${delivery.id}`;
    const answer = await ask<DeliveryResponse>('GET', path);
    if (!answer.ok) break;
    ({ delivery } = answer.body);
  }
  const { status, lastError } = delivery;
  const link = { to: `/channels/${id}?delivery=${delivery.id}`, text: 'Show the delivery' };
  if (lastError !== null) {
    showToast({
      text: `The test of ${name} was not delivered: ${lastError}`,
      isProblem: true,
      link,
    });
  } else if (status === 'delivered') showToast({ text: `The test reached ${name}.`, link });
  else showToast({ text: `The test of ${name} waits.`, link });
}
