/** The run: its outcome, what that means, its attempts, how late it was and why, and its alerts. */

import { alertNews } from '../../domain/alerts/logged-alert.ts';
import { deliveriesKeptMs, type NamedDelivery } from '../../domain/alerts/delivery.ts';
import { counted, someOf } from '../../domain/counted.ts';
import { asSentence } from '../../domain/fields.ts';
import { becauseOf, errorDetail, errorOf } from '../../domain/runs/reason.ts';
import { isRetried } from '../../domain/runs/retry.ts';
import {
  isWaiting,
  isFinal,
  originOf,
  type RunStatus,
  type RunSummary,
} from '../../domain/runs/run.ts';
import { timeIn } from '../../domain/schedule/local-time.ts';
import { fact, latenessOf, lengthText, onTimeMs, unknown, type Fact } from './facts.ts';
import { meaningOf } from './meanings.ts';
import type { Records } from './records.ts';

const inZone =
  (zone: string) =>
  (iso: string): string =>
    timeIn(Date.parse(iso), zone);

const statusWords: Readonly<Record<RunStatus, string>> = {
  queued: 'waits to start',
  running: 'is executing',
  success: 'succeeded',
  failed: 'failed',
  interrupted: 'was interrupted',
  missed: 'was missed',
};

/** What became of a run, in a clause: `it failed: the target answered HTTP 503`. */
export function outcomeWords(run: RunSummary, zone: string): string {
  const { status, reason, httpStatus } = run;
  if (isWaiting(run))
    return `it was answered HTTP ${httpStatus} and waits for the report of its target`;
  const did = `it ${statusWords[status]}`;
  if (status === 'success') return `${did} (HTTP ${httpStatus})`;
  if (reason === null) return did;
  const why = becauseOf(run, inZone(zone));
  if (status === 'missed') return `${did}, because ${why}`;
  if (status === 'interrupted') return `${did} with an unknown outcome: ${why}`;
  const [summary = ''] = meaningOf(run) ?? [];
  return `${did}: ${summary}${reason === 'http' ? '' : ` (${why})`}`;
}

/** The facts of the run that is explained. */
export function runFacts(records: Records): Fact[] {
  const { run, zone, job } = records;
  if (run === null) return [];
  const { id: runId } = run;
  const facts = [outcomeFact(run, zone)];
  const [, means] = meaningOf(run) ?? [];
  if (means !== undefined) facts.push(fact('meaning', means, { runId }));
  const tried = attemptsWords(run, job.retries);
  if (tried !== null) facts.push(fact('attempts', tried, { runId }));
  if (run.dueAt !== undefined) {
    const sentence = `It stands for the due time ${timeIn(run.dueAt, zone)}.`;
    facts.push(fact('due', sentence, { at: run.dueAt }));
  }
  return [...facts, ...latenessFacts(records, run), ...againFacts(records)];
}

/** How often it was tried, and why not again (docs/behavior.md#retry-3); null if there is nothing to say. */
function attemptsWords(run: RunSummary, retries: number): string | null {
  const { status, attempts, reason } = run;
  const most = Math.max(attempts, 1 + retries);
  if (status === 'running' && !isWaiting(run)) {
    const soFar = `Attempts so far: ${attempts} of at most ${most}. Between two of them it waits.`;
    return most > 1 ? soFar : null;
  }
  const rest =
    'Its duration includes the waits between them; only the outcome of the last one is kept.';
  if (attempts > 1) return `It took ${attempts} attempts. ${rest}`;
  if (status !== 'failed') return null;
  const had = retries === 0 ? 'the job has no retries now' : 'the job had no retries then';
  const why = isRetried(run) ? (onlySome[reason ?? ''] ?? had) : 'such a failure never is';
  return `It was not tried again: ${why}.`;
}

/** Failures of which only some are tried again: a run does not say which it was. */
const onlySome: Readonly<Record<string, string>> = {
  timeout: 'a timeout is not once the request was sent, as the target may still be at work',
  dns: 'only a look-up that may succeed soon is, if the job has retries',
};

