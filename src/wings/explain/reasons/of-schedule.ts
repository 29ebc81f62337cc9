/** What was asked, the schedule, and the due times around the time. */

import { preview } from '../../../domain/schedule/preview.ts';
import { scheduleOf } from '../../../domain/schedule/schedule.ts';
import { scheduleWords } from '../../../domain/schedule/words.ts';
import { isoTime } from '../../../domain/clock.ts';
import type { DueAround } from './due-around.ts';
import type { ExplainedJob, Fact, Records } from './facts.ts';
import type { HeldThen } from './held-then.ts';
import { byWhom, actorOf, fact, unknown } from './words.ts';
import { timeIn } from '../../../domain/schedule/local-time.ts';

/** Which instant a local time was taken as; nothing for an instant that was given as one. */
export function askedFacts({ asked, job: { timezone: zone } }: Records): Fact[] {
  const { at, form, text, clocks, again } = asked;
  if (form !== 'local') return [];
  const taken = `is taken as ${timeIn(at, zone)} in ${zone}, ${isoTime(at)}`;
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
  return [fact('asked', `${text} ${taken}.`, values)];
}

/** The schedule in words, and whether it held then. */
export function scheduleFacts(job: ExplainedJob, held: HeldThen): Fact[] {
  const { cronExpr, timezone: zone } = job;
  const words = scheduleWords(scheduleOf(job));
  const isCron = job.scheduleType === 'cron';
  const meaning = isCron && cronExpr !== words ? `: ${words}` : '';
  const now = isCron
    ? `The schedule is ${cronExpr} in ${zone}${meaning}.`
    : `The schedule is an interval: ${words}, counted from ${timeIn(job.anchorAt, zone)}.`;
  const facts = [fact('schedule', now, isCron ? {} : { at: job.anchorAt })];
  const { scheduleChangedBy: change, isSameSchedule, isCreated } = held;
  if (change !== null) {
    const changed = `The schedule was changed later, at ${timeIn(change.at, zone)}${byWhom(change)}.`;
    const sentence = `${changed} What it was before is not recorded.`;
    facts.push(unknown('schedule', sentence, { at: change.at, ...actorOf(change) }));
  } else if (isCreated && isSameSchedule === false) {
    const counted = `The interval is counted from ${timeIn(job.anchorAt, zone)}, when it was resumed or changed.`;
    const sentence = `${counted} Its due times before that are not recorded.`;
    facts.push(unknown('schedule', sentence, { at: job.anchorAt }));
  } else if (isCreated && isSameSchedule === null) {
    facts.push(
      unknown(
        'schedule',
        'Whether it was the same then is not known: changes are kept for 400 days.',
      ),
    );
  }
  return facts;
}

/** The due times around the time, and what clock changes did to the one explained. */
export function dueFacts(
  { asked, now, job }: Records,
  { at, before, after }: DueAround,
  dueAt: number | null,
): Fact[] {
  const zone = job.timezone;
  const facts: Fact[] = [];
  if (at !== null && at === dueAt) {
    const verb = at > now ? 'is' : 'was';
    facts.push(fact('due', `It ${verb} due at ${timeIn(at, zone)}.`, { at }));
  }
  if (asked.form !== 'now') facts.push(...neighbours(zone, before, after));
  const from = Math.min(dueAt ?? before ?? asked.at, asked.at) - 1;
  const { notes } = preview(scheduleOf(job), from, dueAt === null ? 2 : 1);
  const changes = notes.filter((note) => note.includes(zone));
  return [...facts, ...changes.map((note) => fact('clock_change', `Clock change: ${note}.`))];
}

function neighbours(zone: string, before: number | null, after: number | null): Fact[] {
  const facts: Fact[] = [];
  if (before !== null) {
    facts.push(fact('due', `The due time before is ${timeIn(before, zone)}.`, { at: before }));
  }
  if (after !== null) {
    facts.push(fact('due', `The due time after is ${timeIn(after, zone)}.`, { at: after }));
  }
  return facts;
}
