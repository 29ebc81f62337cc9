/**
 * Dispatch: calls the target of a claimed run, again where its retries allow, and returns how the run ended. All
 * attempts carry the same `X-Service-Run-Id` and `X-Service-Scheduled-For` (docs/behavior.md#call-2, docs/behavior.md#call-8).
 */

import { isoTime, rest, type Clock } from '../../domain/clock.ts';
import { newSpanId } from '../../domain/id.ts';
import { reportHeader } from '../../domain/runs/report.ts';
import { latestStartMs } from '../../domain/runs/due.ts';
import { decodingMsOf, outcomeOf } from '../../domain/runs/outcome.ts';
import type { AttemptResult, Outcome, TargetResult } from '../../domain/runs/outcome.ts';
import type { InterruptedReason } from '../../domain/runs/reason.ts';
import { retryAt } from '../../domain/runs/retry.ts';
import type { CallSpan, Spans } from '../../domain/runs/call-span.ts';
import { hasTraceparent, traceIdOf, traceparent } from '../../domain/runs/trace-context.ts';
import {
  createRedactor,
  mayRepeat,
  redactResult,
  secretTexts,
} from '../../domain/secrets/redaction.ts';
import { damage, openRequest } from '../../domain/secrets/sealed-job.ts';
import type { RequestSecrets, Vault } from '../../domain/secrets/vault.ts';
import type { Call, Egress } from '../../egress/egress.ts';
import type { Log } from '../../base/log.ts';
import type { Attempt, EndedRun } from '../../store/runs/ended.ts';
import type { Callers } from '../proof/callers.ts';
import type { Membership } from '../nodes/membership.ts';
import { begunRun, interruptedRun, runNames } from './execution.ts';
import type { EndedExecution, Execution } from './execution.ts';

/** What dispatching needs. */
export interface Dispatcher {
  egress: Egress;
  /** Opens the sealed parts of jobs. */
  vault: Vault;
  /** Who makes the calls that say so. */
  callers: Callers;
  clock: Clock;
  log: Log;
  /** Whether calls carry a `traceparent`. */
  traceContext: boolean;
  /** Where a target reports after an answer of 202, by the id of its run. */
  readonly reportUrlOf: (runId: string) => string;
  /** Takes the spans of calls; null if nobody wants them. */
  spans: Spans | null;
  /** Resolves when a further attempt is on the disk: whether it may be sent. Rejects if jobd stops before that. */
  readonly keepAttempt: (attempt: Attempt) => Promise<boolean>;
  membership: Pick<Membership, 'mayBeginForMs'>;
  /** Aborted when a stop waits no longer, or this process was declared gone: the runs in flight end as interrupted. */
  signal: AbortSignal;
  /** Why runs wait for this machine to be able to call, by run id. */
  heldUp: Map<string, string>;
}

/** Why calls are aborted whose runs are no longer this node's. */
export const declaredGone = Symbol('this node was declared gone');

const unconfirmed: AttemptResult = {
  kind: 'local',
  trouble: 'the database did not confirm that this node serves',
};

/** Pause before a call is tried again that this machine could not begin. */
const heldUpPauseMs = 1_000;

/** Calls the target. Never rejects: an error on this side ends the run as interrupted. */
export async function dispatch(run: Execution, dispatcher: Dispatcher): Promise<EndedExecution> {
  const { vault, clock, log, traceContext, spans, keepAttempt, signal } = dispatcher;
  const confirmedAt = clock.now();
  if (confirmedAt - run.startedAt > latestStartMs) {
    const detail = 'its claim could not be confirmed within a minute';
    const why = { reason: 'unsent', detail } as const;
    const ended = interruptedRun(run, { why, attempts: 0, finishedAt: confirmedAt });
    return { claimed: run, ended };
  }
  const began = clock.monotonicMs();
  let attempts = 0;
  let isTraced = false;
  const elapsedMs = (decodingMs = 0): number =>
    Math.max(0, Math.round(clock.monotonicMs() - began - decodingMs));
  const done = (ended: EndedRun): EndedExecution => {
    const trace = isTraced && attempts > 0 && { traceId: traceIdOf(run.runId) };
    return { claimed: run, ended, ...trace };
  };
  const ended = (result: TargetResult, secrets: RequestSecrets | null, decodingMs = 0) => {
    const durationMs = elapsedMs(decodingMs);
    const finishedAt = run.startedAt + durationMs;
    const outcome = outcomeWithout(run, secrets, result, dispatcher);
    return done({ ...begunRun(run), finishedAt, durationMs, attempts, ...outcome });
  };
  const interrupted = (detail: string, reason: InterruptedReason = 'cut_off'): EndedExecution => {
    const finishedAt = run.startedAt + elapsedMs();
    return done(interruptedRun(run, { why: { reason, detail }, attempts, finishedAt }));
  };
  try {
    const secrets = opened(run, vault, log);
    if (secrets === null) return ended(unopened, null);
    const { body } = secrets;
    const headers = headersOf(run, secrets, dispatcher);
    isTraced = traceContext && !hasTraceparent(secrets.headers);
    let last: TargetResult | null = null;
    for (;;) {
      attempts += 1;
      const span = spanOf(run, attempts);
      const isSampled = spans?.isSampled(span.traceId) ?? true;
      const trace = isTraced && traceparent(span, isSampled);
      const sent = { headers: trace ? { ...headers, ...trace } : headers, body };
      const result = await attempt(run, { sent, span }, dispatcher);
      if (result.kind === 'local') {
        attempts -= 1;
        if (last !== null) return ended(last, secrets);
        return interrupted(result.trouble, 'unsent');
      }
      if (result.kind === 'interrupted') return interrupted(result.trouble);
      last = result;
      const now = clock.now();
      const nextAt = retryAt(run.request.retries, attempts, result, now);
      if (nextAt === null) return ended(result, secrets, decodingMsOf(result));
      await rest(clock, nextAt - now, signal);
      const retryFrom = clock.monotonicMs();
      const { runId, jobId } = run;
      const mayRetry = await keepAttempt({ runId, jobId, attempts: attempts + 1 });
      if (!mayRetry) return ended(result, secrets);
      // As with a claim: an attempt that took over a minute to write is not sent.
      if (clock.monotonicMs() - retryFrom > latestStartMs) return ended(result, secrets);
    }
  } catch (error) {
    if (signal.aborted) return interrupted(`${whyAborted(signal)} before the answer came`);
    log.error({ err: error, ...runNames(run) }, 'a call broke down');
    return interrupted('an error inside jobd, see its log');
  }
}

