/**
 * Dispatch: calls the target of one claimed run, again where its retries allow, and reports what came
 * of it. All attempts carry the same `X-Service-Run-Id` (spec section 6).
 */

import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import { latestStartMs } from '../domain/due.ts';
import { outcomeOf } from '../domain/outcome.ts';
import { retryAt } from '../domain/retry.ts';
import type { Call, Egress } from '../egress/egress.ts';
import type { Log } from '../log.ts';
import type { EndedRun } from '../store/results.ts';
import { interruptedRun } from './claimed.ts';
import type { ClaimedRun } from './claimed.ts';

/** What dispatching needs. */
export interface Dispatcher {
  egress: Egress;
  clock: Clock;
  log: Log;
  /** Aborted when the daemon waits no longer: the runs in flight end as interrupted. */
  signal: AbortSignal;
}

/** Calls the target. Never rejects: what breaks down on this side ends the run as interrupted. */
export async function dispatch(run: ClaimedRun, dispatcher: Dispatcher): Promise<EndedRun> {
  const { egress, clock, log, signal } = dispatcher;
  if (clock.now() - run.startedAt > latestStartMs) {
    return interruptedRun(
      run,
      'the store was not sure of it for over a minute, it was not sent',
      0,
    );
  }
  const call = callOf(run);
  const began = clock.monotonicMs();
  let attempts = 0;
  try {
    for (;;) {
      attempts += 1;
      const result = await egress.call(call, signal);
      const now = clock.now();
      const nextAt = retryAt(run.request.retries, attempts, result, now);
      if (nextAt === null) {
        const durationMs = Math.round(clock.monotonicMs() - began);
        const finishedAt = run.startedAt + durationMs;
        const { runId, jobId } = run;
        return { runId, jobId, finishedAt, durationMs, attempts, ...outcomeOf(result) };
      }
      await setTimeout(nextAt - now, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) return interruptedRun(run, 'jobd stopped before the answer came', attempts);
    log.error({ err: error, runId: run.runId, jobId: run.jobId }, 'a call broke down');
    return interruptedRun(run, 'an error inside jobd, see its log', attempts);
  }
}

function callOf(run: ClaimedRun): Call {
  const { url, method, headers, body, timeoutSeconds } = run.request;
  return {
    url,
    method,
    headers: { ...headers, 'x-service-run-id': run.runId },
    body,
    timeoutMs: timeoutSeconds * 1_000,
  };
}
