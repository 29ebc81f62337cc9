/** Replays what an outage of jobd made jobs miss: one run of each job, one after the other, as the API takes them. */

import type { TroubleRow } from '../../api/overview/contract.ts';
import type { AllRuns, ListedRun } from '../../api/runs/contract.ts';
import { requestRun } from './actions.ts';
import { ask, type Answer } from './api.ts';

/** A run may have been due a little before jobd was away. */
const slackMs = 60_000;
/** The API says how long to wait where a key or a job has asked too often. */
const mostTries = 3;

/** The missed runs of an outage, the newest of each job. */
export async function missedIn({ from, until, last }: TroubleRow): Promise<Answer<ListedRun[]>> {
  const since = new Date(Date.parse(from) - slackMs).toISOString();
  const path = `/runs?status=missed&since=${since}&until=${until}&limit=100`;
  const found = new Map<string, ListedRun>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer: Answer<AllRuns> = await ask('GET', path + after);
    if (!answer.ok) return answer;
    for (const run of answer.body.runs) {
      const isOfOutage = run.why?.reason === last.why?.reason && !found.has(run.job.id);
      if (isOfOutage) found.set(run.job.id, run);
    }
    cursor = answer.body.nextCursor;
  }
  return { ok: true, body: [...found.values()] };
}

/** What came of replays so far. */
export interface Replays {
  done: number;
  refused: { name: string; error: string }[];
}

/** Asks for them until `signal` is aborted. `tell` hears of each. */
export async function replayAll(
  runs: readonly ListedRun[],
  signal: AbortSignal,
  tell: (soFar: Replays) => void,
): Promise<void> {
  const soFar: Replays = { done: 0, refused: [] };
  for (const { id, job } of runs) {
    for (let tries = 1; !signal.aborted; tries += 1) {
      const answer = await requestRun(job.id, id);
      if (!answer.ok && answer.status === 429 && tries < mostTries) {
        await pause((answer.retryAfter ?? 1) * 1_000, signal);
        continue;
      }
      if (answer.ok) soFar.done += 1;
      else soFar.refused.push({ name: job.name, error: answer.error });
      tell({ ...soFar });
      break;
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
