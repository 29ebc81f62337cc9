/**
 * Dispatch: calls the target of one claimed run, again where its retries allow, and reports what came
 * of it. All attempts carry the same `X-Service-Run-Id` (docs/behavior.md#call-2).
 */

import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import { latestStartMs } from '../../domain/runs/due.ts';
import { outcomeOf } from '../../domain/runs/outcome.ts';
import type { AttemptResult, Outcome, TargetResult } from '../../domain/runs/outcome.ts';
import { retryAt } from '../../domain/runs/retry.ts';
import { mayRepeat, redact, redactResult, secretTexts } from '../../domain/secrets/redaction.ts';
import { damage, openRequest } from '../../domain/secrets/sealed-job.ts';
import type { RequestSecrets } from '../../domain/secrets/sealed-job.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import type { Call, Egress } from '../../egress/egress.ts';
import type { Log } from '../../log.ts';
import type { Attempt, EndedRun } from '../../store/runs/results.ts';
import { interruptedRun } from './claimed.ts';
import type { ClaimedRun } from './claimed.ts';

/** What dispatching needs. */
export interface Dispatcher {
  egress: Egress;
  /** Opens what is sealed of a job. */
  vault: Vault;
  clock: Clock;
  log: Log;
  /** Resolves once a further attempt is on the disk; until then it is not sent. Rejects if jobd stops before. */
  readonly keepAttempt: (attempt: Attempt) => Promise<void>;
  /** Aborted when the daemon waits no longer: the runs in flight end as interrupted. */
  signal: AbortSignal;
  /** Runs that wait for this machine to be able to call, by id, and why. */
  heldUp: Map<string, string>;
}

/** What this machine lacked for a call may be there after so long. */
const heldUpPauseMs = 1_000;

/** Calls the target. Never rejects: what breaks down on this side ends the run as interrupted. */
export async function dispatch(run: ClaimedRun, dispatcher: Dispatcher): Promise<EndedRun> {
  const { vault, clock, log, keepAttempt, signal } = dispatcher;
  const sureAt = clock.now();
  if (sureAt - run.startedAt > latestStartMs) {
    const why = 'the store was not sure of it for over a minute, it was not sent';
    return interruptedRun(run, { why, attempts: 0, finishedAt: sureAt });
  }
  const began = clock.monotonicMs();
  let attempts = 0;
  const elapsedMs = (): number => Math.round(clock.monotonicMs() - began);
  const ended = (result: TargetResult, secrets: RequestSecrets | null): EndedRun => {
    const durationMs = elapsedMs();
    const finishedAt = run.startedAt + durationMs;
    const { runId, jobId } = run;
    return { runId, jobId, finishedAt, durationMs, attempts, ...outcomeWithout(secrets, result) };
  };
  const interrupted = (why: string): EndedRun =>
    interruptedRun(run, { why, attempts, finishedAt: run.startedAt + elapsedMs() });
  try {
    const secrets = opened(run, vault, log);
    if (secrets === null) return ended(unopened, null);
    const call = callOf(run, secrets);
    let last: TargetResult | null = null;
    for (;;) {
      attempts += 1;
      const result = await attempt(run.runId, call, dispatcher);
      if (result.kind === 'local') {
        attempts -= 1;
        if (last !== null) return ended(last, secrets);
        return interrupted(`not sent: ${result.trouble}`);
      }
      last = result;
      const now = clock.now();
      const nextAt = retryAt(run.request.retries, attempts, result, now);
      if (nextAt === null) return ended(result, secrets);
      await setTimeout(nextAt - now, undefined, { signal });
      const askedAt = clock.monotonicMs();
      await keepAttempt({ runId: run.runId, attempts: attempts + 1 });
      // As with a claim: what the store could not keep for over a minute is not sent.
      if (clock.monotonicMs() - askedAt > latestStartMs) return ended(result, secrets);
    }
  } catch (error) {
    if (signal.aborted) return interrupted('jobd stopped before the answer came');
    log.error({ err: error, runId: run.runId, jobId: run.jobId }, 'a call broke down');
    return interrupted('an error inside jobd, see its log');
  }
}

/** Makes one attempt, as soon as this machine is able to within a minute: what it lacks is not the target's failure. */
async function attempt(
  runId: string,
  call: Call,
  { egress, clock, log, signal, heldUp }: Dispatcher,
): Promise<AttemptResult> {
  const giveUpAt = clock.monotonicMs() + latestStartMs;
  try {
    for (;;) {
      const result = await egress.call(call, signal);
      if (result.kind !== 'local' || clock.monotonicMs() >= giveUpAt) return result;
      if (heldUp.size === 0) log.warn({ trouble: result.trouble }, 'calls wait for this machine');
      heldUp.set(runId, result.trouble);
      await setTimeout(heldUpPauseMs, undefined, { signal });
    }
  } finally {
    heldUp.delete(runId);
  }
}

const unopened: TargetResult = { kind: 'failure', failure: damage };

/** What the job sends; null if it cannot be opened. Behind the claim, so that no transaction waits for it. */
function opened(run: ClaimedRun, vault: Vault, log: Log): RequestSecrets | null {
  const { jobId: id, workspaceId, request, sealed } = run;
  try {
    return openRequest({ id, workspaceId, url: request.url, sealed }, vault);
  } catch (error) {
    log.error({ err: error, jobId: id }, 'the headers and the body of a job cannot be opened');
    return null;
  }
}

/** What the run keeps: nothing of it repeats what nobody may read. */
function outcomeWithout(secrets: RequestSecrets | null, result: TargetResult): Outcome {
  if (secrets === null || !mayRepeat(result)) return outcomeOf(result);
  const texts = secretTexts(secrets.headers);
  const outcome = outcomeOf(redactResult(result, texts));
  return { ...outcome, error: outcome.error && redact(outcome.error, texts) };
}

function callOf({ request, runId }: ClaimedRun, { headers, body }: RequestSecrets): Call {
  const { url, method, timeoutSeconds } = request;
  return {
    url,
    method,
    headers: { ...headers, 'x-service-run-id': runId },
    body,
    timeoutMs: timeoutSeconds * 1_000,
  };
}
