import { inTwoUnits } from '../durations.ts';
import { isOver } from '../jobs/actions.ts';
import type { Job } from '../jobs/job.ts';
import { deletionAt, keptUntil } from '../jobs/spent.ts';
import { notDueAgain, preview, type Preview } from '../schedule/preview.ts';
import { timeIn } from '../schedule/local-time.ts';
import { scheduleOf, type ScheduleFields } from '../schedule/schedule.ts';
import { scheduleWords } from '../schedule/words.ts';
import { coveredUntil, type Window } from '../windows.ts';
import { holdsOf, upcomingDueTime, type DueTimeFields } from './due.ts';

export interface DueTimesOfJob extends Preview {
  /** The schedule, without its zone. */
  words: string;
}

/**
 * The next due times of a job at `now` but those that are held; the first is `upcomingDueTime`. A job that is not called on schedule has none,
 * and a note says why.
 */
export function dueTimesOf(
  job: DueTimeFields & Pick<Job, 'paused'> & Parameters<typeof deletionWords>[0],
  {
    now,
    count,
    isExpired,
    holds = [],
  }: { now: number; count: number; isExpired: boolean; holds?: readonly Window[] | undefined },
): DueTimesOfJob {
  const schedule = scheduleOf(job);
  const words = scheduleWords(schedule);
  const first = upcomingDueTime(job, now, holds);
  const deletion = deletionWords(job);
  const more = deletion === null ? [] : [deletion];
  if (!isExpired && first !== null) {
    const { next, notes } = preview(schedule, first - 1, count);
    const its = holdsOf(schedule, holds);
    const isCalled = (at: number): boolean => coveredUntil(its, at) === null;
    return { words, next: next.filter(isCalled), notes: [...notes, ...more] };
  }
  const notes = [
    ...(isExpired ? ['the account has expired: its jobs are called again once it is renewed'] : []),
    ...(job.after !== null
      ? ['the job runs after another one: it has no due times of its own']
      : []),
    ...(job.paused ? [pausedWords(job, now)] : []),
    ...(!isExpired && upcomingDueTime(job, now) !== null
      ? ['windows hold its next due times']
      : []),
  ];
  return {
    words,
    next: [],
    notes: [...(notes.length > 0 ? notes : [whyOver(job)]), ...more],
  };
}

/** What it means that a job is paused. */
export function pausedWords(job: Parameters<typeof isOver>[0], now: number): string {
  if (!isOver(job, now)) return 'the job is paused: it is called again once it is resumed';
  return 'the job is paused, and its time has passed: set a later one to have it called';
}

/** Why a job has no due time although it is on its schedule. */
export function whyOver(job: ScheduleFields & Pick<Job, 'lastRunAt'>): string {
  const schedule = scheduleOf(job);
  if (schedule.scheduleType !== 'once' || job.lastRunAt !== null) {
    return notDueAgain(schedule, 'within 41 years');
  }
  const at = timeIn(schedule.at, schedule.timezone);
  return `its time is over: it was due once, at ${at}, and was not called. Replay its missed run, or set another runAt`;
}

/** When a job deletes itself, in words; null if it does not. */
export function deletionWords(
  job: Parameters<typeof deletionAt>[0] &
    Pick<Job, 'after' | 'nextRunAt' | 'lastRunAt' | 'lastDurationMs' | 'timezone'>,
): string | null {
  const { deleteAfterSeconds, nextRunAt, lastRunAt, timezone } = job;
  if (deleteAfterSeconds === null || deletionAt(job) === null || job.after !== null) return null;
  if (nextRunAt === null && lastRunAt !== null) {
    return `it deletes itself after ${timeIn(keptUntil(job), timezone)}`;
  }
  const length =
    deleteAfterSeconds === 0 ? '' : `${inTwoUnits(deleteAfterSeconds, { minute: 'min' })} `;
  return `it deletes itself ${length}after its last run`;
}
