/** The log of runs: a line for each that ended or was missed. What was no success is a warning (docs/logs.md). */

import { isoTime } from '../../domain/clock.ts';
import { errorOf, whyDocument, type Why } from '../../domain/runs/reason.ts';
import type { Meter } from '../../domain/meter.ts';
import type { Log } from '../../base/log.ts';
import type { DroppedResults } from '../../store/alerts/callbacks.ts';
import type { ChainedRun, DroppedMakeUp } from '../../store/jobs/chains.ts';
import type { KeptMiss } from './due.ts';
import { runNames, type EndedExecution, type Execution } from './execution.ts';

/** What the log says of the claim of a run. Times are epoch milliseconds. */
type LoggedClaim = Parameters<typeof runNames>[0] & Pick<Execution, 'scheduledFor' | 'startedAt'>;

/** What the log says of the end of a run. */
interface LoggedEnd extends Pick<EndedExecution, 'ended' | 'traceId'> {
  claimed: LoggedClaim;
}

/** Logs a run that ended. */
export function logEnded(log: Log, run: LoggedEnd): void {
  const latenessMs = run.claimed.startedAt - run.claimed.scheduledFor;
  const level = run.ended.status === 'success' ? 'info' : 'warn';
  log[level]({ ...endFields(run), latenessMs }, 'run ended');
}

function whyFields(why: Why) {
  return { ...whyDocument(why), error: errorOf(why) };
}

/** Which run ended here, and how. */
export function endFields({ claimed, ended, traceId }: LoggedEnd) {
  const { status, httpStatus, durationMs, attempts } = ended;
  const how = { status, httpStatus, durationMs, attempts, ...whyFields(ended), traceId };
  return { ...runNames(claimed), ...how };
}

/** Logs since when calls wait for slots (epoch milliseconds), or that they no longer do: null. */
export function logShortage(log: Log, since: number | null, slots: number): void {
  if (since === null) log.info({ slots }, 'calls no longer wait for slots');
  else log.warn({ slots, since: isoTime(since) }, 'calls wait for slots');
}

/** Logs a run that was answered 202, and whose target reports later. */
export function logWaiting(log: Log, { claimed, ended, traceId }: EndedExecution): void {
  const { httpStatus, attempts } = ended;
  const { reportWithinSeconds } = claimed.request;
  log.info(
    { ...runNames(claimed), httpStatus, attempts, reportWithinSeconds, traceId },
    'run waits',
  );
}

/** Logs and counts results that were given up because too many of their job wait. */
export function noteDropped(
  { log, meter }: { log: Log; meter: Meter },
  dropped: readonly DroppedResults[],
): void {
  for (const { job, jobId, count } of dropped) {
    meter.resultsDropped(count);
    log.warn({ job, jobId, count }, 'results dropped: onResult takes none');
  }
}

/** Logs the runs that made up for missed ones, and are dropped as these start. */
export function logDropped(
  log: Log,
  dropped: readonly DroppedMakeUp[],
  started: readonly Execution[],
): void {
  for (const { jobId, missedRunId, dueAt } of dropped) {
    const run = started.find((one) => one.jobId === jobId);
    log.info({ ...(run && runNames(run)), missedRunId, dueAt: isoTime(dueAt) }, 'make-up dropped');
  }
}

/** Logs a run that was missed, with its first and last due time, and the run of those `queued` that makes up for it. */
export function logMissed(log: Log, run: KeptMiss, queued: readonly ChainedRun[]): void {
  const dueAt = isoTime(run.missed.first);
  const madeUpBy = queued.find(({ cause }) => cause.runId === run.runId)?.id;
  const how = { status: 'missed', dueAt, madeUpBy, ...whyFields(run) };
  log.warn({ ...runNames(run), ...how }, 'run missed');
}
