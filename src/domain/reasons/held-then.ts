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

/** Whether a change paused or resumed the job: each of them is the opposite of the one before. */
function isPause({ action, fields }: JobChange): boolean {
  return action === 'job.pause' || action === 'job.resume' || fields.includes('paused');
}