/** Runs that were called later for the run, or for the due time of it that is asked about: a replay stands for one of them. */
export function calledLater({ again, isDue, dueAt, job }: Records): RunSummary[] {
  const isFor = (run: RunSummary) => run.dueAt === dueAt || originOf(run, job.id) === 'make_up';
  return isDue ? again.filter(isFor) : again;
}

/** What was called later for the due times of the run. */
function againFacts(records: Records): Fact[] {
  const detail = records.run?.status === 'missed' ? records.run.detail : null;
  const drop = detail === null ? [] : [fact('made_up', asSentence(detail))];
  const later = calledLater(records).map((run) => {
    const { zone, job } = records;
    const { id: runId, scheduledFor: at } = run;
    const isReplay = originOf(run, job.id) === 'replay';
    const sentence = `It was ${isReplay ? 'replayed' : 'made up for'} at ${timeIn(at, zone)}, in run ${runId}: ${outcomeWords(run, zone)}.`;
    return fact(isReplay ? 'replayed' : 'made_up', sentence, { runId, at });
  });
  return [...drop, ...later];
}

function outcomeFact(run: RunSummary, zone: string): Fact {
  const { id: runId, status, startedAt, finishedAt, durationMs, scheduledFor } = run;
  const until = run.missed?.last ?? finishedAt;
  const values = { runId, at: startedAt ?? scheduledFor, ...(until !== null && { until }) };
  const error = status === 'failed' ? errorOf(run) : errorDetail(run, inZone(zone));
  const begun = startedAt === null ? '' : ` It began at ${timeIn(startedAt, zone)}.`;
  const took = durationMs === null ? '' : ` It took ${lengthText(durationMs)}.`;
  const how = isFinal(status) ? `: ${status === 'success' ? `HTTP ${run.httpStatus}` : error}` : '';
  return fact('run', `The run ${statusWords[status]}${how}.${begun}${took}`, values);
}

function latenessFacts(records: Records, run: RunSummary): Fact[] {
  const lateMs = latenessOf(run);
  const { id: runId, startedAt: at } = run;
  if (lateMs === null || at === null) return [];
  const values = { runId, at };
  if (lateMs < onTimeMs) {
    return [fact('late', `It began on time, ${lengthText(lateMs)} after it was due.`, values)];
  }
  const late = fact('late', `It began ${lengthText(lateMs)} late.`, values);
  const causes = causesOf(records, run.scheduledFor, at);
  const why =
    'Why it began late is not recorded. It may be busy slots, a database that was slow or could not be used, a suspended machine or a clock change.';
  return [late, ...(causes.length > 0 ? causes : [unknown('cause', why)])];
}

/** Why the job could not begin between its due time and another time: only what was certainly so. */
export function causesOf(records: Records, dueAt: number, until: number): Fact[] {
  const { previous, startedAt, zone, inFlight, slots } = records;
  const causes: Fact[] = [];
  const ended = previous?.finishedAt ?? null;
  if (previous !== null && ended !== null && ended > dueAt && ended <= until) {
    // When the call of an interrupted run ended, nobody knows: its end is when that was noticed.
    const isDead = previous.status === 'interrupted';
    const sentence = isDead
      ? `The run before it was found interrupted at ${timeIn(ended, zone)}: ${errorDetail(previous)}.`
      : `The run before it was in the way until ${timeIn(ended, zone)}: a job executes one run at a time.`;
    causes.push(fact('cause', sentence, { runId: previous.id, until: ended }));
  }
  if (startedAt > dueAt && startedAt <= until) {
    const sentence = `jobd was started at ${timeIn(startedAt, zone)}, after the due time.`;
    causes.push(fact('cause', sentence, { at: startedAt }));
  }
  if (inFlight === null) return causes;
  const { all, toHost, isPartial } = inFlight;
  if (toHost >= slots.perHost) {
    causes.push(fact('cause', taken(slots.perHost, ' to its host')));
  } else if (all >= slots.all) {
    causes.push(fact('cause', taken(slots.all, '')));
  } else if (all > 0 || isPartial) {
    const calls = `${isPartial ? 'At least ' : ''}${counted(all, 'other call')} of this workspace`;
    const sentence = `${calls} ${all === 1 ? 'was' : 'were'} in flight when it was due, ${toHost} to the same host. How many slots other workspaces used is not recorded.`;
    causes.push(unknown('cause', sentence));
  }
  return causes;
}

