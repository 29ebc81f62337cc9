/** The run of the due time: its outcome, its attempts, or why it was missed. */

import { isAwaiting } from '../../../domain/runs/active.ts';
import { becauseOf, errorDetail, errorOf } from '../../../domain/runs/reason.ts';
import type { RunStatus, RunSummary } from '../../../domain/runs/run.ts';
import type { Fact, Records, ServedSpan } from './facts.ts';
import { counted } from '../../../domain/counted.ts';
import { fact, lengthText, unknown } from './words.ts';
import { timeIn } from '../../../domain/schedule/local-time.ts';

const outcomes: Readonly<Record<RunStatus, string>> = {
  queued: 'it waits to start',
  running: 'it is executing',
  success: 'it succeeded',
  failed: 'it failed',
  interrupted: 'it was interrupted with an unknown outcome',
  missed: 'it was missed',
};

/** What a run did, in a clause: `it failed, http: 500`. */
export function outcomeWords(run: RunSummary): string {
  const { status, httpStatus } = run;
  if (isAwaiting({ status, httpStatus })) {
    return `it was answered HTTP ${httpStatus} and waits for the report of its target`;
  }
  if (status === 'success') return `${outcomes.success} (HTTP ${httpStatus})`;
  if (run.reason === null) return outcomes[status];
  // Missed and interrupted: their word is said already.
  return `${outcomes[status]}: ${status === 'failed' ? errorOf(run) : errorDetail(run)}`;
}

/** The run, or what was missed. */
export function runFacts(records: Records): Fact[] {
  const { run } = records;
  if (run === null) return [];
  return run.status === 'missed' ? missedFacts(records, run) : calledFacts(records, run);
}

function calledFacts({ job: { timezone: zone, retries } }: Records, run: RunSummary): Fact[] {
  const { id: runId, status, startedAt, finishedAt, durationMs, attempts, httpStatus } = run;
  const error = errorOf(run);
  const begun = startedAt === null ? '' : ` began at ${timeIn(startedAt, zone)}`;
  const took = durationMs === null ? '' : ` It took ${lengthText(durationMs)}.`;
  const facts = [
    fact('run', `The run${begun}, and ${outcomeWords(run)}.${took}`, {
      runId,
      status,
      ...(startedAt !== null && { at: startedAt }),
      ...(finishedAt !== null && { until: finishedAt }),
      ...(durationMs !== null && { durationMs }),
      ...(httpStatus !== null && { httpStatus }),
      ...(error !== null && { error }),
    }),
  ];
  if (attempts > 1) {
    const waits = 'The duration includes all of them and the waits between.';
    const sentence = `It took ${attempts} attempts. ${waits} Only the outcome of the last one is kept.`;
    facts.push(fact('attempts', sentence, { runId, attempts }));
  } else if (status === 'failed') {
    const why =
      retries === 0
        ? 'the job has no retries now'
        : 'this failure is not one that a retry may cure, or the job had no retries then';
    facts.push(fact('attempts', `It was not tried again: ${why}.`, { runId, attempts }));
  }
  return facts;
}

function missedFacts(records: Records, run: RunSummary): Fact[] {
  const { timezone: zone } = records.job;
  const { id: runId, scheduledFor: at } = run;
  const last = run.missed?.last ?? at;
  const error = errorOf(run);
  const times =
    last === at
      ? timeIn(at, zone)
      : `all due times from ${timeIn(at, zone)} to ${timeIn(last, zone)}`;
  const why = `The reason recorded is: ${becauseOf(run)}.`;
  const sentence = `The run was missed (${times}): a call over a minute late is not made. ${why}`;
  const missed = fact('missed', sentence, {
    runId,
    at,
    until: last,
    ...(error !== null && { error }),
  });
  return [missed, ...downtimeFacts(records, run)];
}

/** What is known of who served then. */
function downtimeFacts({ job, served, startedAt, previous }: Records, run: RunSummary): Fact[] {
  const zone = job.timezone;
  const { scheduledFor: dueAt } = run;
  if (previous?.finishedAt && previous.finishedAt > dueAt) {
    const { id: runId, finishedAt: until } = previous;
    const sentence = `The run before it was executing until ${timeIn(until, zone)}; a job executes one run at a time.`;
    return [fact('cause', sentence, { runId, until })];
  }
  if (served !== null && served.length > 0) return [nodesFact(served, dueAt, zone)];
  if (startedAt <= dueAt) return [];
  const sentence = `The jobd that answers was started at ${timeIn(startedAt, zone)}. When the one before it ended is not recorded.`;
  return [unknown('downtime', sentence, { at: startedAt })];
}

function nodesFact(served: readonly ServedSpan[], dueAt: number, zone: string): Fact {
  const then = served.filter(
    ({ from, until }) => from <= dueAt && (until === null || until > dueAt),
  );
  if (then.length > 0) {
    const are = then.length === 1 ? 'was' : 'were';
    return fact('downtime', `${counted(then.length, 'node')} of jobd ${are} serving then.`, {
      count: then.length,
    });
  }
  const ends = served.flatMap(({ until }) => (until !== null && until <= dueAt ? [until] : []));
  const starts = served.flatMap(({ from }) => (from > dueAt ? [from] : []));
  const [down, up] = [Math.max(...ends), Math.min(...starts)];
  const isFrom = ends.length > 0 ? ` from ${timeIn(down, zone)}` : '';
  const isTo = starts.length > 0 ? ` to ${timeIn(up, zone)}` : '';
  return fact('downtime', `No node of jobd was serving${isFrom}${isTo}.`, {
    ...(ends.length > 0 && { at: down }),
    ...(starts.length > 0 && { until: up }),
  });
}

/** Runs by hand, or that the end of another one started. */
export function manualFacts({ manual, job: { timezone: zone } }: Records): Fact[] {
  return manual.map((run) => {
    const { id: runId, status, scheduledFor: at } = run;
    const cause = run.causedBy && `after run ${run.causedBy.runId} of the job that it runs after`;
    const how = cause ? `A run was started ${cause},` : 'A run by hand was asked for';
    const sentence = `${how} at ${timeIn(at, zone)}: ${outcomeWords(run)}.`;
    return fact('manual_run', sentence, { runId, status, at });
  });
}
