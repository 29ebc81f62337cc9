/** The next due times of a job, for people. */

import type { Job } from '../jobs/job.ts';
import { notDueAgain, preview, type Preview } from '../schedule/preview.ts';
import { scheduleOf } from '../schedule/schedule.ts';
import { scheduleWords } from '../schedule/words.ts';
import { upcomingDueTime, type DueTimeFields } from './due.ts';

/** When a job is due. */
export interface DueTimesOfJob extends Preview {
  /** The schedule, without its zone. */
  words: string;
}

/**
 * The next due times of a job at `now`; the first is `upcomingDueTime`. A job that is not called on schedule has none,
 * and a note says why.
 */
export function dueTimesOf(
  job: DueTimeFields & Pick<Job, 'paused' | 'after'>,
  { now, count, isExpired }: { now: number; count: number; isExpired: boolean },
): DueTimesOfJob {
  const schedule = scheduleOf(job);
  const words = scheduleWords(schedule);
  const first = upcomingDueTime(job, now);
  if (!isExpired && first !== null) return { words, ...preview(schedule, first - 1, count) };
  const notes = [
    ...(isExpired ? ['the account has expired: its jobs are called again once it is renewed'] : []),
    ...(job.after !== null
      ? ['the job runs after another one: it has no due times of its own']
      : []),
    ...(job.paused ? ['the job is paused: it is called again once it is resumed'] : []),
  ];
  return {
    words,
    next: [],
    notes: notes.length > 0 ? notes : [notDueAgain(schedule, 'within 41 years')],
  };
}