function taken(count: number, where: string): string {
  return count === 1
    ? `The only slot for calls${where} was taken by a job of this workspace.`
    : `All ${count} slots for calls${where} were taken by jobs of this workspace.`;
}

/** Runs by hand, or that the end of another one started. */
export function manualFacts({ manual, zone, job, run: explained, again }: Records): Fact[] {
  const told = new Set([explained, ...again].map((run) => run?.id));
  return manual.flatMap((run) => {
    if (told.has(run.id)) return [];
    const { id: runId, scheduledFor: at } = run;
    const sentence = `${beginning(run, job.id, zone)}: ${outcomeWords(run, zone)}.`;
    return [fact('manual_run', sentence, { runId, at })];
  });
}

/** How a run without a due time came to be: `A run by hand was asked for at Tue 24 Nov 2026 02:30 +01:00`. */
export function beginning(run: RunSummary, jobId: string, zone: string): string {
  const cause = run.causedBy?.runId;
  const how = {
    after: `A run was started after run ${cause} of the job that it runs after,`,
    make_up: `A run began to wait that makes up for the missed run ${cause},`,
    hand: 'A run by hand was asked for',
    replay: 'A replay was asked for',
    schedule: 'A run was due',
  }[originOf(run, jobId)];
  return `${how} at ${timeIn(run.scheduledFor, zone)}`;
}

/** A sentence for each delivery about the run, or why there is none. */
export function alertFacts({ deliveries, run, channels, mutes, zone, now }: Records): Fact[] {
  if (run === null || !isFinal(run.status)) return [];
  if (deliveries.length > 0) return deliveries.map((one) => deliveryFact(one, zone));
  if (run.status === 'success') return [];
  if ((run.finishedAt ?? run.scheduledFor) < now - deliveriesKeptMs) {
    const sentence = 'Whether an alert was sent is not known: deliveries are kept for 30 days.';
    return [unknown('alert', sentence)];
  }
  const none = 'No alert about this run alone is recorded.';
  if (mutes.length > 0) return [fact('alert', none)];
  if (channels.length === 0) return [fact('alert', `${none} No enabled channel serves this job.`)];
  const rule =
    run.status === 'failed'
      ? 'A failure is announced once, when the job goes down; a channel may wait for more failures, or be damped.'
      : 'Such runs are announced together, and only to channels that ask for them.';
  return [fact('alert', `${none} ${rule} Channels of the job now: ${someOf(channels, 3)}.`)];
}

/** Windows that mute the job now, or did when the run ended. */
export function muteFacts({ mutes, zone, now }: Records): Fact[] {
  return mutes.map(({ window: { name }, until }) => {
    const are = until > now ? 'are' : 'were';
    const sentence = `Its alerts ${are} muted until ${timeIn(until, zone)} by the window ${name}.`;
    return fact('alert', sentence, { until });
  });
}

function deliveryFact(delivery: NamedDelivery, zone: string): Fact {
  const { channelId, channelName, event, subject, status, attempts, createdAt } = delivery;
  const news = alertNews(event, { name: subject?.name ?? null, count: null });
  const tried = counted(attempts, 'attempt');
  const made = `An alert for channel ${channelName} was made at ${timeIn(createdAt, zone)}: ${news}.`;
  const became = {
    delivered: `It was delivered after ${tried}.`,
    pending: attempts === 0 ? 'It was not sent yet.' : `It has not arrived yet, after ${tried}.`,
    failed: `It was given up after ${tried}.`,
  }[status];
  const error = delivery.lastError;
  const why = status === 'delivered' || error === null ? '' : ` The last error: ${error}.`;
  return fact('alert', `${made} ${became}${why}`, { at: createdAt, channelId });
}
