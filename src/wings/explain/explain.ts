/** Explains why a job ran, did not run or ran late: from what was recorded to sentences. */

import { plans } from '../../domain/accounts/plan.ts';
import { isoTime, msPerDay } from '../../domain/clock.ts';
import { isOver } from '../../domain/jobs/actions.ts';
import { afterOnVerbs } from '../../domain/jobs/after-words.ts';
import { isWaiting, type RunSummary } from '../../domain/runs/run.ts';
import { timeIn } from '../../domain/schedule/local-time.ts';
import { clockChanges, preview } from '../../domain/schedule/preview.ts';
import { scheduleOf, type Schedule } from '../../domain/schedule/schedule.ts';
import { scheduleWords } from '../../domain/schedule/words.ts';
import { byWhom, changeAt, fact, latenessOf, lengthText, onTimeMs, unknown } from './facts.ts';
import type { Explanation, Fact, Verdict } from './facts.ts';
import { remedyOf } from './meanings.ts';
import { downFacts, heldBy, nextFacts, targetFacts } from './of-now.ts';
import { alertFacts, beginning, calledLater, causesOf, manualFacts } from './of-run.ts';
import { muteFacts, outcomeWords, runFacts } from './of-run.ts';
import type { Records } from './records.ts';
import { endedBefore, isPause, scheduleThen, stateAt, wasHeld } from './schedule-then.ts';
import type { StateThen } from './schedule-then.ts';

/** Later changes that are told one by one. */
const mostChanges = 5;

/** Explains a due time, or a run, from what was recorded about it. */
export function explain(records: Records): Explanation {
  const { asked, run, dueAt, isDue } = records;
  const then = isDue && dueAt !== null ? dueAt : asked.at;
  const state = stateAt(records, then);
  const { outcome, answer } = verdictOf(records, state);
  const isToCome = outcome === 'waiting' && run === null && dueAt !== null;
  const facts = [
    ...askedFacts(records),
    ...(state === 'chained' || state === 'not_created' ? [] : scheduleFacts(records, then)),
    ...stateFacts(records, state, then),
    ...runFacts(records),
    ...(isToCome ? causesOf(records, dueAt, records.now) : []),
    ...manualFacts(records),
    ...downFacts(records),
    ...alertFacts(records),
    ...muteFacts(records),
    ...targetFacts(records),
    ...nextFacts(records),
  ];
  const withoutCall = isOver(records.job, records.now) ? todoOfOver : todoFor;
  const { todo = withoutCall[outcome] ?? null, command } = remedyOf(run, records);
  const told = { outcome, answer, todo, command, facts };
  const found = { at: asked.at, dueAt, runId: run?.id ?? null, ...told };
  if (!calledLater(records).some(({ status }) => status === 'success')) return found;
  const later = `${answer} It was called later, and succeeded.`;
  return { ...found, answer: later, todo: null, command: null };
}

/** What can be done where there is no run. */
const todoFor: Partial<Record<Verdict['outcome'], string>> = {
  paused: 'Resume the job if it should be called again.',
  expired: 'Renew the account: its jobs are called again from then on.',
  held: 'If the call is needed all the same, run the job by hand.',
};
const todoOfOver: typeof todoFor = {
  ...todoFor,
  paused: 'Its time has passed: set a later one, then resume the job if it should be called.',
};

function verdictOf(records: Records, state: StateThen): Verdict {
  const { job, asked, run, dueAt, isDue, zone, changes } = records;
  if (run !== null && (isDue || run.source === 'manual')) return runVerdict(run, records);
  if (state === 'not_created') {
    const by = byWhom(changes.find(({ action }) => action === 'job.create') ?? null);
    const answer = `The job did not exist then: it was created at ${timeIn(job.createdAt, zone)}${by}.`;
    return { outcome: 'not_created', answer };
  }
  if (state === 'chained') return chainedVerdict(records);
  if (dueAt === null) {
    const answer =
      asked.form === 'now' ? notDueYet(records) : `It was not due at ${timeIn(asked.at, zone)}.`;
    return { outcome: 'not_due', answer: `${answer}${pausedNow(records)}` };
  }
  if (isDue) return withoutRun(records, state, dueAt);
  const earlier =
    run === null ? withoutRun(records, stateAt(records, dueAt), dueAt) : runVerdict(run, records);
  const not = `It was not due at ${timeIn(asked.at, zone)}.`;
  return { outcome: 'not_due', answer: `${not} About the due time before: ${earlier.answer}` };
}

/** `dueAt` is the one of the due times that a missed run stands for. */
function runVerdict(run: RunSummary, { dueAt, zone, job }: Records): Verdict {
  const { status, scheduledFor, source } = run;
  const outcome = status === 'queued' ? 'waiting' : status;
  const how = outcomeWords(run, zone);
  if (source === 'manual') return { outcome, answer: `${beginning(run, job.id, zone)}: ${how}.` };
  const at = timeIn(dueAt ?? scheduledFor, zone);
  if (status === 'missed') return { outcome, answer: `It did not run at ${at}: ${how}.` };
  const lateMs = latenessOf(run) ?? 0;
  const late = lateMs < onTimeMs ? '' : `, ${lengthText(lateMs)} late`;
  return { outcome, answer: `It ran at ${at}${late}, and ${how}.` };
}

