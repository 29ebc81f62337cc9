/** The state of the job, its account and its plan: then and now. */

import { plans } from '../../../domain/accounts/plan.ts';
import type { Fact, JobChange, Records } from './facts.ts';
import type { HeldThen } from './held-then.ts';
import { actorOf, byWhom, fact, unknown } from './words.ts';
import { timeIn } from '../../../domain/schedule/local-time.ts';

/** Changes that are told one by one. */
const mostChanges = 5;

/** Whether the job existed, was paused or was another one then. */
export function stateFacts({ job, trail, now }: Records, held: HeldThen, then: number): Fact[] {
  const zone = job.timezone;
  const created = trail.changes.find(({ action }) => action === 'job.create');
  const by = created ?? { who: null };
  if (!held.isCreated) {
    const sentence = `The job did not exist yet: it was created at ${timeIn(job.createdAt, zone)}${byWhom(by)}.`;
    return [fact('created', sentence, { at: job.createdAt, ...actorOf(by) })];
  }
  // What will be is not known; what stands in the way now is told at the end.
  if (then > now) return [];
  const pause = pauseOf({ job, trail }, held);
  const changes = held.laterChanges.slice(0, mostChanges);
  const facts = [
    then === now ? pausedNowFact(job.paused, pause) : pausedFact(job.paused, held, pause),
    ...changes.map((one) => changedFact(one, zone)),
  ];
  const more = held.laterChanges.length - mostChanges;
  if (more > 0)
    facts.push(fact('changed', `It was changed ${more} more times since.`, { count: more }));
  return facts;
}

/** The same for a question about now. */
function pausedNowFact(isPaused: boolean, { since, values }: Pause): Fact {
  if (!isPaused) return fact('paused', 'The job is active, not paused.');
  return fact('paused', `The job is paused${since}.`, values);
}

interface Pause {
  /** Since when, in words; empty if it is not kept. */
  since: string;
  values: Partial<Fact>;
}

function pauseOf(
  { job, trail }: Pick<Records, 'job' | 'trail'>,
  { pausedBy }: Pick<HeldThen, 'pausedBy'>,
): Pause {
  const zone = job.timezone;
  if (pausedBy === null) return { since: madePaused(trail, job), values: {} };
  const since = `: it was paused at ${timeIn(pausedBy.at, zone)}${byWhom(pausedBy)}`;
  return { since, values: { at: pausedBy.at, ...actorOf(pausedBy) } };
}

function pausedFact(isPausedNow: boolean, held: HeldThen, { since, values }: Pause): Fact {
  const { isPaused } = held;
  if (isPaused === null) {
    const now = isPausedNow ? 'It is paused now.' : 'It is active now.';
    return unknown(
      'paused',
      `${now} Whether it was paused then is not known: changes are kept for 400 days.`,
    );
  }
  if (!isPaused) {
    const now = isPausedNow ? ' It is paused now.' : '';
    return fact('paused', `The job was active then, not paused.${now}`);
  }
  const now = isPausedNow ? 'It still is.' : 'It is active now.';
  return fact('paused', `The job was paused then${since}. ${now}`, values);
}

function changedFact(change: JobChange, zone: string): Fact {
  const { at, fields } = change;
  const sentence = `It was changed since, at ${timeIn(at, zone)}${byWhom(change)}: ${fields.join(', ')}.`;
  return fact('changed', sentence, { at, ...actorOf(change) });
}

/** `, since it was created`: of a paused job without a change that paused it; nothing if changes since then are not kept. */
export function madePaused(
  { completeSince }: Pick<Records['trail'], 'completeSince'>,
  { createdAt }: Pick<Records['job'], 'createdAt'>,
): string {
  return completeSince <= createdAt ? ', since it was created' : '';
}

/** Whether the account had expired then or has now; and what its plan limits of this job. */
export function accountFacts({ job, account, now }: Records, then: number): Fact[] {
  const { plan, expiresAt, renewedAt } = account;
  const zone = job.timezone;
  const facts: Fact[] = [];
  if (expiresAt !== null && expiresAt <= Math.max(now, then)) {
    const sentence = `The account expired at ${timeIn(expiresAt, zone)}. From then on its jobs are not called.`;
    facts.push(fact('account', sentence, { at: expiresAt }));
  } else if (isBeforeRenewal(account, then, now)) {
    const sentence = `The account had expired once and was renewed at ${timeIn(renewedAt ?? 0, zone)}. Due times between are neither called nor missed. When it had expired is not recorded.`;
    facts.push(unknown('account', sentence, { at: renewedAt ?? 0 }));
  }
  const { maxTimeoutSeconds } = plans[plan];
  if (job.timeoutSeconds > maxTimeoutSeconds) {
    const sentence = `The plan ${plan} ends calls after ${maxTimeoutSeconds} s, before the ${job.timeoutSeconds} s of the job.`;
    facts.push(fact('plan', sentence));
  }
  return facts;
}

/** Whether the account was renewed after an instant, so that it may have been expired then. */
export function isBeforeRenewal(
  { renewedAt }: Pick<Records['account'], 'renewedAt'>,
  then: number,
  now: number,
): boolean {
  return renewedAt !== null && renewedAt >= then && renewedAt <= now;
}
