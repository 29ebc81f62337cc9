/** What holds now: whether the target may be called, when the job is due next, and what stands in its way. */

import { hasExpired } from '../../../domain/accounts/account.ts';
import { isOnSchedule } from '../../../domain/jobs/after.ts';
import { upcomingDueTime } from '../../../domain/runs/due.ts';
import type { Fact, Records } from './facts.ts';
import { firstJobWords } from './of-chain.ts';
import { activeWords } from '../../../domain/runs/active.ts';
import { fact, lengthText, unknown } from './words.ts';
import { timeIn } from '../../../domain/schedule/local-time.ts';

/** What the address rule says of the URL now. No request is sent for it. */
export function targetFacts({ target }: Records): Fact[] {
  if (target === null) {
    const sentence =
      'Whether the target may be called now is not known: its name was not looked up in time.';
    return [unknown('target', sentence)];
  }
  if (target.kind === 'allowed') {
    return [
      fact(
        'target',
        'The target may be called now: its address was looked up, and nothing was sent.',
        {
          status: 'allowed',
        },
      ),
    ];
  }
  const { reason, detail } = target;
  const error = `${reason}: ${detail}`;
  const verdict = reason === 'dns' ? 'A call now would fail' : 'The target may not be called now';
  return [fact('target', `${verdict}: ${detail}.`, { status: 'refused', error })];
}

/** The next due time, and obstacles. */
export function nextFacts(records: Records): Fact[] {
  const { job, now, account, troubles, target } = records;
  const zone = job.timezone;
  const isExpired = hasExpired(account, now);
  const next = !isOnSchedule(job) || isExpired ? null : upcomingDueTime(job, now);
  const obstacles: Fact[] = [];
  const add = (sentence: string, values: Partial<Fact> = {}): void => {
    obstacles.push(fact('obstacle', sentence, values));
  };
  if (job.paused) add('The job is paused: it is called again once it is resumed.');
  if (job.after !== null) add(firstJobWords(records));
  if (isExpired) add('The account has expired: its jobs are called again once it is renewed.');
  if (job.activeRunId !== null) {
    const runId = job.activeRunId;
    add(`${activeWords(records.active, zone)}. The next one begins after that.`, { runId });
  }
  if (target?.kind === 'refused') add(`Its target: ${target.detail}.`);
  for (const trouble of troubles) add(`The scheduler is in trouble now: ${trouble}.`);
  if (next === null) {
    const isNever = obstacles.length === 0;
    const sentence = isNever ? 'It is not due again within 41 years.' : 'It has no due time now.';
    return [fact('next', sentence), ...obstacles];
  }
  const wait = next > now ? `in ${lengthText(next - now)}` : `${lengthText(now - next)} ago`;
  const clear = obstacles.length === 0 ? ' Nothing known stands in its way.' : '';
  const sentence = `It is due next at ${timeIn(next, zone)}, ${wait}.${clear}`;
  return [fact('next', sentence, { at: next }), ...obstacles];
}