/** About a due time without a run. */
function withoutRun(records: Records, state: StateThen, dueAt: number): Verdict {
  const { now, job, expiresAt, schedules, zone, changes } = records;
  const not = `It did not run at ${timeIn(dueAt, zone)}`;
  if (dueAt > now) {
    const wait = `${timeIn(dueAt, zone)} is still to come, ${lengthText(dueAt - now)} from now.`;
    const held = heldBy(records, dueAt);
    const isHeld = held === null ? '' : ` It is held then ${held.words}.`;
    return { outcome: 'to_come', answer: `${wait}${isHeld}${pausedNow(records)}` };
  }
  if (wasHeld(schedules, dueAt)) {
    const held = heldBy(records, dueAt);
    const did = held?.did ?? 'was held by a window; it, or the labels of the job, changed since';
    return { outcome: 'held', answer: `${not}: it ${did}.` };
  }
  const end = endedBefore(schedules, dueAt);
  // The schedule of an account that has just expired may still be in force.
  const isExpired = expiresAt !== null && expiresAt <= dueAt;
  if (isExpired || end?.reason === 'expired') {
    const at = isExpired ? ` at ${timeIn(expiresAt, zone)}` : '';
    return { outcome: 'expired', answer: `${not}: the account had expired${at}.` };
  }
  if (end?.reason === 'paused' || (end === null && state === 'paused')) {
    const since = end === null ? ', since it was created' : sinceText(end.at, records);
    return { outcome: 'paused', answer: `${not}: it was paused${since}.` };
  }
  if (end?.reason === 'restored') {
    const answer = `Whether it ran at ${timeIn(dueAt, zone)} is not known here: the database from before the restore has decided on it. That was kept beside this one as jobd-before-….db: look there, or in the log of the target, before you call it again.`;
    return { outcome: 'unknown', answer };
  }
  if (end !== null) {
    const by = byWhom(changeAt(changes, end.at));
    const what = end.reason === 'changed' ? 'its schedule was changed' : 'the clock was set';
    return {
      outcome: 'not_due',
      answer: `${not}: ${what} before, at ${timeIn(end.at, zone)}${by}.`,
    };
  }
  if (job.nextRunAt !== null && job.nextRunAt <= dueAt) return waiting(records, dueAt);
  return { outcome: 'unknown', answer: notKept(records, dueAt) };
}

function sinceText(at: number, { zone, changes }: Pick<Records, 'zone' | 'changes'>): string {
  return `, since ${timeIn(at, zone)}${byWhom(changeAt(changes, at))}`;
}

/** That the job is paused now, and since when; nothing if it is not. */
function pausedNow(records: Records): string {
  if (!records.job.paused) return '';
  const pause = records.changes.find(isPause);
  return ` The job is paused now${pause === undefined ? '' : sinceText(pause.at, records)}.`;
}

function waiting({ job, active, problems, zone }: Records, dueAt: number): Verdict {
  const does = active !== null && isWaiting(active) ? 'waits for a report' : 'is executing';
  const because =
    job.activeRunId !== null
      ? `a run of it ${does}, and a job executes one run at a time`
      : (problems[0] ?? 'why is not recorded; all slots may be busy');
  const answer = `It was due at ${timeIn(dueAt, zone)} and has not begun: ${because}.`;
  return { outcome: 'waiting', answer };
}

function notKept({ plan, oldestKept, now, zone }: Records, dueAt: number): string {
  const none = `Whether it ran at ${timeIn(dueAt, zone)} is not known: no run of that time is kept`;
  const { retentionDays, results } = plans[plan];
  if (dueAt < now - retentionDays * msPerDay) {
    return `${none}, as results are kept for ${retentionDays} days.`;
  }
  if (oldestKept === null || oldestKept > dueAt) {
    return `${none}. The newest ${results} results of the account are kept; whether this one was removed is not recorded.`;
  }
  return `${none}, though older ones are. The clock may have been set back, or the database restored; jobd ledger check says more.`;
}

function chainedVerdict(records: Records): Verdict {
  const { job, firstJob, schedules, asked, zone, changes } = records;
  if (job.after === null || schedules.next !== null) {
    const at = schedules.next?.fromAt;
    const until =
      at === undefined ? '' : ` until ${timeIn(at, zone)}${byWhom(changeAt(changes, at))}`;
    const answer = `It was not due at ${timeIn(asked.at, zone)}: it ran after another job${until}.`;
    return { outcome: 'not_due', answer: `${answer}${pausedNow(records)}` };
  }
  const name = firstJob?.name ?? 'another job';
  const isHeld = firstJob?.paused === true ? ` ${name} is paused now.` : '';
  const rule = `It has no due times: it runs after ${name} ${afterOnVerbs[job.after.on]}.`;
  return { outcome: 'not_due', answer: `${rule}${isHeld}${pausedNow(records)}` };
}

