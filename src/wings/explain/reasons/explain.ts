/** Explains why a job ran, did not run or ran late: from what was recorded to sentences. */

import { afterOnVerbs } from '../../../domain/jobs/after-words.ts';
import { scheduleOf } from '../../../domain/schedule/schedule.ts';
import type { AskedTime } from './asked-time.ts';
import { dueAround } from './due-around.ts';
import type { DueAround } from './due-around.ts';
import type { ExplainedJob, Explanation, Fact, JobTrail, Records } from './facts.ts';
import { heldAt, isChainedAt, isNewSchedule, scheduleBeganAt } from './held-then.ts';
import type { HeldThen } from './held-then.ts';
import { alertFacts } from './of-alerts.ts';
import { causesOf, latenessFacts } from './of-lateness.ts';
import { nextFacts, targetFacts } from './of-next.ts';
import { manualFacts, runFacts } from './of-run.ts';
import { askedFacts, dueFacts, scheduleFacts } from './of-schedule.ts';
import { accountFacts, stateFacts } from './of-state.ts';
import { notDue, pausedNow, verdictOn } from './outcome.ts';
import type { Verdict } from './outcome.ts';
import { byWhom } from './words.ts';
import { timeIn } from '../../../domain/schedule/local-time.ts';

/** The due time to explain, among those around the time that was asked about. Times are epoch milliseconds. */
export interface Focus {
  around: DueAround;
  /** Null if there is none. */
  dueAt: number | null;
  /** Whether it was asked about, rather than one that is not due. */
  isAsked: boolean;
}

/**
 * Finds it: for now, the newest due time of the schedule. `runDueAt` is the due time of the newest scheduled run up to the end
 * of the minute, null without one; it may be one of an earlier schedule.
 */
export function focusOf(
  job: ExplainedJob,
  trail: JobTrail,
  { at, form }: Pick<AskedTime, 'at' | 'form'>,
  runDueAt: number | null,
): Focus {
  if (isChainedAt(job, trail, at)) {
    return { around: { at: null, before: null, after: null }, dueAt: null, isAsked: false };
  }
  const around = dueAround(scheduleOf(job), at, scheduleBeganAt(job, trail, at));
  if (form === 'now') {
    const isPast = around.at !== null && around.at <= at;
    const [dueAt, after] = isPast
      ? [around.at, around.after]
      : [around.before, around.at ?? around.after];
    const newest = dueAt ?? runDueAt;
    return { around: { at: newest, before: null, after }, dueAt: newest, isAsked: true };
  }
  const minute = Math.floor(at / 60_000) * 60_000;
  const ran = runDueAt !== null && runDueAt >= minute ? runDueAt : null;
  const dueAt = around.at ?? ran;
  return dueAt === null
    ? { around, dueAt: around.before, isAsked: false }
    : { around, dueAt, isAsked: true };
}

/** What held when the job was due, or at the time that was asked about if it was not. */
export function heldThen(
  job: ExplainedJob,
  trail: JobTrail,
  { dueAt, isAsked }: Focus,
  asked: Pick<AskedTime, 'at'>,
): HeldThen {
  return heldAt(job, trail, isAsked ? (dueAt ?? asked.at) : asked.at);
}

/** Explains a due time from what was recorded about it. */
export function explain(records: Records, focus: Focus): Explanation {
  const { job, asked, trail } = records;
  const { around, dueAt, isAsked } = focus;
  const held = heldThen(job, trail, focus, asked);
  const then = isAsked ? (dueAt ?? asked.at) : asked.at;
  const { outcome, answer } = verdictOf(records, focus, held);
  const facts: Fact[] = [
    ...askedFacts(records),
    // Of a job that ran after another one, the schedule did not count.
    ...(isChainedAt(job, trail, then)
      ? []
      : [...scheduleFacts(job, held), ...dueFacts(records, around, isAsked ? dueAt : null)]),
    ...stateFacts(records, held, then),
    ...accountFacts(records, then),
    ...runFacts(records),
    ...latenessFacts(records),
    ...waitingFacts(records, outcome, dueAt),
    ...manualFacts(records),
    ...alertFacts(records),
    ...targetFacts(records),
    ...nextFacts(records),
  ];
  return { at: asked.at, dueAt, outcome, answer, facts };
}

function waitingFacts(records: Records, outcome: Verdict['outcome'], dueAt: number | null): Fact[] {
  const isWaiting = outcome === 'waiting' && dueAt !== null;
  return isWaiting ? causesOf(records, dueAt, records.now) : [];
}

function verdictOf(records: Records, { dueAt, isAsked }: Focus, held: HeldThen): Verdict {
  const { job, trail, asked, run } = records;
  const zone = job.timezone;
  if (!held.isCreated && run === null) {
    const by = trail.changes.find(({ action }) => action === 'job.create') ?? { who: null };
    const created = `it was created later, at ${timeIn(job.createdAt, zone)}${byWhom(by)}`;
    return { outcome: 'not_created', answer: `The job did not exist then: ${created}.` };
  }
  if (isChainedAt(job, trail, asked.at)) return chainedVerdict(records, held);
  if (held.isSameSchedule === false && run === null) {
    const what = `Whether it was due at ${timeIn(asked.at, zone)} is not known`;
    return {
      outcome: 'unknown',
      answer: `${what}: its schedule was another one, and no run of that time is kept.`,
    };
  }
  if (dueAt !== null && isAsked) return verdictOn(records, held, dueAt);
  if (dueAt === null) {
    if (asked.form !== 'now') return notDue(records, null);
    return { outcome: 'not_due', answer: `${notDueYet(records)}${pausedNow(records, held)}` };
  }
  return notDue(records, verdictOn(records, heldAt(job, trail, dueAt), dueAt));
}

function chainedVerdict(records: Records, held: HeldThen): Verdict {
  const { job, firstJob, trail, asked } = records;
  const outcome = 'not_due';
  if (job.after === null) {
    const change = trail.changes.find(({ fields }) => fields.includes('after'));
    const until =
      change === undefined ? '' : ` until ${timeIn(change.at, job.timezone)}${byWhom(change)}`;
    const answer = `It was not due at ${timeIn(asked.at, job.timezone)}: it ran after another job${until}.`;
    return { outcome, answer: `${answer}${pausedNow(records, held)}` };
  }
  const name = firstJob?.name ?? 'another job';
  const rule = `It has no due times: it runs after ${name} ${afterOnVerbs[job.after.on]}.`;
  const isHeld = firstJob?.paused === true ? ` ${name} is paused now.` : '';
  return { outcome, answer: `${rule}${isHeld}${pausedNow(records, held)}` };
}

function notDueYet({ job, trail }: Records): string {
  const zone = job.timezone;
  const change = trail.changes.find(isNewSchedule);
  if (job.scheduleType === 'period' && job.anchorAt > (change?.at ?? job.createdAt)) {
    const since = `It has not been due since it was resumed or changed, at ${timeIn(job.anchorAt, zone)}`;
    return `${since}: its interval is counted from then.`;
  }
  if (change === undefined) {
    return `It has not been due yet: it was created at ${timeIn(job.createdAt, zone)}.`;
  }
  const what = change.fields.includes('schedule')
    ? 'its schedule was changed'
    : 'it stopped running after another job';
  return `It has not been due since ${what}, at ${timeIn(change.at, zone)}${byWhom(change)}.`;
}
