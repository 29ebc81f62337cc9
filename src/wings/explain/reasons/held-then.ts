/**
 * Which schedule and state of a job held at an instant. This is the one place that knows: today from the job as it is now and
 * the changes that the audit trail names, undone one by one. The trail has no values, so an earlier schedule is not known.
 */

import type { ExplainedJob, JobChange, JobTrail } from './facts.ts';

export interface HeldThen {
  isCreated: boolean;
  /** Null if it is not known. */
  isPaused: boolean | null;
  /** The change that paused or resumed the job last before; null if there was none, or it is not kept. */
  pausedBy: JobChange | null;
  /** Whether the schedule was the one of now; null if it is not known. */
  isSameSchedule: boolean | null;
  /** The first later change of the schedule; null if there was none. */
  scheduleChangedBy: JobChange | null;
  /** Later changes of other fields, the first one first. */
  laterChanges: JobChange[];
}

/** What held at `at`, in epoch milliseconds. */
export function heldAt(
  job: ExplainedJob,
  { changes, completeSince }: JobTrail,
  at: number,
): HeldThen {
  const later = changes.filter((change) => change.at > at).toReversed();
  const isKnown = at >= completeSince;
  const toggles = later.filter(isPause).length;
  const isPaused = toggles % 2 === 0 ? job.paused : !job.paused;
  const changed = later.find(({ fields }) => fields.includes('schedule')) ?? null;
  // A resumption, too, counts a period from then on.
  const isMoved =
    job.scheduleType === 'period' && at < job.anchorAt && job.anchorAt > job.createdAt;
  return {
    isCreated: at >= job.createdAt,
    isPaused: isKnown ? isPaused : null,
    pausedBy: changes.find((change) => change.at <= at && isPause(change)) ?? null,
    isSameSchedule: changed !== null || isMoved ? false : isKnown ? true : null,
    scheduleChangedBy: changed,
    laterChanges: later.filter(
      ({ action, fields }) =>
        action === 'job.update' &&
        fields.some((field) => field !== 'schedule' && field !== 'paused'),
    ),
  };
}

/** Whether a job ran after another one at a time, as far as its changes tell, so that it had no due times. */
export function isChainedAt(
  { after }: Pick<ExplainedJob, 'after'>,
  { changes, completeSince }: JobTrail,
  at: number,
): boolean {
  const later = changes.filter((change) => change.at > at && change.fields.includes('after'));
  // A job that follows none now has stopped to by the newest of these changes; those before it may have been anything.
  return after === null ? later.length === 1 && at >= completeSince : later.length === 0;
}

/**
 * When the schedule that the job has at `at` began to count, in epoch milliseconds. Its first due time is later: the moment
 * that an interval is counted from is none.
 */
export function scheduleBeganAt(
  job: Pick<ExplainedJob, 'createdAt' | 'scheduleType' | 'anchorAt'>,
  { changes }: Pick<JobTrail, 'changes'>,
  at: number,
): number {
  const changedAt = changes.find((change) => change.at <= at && isNewSchedule(change))?.at ?? 0;
  const countedAt = job.scheduleType === 'period' ? job.anchorAt : 0;
  return Math.max(job.createdAt, changedAt, countedAt);
}

/** Whether a change gave a job another schedule, or put it on its schedule after it had followed another job. */
export function isNewSchedule({ fields }: Pick<JobChange, 'fields'>): boolean {
  return fields.includes('schedule') || fields.includes('after');
}

/** Whether a change paused or resumed the job: each of them is the opposite of the one before. */
function isPause({ action, fields }: JobChange): boolean {
  return action === 'job.pause' || action === 'job.resume' || fields.includes('paused');
}