/** Why calls were aborted, as the beginning of a clause. */
function whyAborted({ reason }: AbortSignal): string {
  return reason === declaredGone ? 'this node was declared gone' : 'jobd stopped';
}

/** Makes one attempt. If this machine cannot begin it, that is no failure of the target: it is tried for a minute. */
async function attempt(
  run: Execution,
  { sent, span }: { sent: Pick<Call, 'headers' | 'body'>; span: BegunSpan },
  { egress, callers, clock, log, membership, signal, heldUp, spans }: Dispatcher,
): Promise<AttemptResult> {
  const { runId, request } = run;
  const { url, method, timeoutSeconds } = request;
  const giveUpAt = clock.monotonicMs() + latestStartMs;
  let startedAt = 0;
  let begunAt: number | null = null;
  const note = (result: TargetResult | null): void => {
    if (begunAt === null || !spans?.isSampled(span.traceId)) return;
    const endedAt = clock.monotonicMs() - (result === null ? 0 : decodingMsOf(result));
    spans.note({ ...span, startedAt, durationMs: Math.max(0, endedAt - begunAt), result });
  };
  try {
    for (;;) {
      const caller = request.sign === null ? undefined : await callers.callerOf(run);
      if (caller === null) return noCallKey;
      const beginWithinMs = membership.mayBeginForMs();
      [startedAt, begunAt] = [clock.now(), clock.monotonicMs()];
      const call = { url, method, timeoutMs: timeoutSeconds * 1_000, ...sent, beginWithinMs };
      const signed = caller === undefined ? call : { ...call, caller };
      const result = beginWithinMs > 0 ? await egress.call(signed, signal) : unconfirmed;
      if (result.kind !== 'local') note(result.kind === 'interrupted' ? null : result);
      begunAt = null;
      if (result.kind !== 'local' || clock.monotonicMs() >= giveUpAt) return result;
      if (heldUp.size === 0) log.warn({ trouble: result.trouble }, 'calls wait for this machine');
      heldUp.set(runId, result.trouble);
      await rest(clock, heldUpPauseMs, signal);
    }
  } catch (error) {
    note(null);
    throw error;
  } finally {
    heldUp.delete(runId);
  }
}

const noCallKey: TargetResult = {
  kind: 'failure',
  failure: {
    reason: 'unsigned',
    detail:
      'nothing is sent: there is no key to sign the call with; let a new one sign (jobd call-key rotate --now), or save the job again',
  },
};

const unopened: TargetResult = { kind: 'failure', failure: damage };

/** The secrets of the request; null if they cannot be opened. Done after the claim, so that no transaction waits for it. */
function opened(run: Execution, vault: Vault, log: Log): RequestSecrets | null {
  const { jobId: id, workspaceId, request, sealed } = run;
  try {
    return openRequest({ id, workspaceId, url: request.url, sealed }, vault);
  } catch (error) {
    log.error(
      { err: error, ...runNames(run) },
      'the headers and the body of a job cannot be opened',
    );
    return null;
  }
}

/** The outcome that the run keeps, with secrets that the target repeated taken out. */
function outcomeWithout(
  run: Execution,
  secrets: RequestSecrets | null,
  result: TargetResult,
  dispatcher: Pick<Dispatcher, 'reportUrlOf'>,
): Outcome {
  if (secrets === null || !mayRepeat(result)) return outcomeOf(result);
  // The URL of reports lets anybody who reads it end the run.
  const texts = secretTexts({ ...secrets.headers, ...reportHeaderOf(run, dispatcher) });
  const redactor = createRedactor(texts);
  const outcome = outcomeOf(redactResult(result, redactor));
  return { ...outcome, detail: outcome.detail && redactor.redact(outcome.detail) };
}

/** The headers of each attempt. */
function headersOf(
  run: Execution,
  { headers }: RequestSecrets,
  dispatcher: Pick<Dispatcher, 'reportUrlOf'>,
): Record<string, string> {
  return {
    ...headers,
    'x-service-run-id': run.runId,
    'x-service-scheduled-for': isoTime(run.dueAt),
    ...reportHeaderOf(run, dispatcher),
  };
}

/** The header that names where the target reports; nothing if the job waits for none. */
function reportHeaderOf(
  { request, runId }: Execution,
  { reportUrlOf }: Pick<Dispatcher, 'reportUrlOf'>,
): Record<string, string> {
  return request.reportWithinSeconds === null ? {} : { [reportHeader]: reportUrlOf(runId) };
}

/** What is known of a span before its call. */
type BegunSpan = Omit<CallSpan, 'startedAt' | 'durationMs' | 'result'>;

function spanOf(run: Execution, number: number): BegunSpan {
  const { runId, jobId, jobName: job, dueAt, request } = run;
  const { method, url } = request;
  const ids = { traceId: traceIdOf(runId), spanId: newSpanId(), runId, jobId };
  return { ...ids, job, attempt: number, dueAt, method, url };
}
