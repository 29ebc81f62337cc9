/** Replays what an outage of jobd made jobs miss or broke off: one run for each due time, one after the other, as the API takes them. */

import type { TroubleRow } from '../../api/overview/contract.ts';
import { inTurns } from '../../domain/runs/replays.ts';
import { runsOfOutage } from '../../domain/runs/trouble.ts';
import { requestRun } from './actions.ts';
import { ask, type Answer } from './api.ts';

/** The API says how long to wait where a key or a job has asked too often. */
const mostTries = 3;

/** A due time that went wrong in an outage. A jobd may have no replays: then nothing is known of it. */
export interface Affected {
  job: { id: string; name: string };
  runId: string;
  status: string;
  dueAt: string;
  /** The status of another run for it; null if it is left to replay. */
  done: string | null;
}

/** The due times that an outage made jobs miss, or whose runs it broke off, each once. */
export async function affectedBy(row: TroubleRow): Promise<Answer<Affected[]>> {
  const asked = new URLSearchParams({ ...runsOfOutage(row), limit: '100' });
  const found = new Map<string, Affected>();
  for (let cursor: string | null = ''; cursor !== null;) {
    if (cursor !== '') asked.set('cursor', cursor);
    const answer: Answer<{ replayable: Affected[]; nextCursor: string | null }> = await ask(
      'GET',
      `/runs/replayable?${asked.toString()}`,
    );
    if (!answer.ok) return answer;
    for (const one of answer.body.replayable) {
      const key = `${one.job.id} ${one.dueAt}`;
      if (!found.has(key)) found.set(key, one);
    }
    cursor = answer.body.nextCursor;
  }
  return { ok: true, body: inTurns([...found.values()], ({ job }) => job.id) };
}

/** What came of replays so far. */
export interface Replays {
  done: number;
  refused: { name: string; error: string }[];
}

/** Asks for them until `signal` is aborted. `tell` hears of each. */
export async function replayAll(
  all: readonly Affected[],
  signal: AbortSignal,
  tell: (soFar: Replays) => void,
): Promise<void> {
  const soFar: Replays = { done: 0, refused: [] };
  for (const { runId, job } of all) {
    for (let tries = 1; !signal.aborted; tries += 1) {
      const answer = await requestRun(job.id, runId);
      if (!answer.ok && answer.status === 429 && tries < mostTries) {
        await pause((answer.retryAfter ?? 1) * 1_000, signal);
        continue;
      }
      if (answer.ok) soFar.done += 1;
      else
        soFar.refused.push({
          name: job.name,
          error: answer.error,
        });
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
