/** What holds now: whether the target may be called, when the job is due next, and what stands in its way. */

import { hasExpired } from '../../domain/accounts/account.ts';
import { plans } from '../../domain/accounts/plan.ts';
import { asSentence } from '../../domain/fields.ts';
import { isOnSchedule } from '../../domain/jobs/after.ts';
import { afterOnVerbs, type AfterOn } from '../../domain/jobs/after-words.ts';
import { activeWords } from '../../domain/runs/active.ts';
import { conditionsMet } from '../../domain/runs/chained.ts';
import { upcomingDueTime } from '../../domain/runs/due.ts';
import { deletionWords, pausedWords, whyOver } from '../../domain/runs/due-times.ts';
import { timeIn } from '../../domain/schedule/local-time.ts';
import { coveredUntil, periodAt } from '../../domain/windows.ts';
import { byWhom, fact, lengthText, unknown, type Fact } from './facts.ts';
import { outcomeWords } from './of-run.ts';
import type { Records } from './records.ts';
import { isPause } from './schedule-then.ts';

/** Since when the job is down. */
export function downFacts({ job, failingSince: at, zone }: Records): Fact[] {
  if (job.health !== 'down' || at === null) return [];
  return [fact('alert', `It has been down since ${timeIn(at, zone)}.`, { at })];
}

/** What the address rule says of the URL now. No request is sent for it. */
export function targetFacts({ target }: Records): Fact[] {
  if (target === null) {
    const sentence =
      'Whether the target may be called now is not known: its name was not looked up in time.';
    return [unknown('target', sentence)];
  }
  if (target.kind === 'allowed') {
    const sentence =
      'The target may be called now: its address was looked up, and nothing was sent.';
    return [fact('target', sentence)];
  }
  const { reason, detail } = target;
  const verdict = reason === 'dns' ? 'A call now would fail' : 'The target may not be called now';
  return [fact('target', `${verdict}: ${detail}.`)];
}

/** What holds the job at an instant: from when to when, and by which window; null if nothing does. */
export function heldBy({ holds, now, zone }: Pick<Records, 'holds' | 'now' | 'zone'>, at: number) {
  const window = holds.find((one) => periodAt(one, at) !== null);
  const period = window && periodAt(window, at);
  if (window === undefined || !period) return null;
  const { from } = period;
  const until = coveredUntil(holds, at) ?? period.until;
  const words = `from ${timeIn(from, zone)} to ${timeIn(until, zone)} by the window ${window.name}`;
  return { from, until, words, did: `${until > now ? 'is' : 'was'} held ${words}` };
}

/** The next due time, and obstacles. */
export function nextFacts(records: Records): Fact[] {
  const { job, now, plan, problems, target, zone } = records;
  const isExpired = hasExpired(records, now);
  const { maxTimeoutSeconds } = plans[plan];
  const next = !isOnSchedule(job) || isExpired ? null : upcomingDueTime(job, now, records.holds);
  const obstacles: Fact[] = [];
  const add = (sentence: string, values: Partial<Fact> = {}): void => {
    obstacles.push(fact('obstacle', sentence, values));
  };
  const held = heldBy(records, now);
  if (held !== null) add(`It is held ${held.words}.`, { at: held.from, until: held.until });
  if (job.paused) {
    const pause = records.changes.find(isPause);
    const when = pause && ` It was paused at ${timeIn(pause.at, zone)}${byWhom(pause)}.`;
    add(`${asSentence(pausedWords(job, now))}${when ?? ''}`);
  }
  if (job.after !== null) add(firstJobWords(records));
  if (isExpired) add('The account has expired: its jobs are called again once it is renewed.');
  if (job.activeRunId !== null) {
    const runId = job.activeRunId;
    const goesOn = activeWords(records.active, zone);
    add(`${asSentence(goesOn)} The next one begins after that.`, { runId });
  }
  for (const problem of problems) add(`The scheduler has a problem now: ${problem}.`);
  const isCut = job.timeoutSeconds > maxTimeoutSeconds;
  const most = `The plan ${plan} ends calls after ${maxTimeoutSeconds} s`;
  if (isCut) add(`${most}, before the ${job.timeoutSeconds} s of the job.`);
  const isHeldOn = next === null && !isExpired && upcomingDueTime(job, now) !== null;
  if (isHeldOn) add('Windows hold all of its next due times.');
  const deletion = deletionWords(job);
  const after = deletion === null ? '' : ` ${asSentence(deletion)}`;
  if (next === null) {
    const never = asSentence(whyOver(job));
    const none = obstacles.length === 0 ? never : 'It has no due time now.';
    return [fact('next', `${none}${after}`), ...obstacles];
  }
  const wait = next > now ? `in ${lengthText(next - now)}` : `${lengthText(now - next)} ago`;
  const isClear = obstacles.length === 0 && target?.kind !== 'refused';
  const clear = isClear ? ' Nothing known stands in its way.' : '';
  return [
    fact('next', `It is due next at ${timeIn(next, zone)}, ${wait}.${clear}${after}`, { at: next }),
    ...obstacles,
  ];
}

/** The job that it runs after, what keeps that from running, and whether its newest run started this job. */
export function firstJobWords({
  job: { after },
  firstJob,
  zone,
}: Pick<Records, 'job' | 'firstJob' | 'zone'>) {
  if (after === null) return '';
  const name = firstJob?.name ?? after.jobId;
  const rule = `It runs after ${name} ${afterOnVerbs[after.on]}, and its own schedule does not count.`;
  if (firstJob === null) return rule;
  const isHeld = firstJob.paused
    ? ` ${name} is paused: until it is resumed, only its runs by hand can start this job.`
    : '';
  const isNext = firstJob.isChained ? ` ${name} runs after another job itself.` : '';
  return `${rule}${isHeld}${isNext} ${newestWords(firstJob, after.on, zone)}`;
}

function newestWords(
  { name, run, startedRunId }: NonNullable<Records['firstJob']>,
  on: AfterOn,
  zone: string,
): string {
  if (run === null) return `No run of ${name} is kept.`;
  const { id, status, finishedAt, scheduledFor } = run;
  const newest = `The newest run of ${name} (${id}):`;
  const how = outcomeWords(run, zone);
  if (status === 'queued' || status === 'running') return `${newest} ${how}.`;
  const ended = `${newest} ${how}, at ${timeIn(finishedAt ?? scheduledFor, zone)}.`;
  if (startedRunId !== null) return `${ended} It started run ${startedRunId} of this job.`;
  if (!conditionsMet(status).includes(on)) return `${ended} Such an end does not start this job.`;
  return `${ended} No run of this job that it started is kept: such an end starts this job, unless this job is paused or has a queued run already.`;
}