function notDueYet({ job, schedules, changes, zone }: Records): string {
  const since = schedules.last?.fromAt ?? job.createdAt;
  if (since === job.createdAt) {
    return `It has not been due yet: it was created at ${timeIn(since, zone)}.`;
  }
  const change = changeAt(changes, since);
  const what =
    change !== null && isPause(change)
      ? 'it was resumed'
      : change?.fields.includes('after') === true
        ? 'it stopped running after another job'
        : change === null
          ? 'it was planned again'
          : 'its schedule was changed';
  return `It has not been due since ${what}, at ${timeIn(since, zone)}${byWhom(change)}.`;
}

/** Which instant a local time was taken as; nothing for an instant that was given as one. */
function askedFacts({ asked, zone }: Records): Fact[] {
  const { at, form, text, clocks, again } = asked;
  if (form !== 'local') return [];
  const taken = `is taken as ${timeIn(at, zone)}, ${isoTime(at)}`;
  const values = { at, ...(again !== null && { until: again }) };
  if (clocks === 'skipped') {
    const why = `The clocks of ${zone} never showed ${text}: they were set forward over it.`;
    return [fact('asked', `${why} It ${taken}, when that happened.`, values)];
  }
  if (clocks === 'repeated' && again !== null) {
    const why = `The clocks of ${zone} showed ${text} twice.`;
    const other = `The second time was ${timeIn(again, zone)}, ${isoTime(again)}.`;
    return [fact('asked', `${why} It ${taken}, the first time. ${other}`, values)];
  }
  return [fact('asked', `${text} in ${zone} ${taken}.`, values)];
}

/** The schedule in words, the due times around the time, and what clock changes did to the one explained. */
function scheduleFacts(records: Records, then: number): Fact[] {
  const { asked, dueAt, isDue, before, after, zone, schedules } = records;
  const fields = scheduleThen(records);
  const schedule = scheduleOf(fields);
  const isOfNow = schedules.next === null && schedules.last?.untilAt === null;
  const isPast = schedule.scheduleType === 'once' && schedule.at <= records.now;
  const is = isOfNow && !isPast ? 'is' : 'was';
  const facts = [fact('schedule', scheduleSentence(schedule, is, zone))];
  if (asked.form !== 'now' && !isDue) {
    if (before !== null) {
      facts.push(fact('due', `The due time before is ${timeIn(before, zone)}.`, { at: before }));
    }
    if (after !== null) {
      facts.push(fact('due', `The due time after is ${timeIn(after, zone)}.`, { at: after }));
    }
  }
  const from = Math.min(dueAt ?? before ?? then, then) - 1;
  const { next } = preview(schedule, from, dueAt === null ? 2 : 1);
  const changes = clockChanges(schedule, from, next);
  return [...facts, ...changes.map((note) => fact('clock_change', `Clock change: ${note}.`))];
}

function scheduleSentence(schedule: Schedule, is: 'is' | 'was', zone: string): string {
  if (schedule.scheduleType === 'once') {
    return `It ${is} to be called once, at ${timeIn(schedule.at, zone)}.`;
  }
  const words = scheduleWords(schedule);
  return schedule.scheduleType === 'cron'
    ? `The schedule ${is} ${schedule.cronExpr} in ${schedule.timezone}: ${words}.`
    : `The schedule ${is} an interval: ${words}, counted from ${timeIn(schedule.anchorAt, zone)}.`;
}

/** Whether the job was paused then, and how it was changed since. */
function stateFacts(records: Records, state: StateThen, then: number): Fact[] {
  const { job, changes, zone, now, schedules } = records;
  if (state === 'not_created' || then > now) return [];
  const facts: Fact[] = [];
  const held = wasHeld(schedules, then) ? heldBy(records, then) : null;
  if (held !== null) {
    const { did, from: at, until } = held;
    facts.push(fact('held', `It ${did}.`, { at, until }));
  }
  if (state === 'paused') {
    const at = schedules.last?.untilAt ?? null;
    const since = at === null ? ', since it was created' : sinceText(at, records);
    const is = job.paused ? 'It still is.' : 'It is active now.';
    facts.push(fact('paused', `The job was paused then${since}. ${is}`, at === null ? {} : { at }));
  } else if (state === 'unknown') {
    const why = 'What held then is not known: schedules are kept for 400 days.';
    facts.push(unknown('paused', why));
  }
  const later = changes.filter((one) => one.at > then && one.action === 'job.update').toReversed();
  for (const change of later.slice(0, mostChanges)) {
    const what = `It was changed since, at ${timeIn(change.at, zone)}${byWhom(change)}`;
    facts.push(fact('changed', `${what}: ${change.fields.join(', ')}.`, { at: change.at }));
  }
  return facts;
}
