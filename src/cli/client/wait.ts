/** Waits for a run to end. */

import { setTimeout } from 'node:timers/promises';
import type { Run } from '../../api/contract.ts';
import { JobdError } from '../../domain/errors.ts';
import { isFinal } from '../../domain/runs/run.ts';
import type { Client } from './client.ts';
import { interruptedExitCode, runExitCodes } from '../manual/exit-codes.ts';

/** Between looks: soon at first, as most runs are short, then well below what the rate limit of a key allows. */
const firstPauseMs = 250;
const longestPauseMs = 2_000;

/** How the wait ended; `run` is as it was seen last. */
export interface Waited {
  run: Run;
  exitCode: number;
}

/**
 * Looks at the run until it has ended, the time is over or the signal says to stop. A server that is out of reach or asks for
 * patience meanwhile is asked again.
 */
export async function waitForRun(
  client: Pick<Client, 'getRun'>,
  run: Run,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Waited> {
  const deadline = performance.now() + timeoutMs;
  const leftMs = (): number => Math.max(deadline - performance.now(), 0);
  let seen = run;
  let pauseMs = firstPauseMs;
  while (!isFinal(seen.status) && leftMs() > 0) {
    await pause(Math.min(pauseMs, leftMs()), signal);
    if (signal?.aborted) return { run: seen, exitCode: interruptedExitCode };
    const found = await lookAt(client, run);
    pauseMs =
      typeof found === 'number'
        ? Math.max(found, pauseMs)
        : Math.min(pauseMs * 1.5, longestPauseMs);
    if (typeof found !== 'number') seen = found;
  }
  return { run: seen, exitCode: runExitCodes[seen.status] };
}

/** The run, or how many milliseconds to wait before asking again. */
async function lookAt(client: Pick<Client, 'getRun'>, { id, jobId }: Run): Promise<Run | number> {
  try {
    return await client.getRun(jobId, id);
  } catch (error) {
    const again = patienceMs(error);
    if (again === null) throw error;
    return again;
  }
}

/** How long to wait after a failure that may pass, in milliseconds; null for one that will not. */
export function patienceMs(error: unknown): number | null {
  if (!(error instanceof JobdError)) return null;
  if (error.code === 'rate_limited') return (error.retryAfterSeconds ?? 5) * 1_000;
  return error.code === 'unreachable' || error.code === 'unavailable' ? longestPauseMs : null;
}

/** Waits, unless the signal comes first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {});
}
