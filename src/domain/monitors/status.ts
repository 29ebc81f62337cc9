/** The states of a monitor, for whoever needs no schedule. */

export const monitorStatuses = ['new', 'up', 'late', 'down', 'paused'] as const;
export type MonitorStatus = (typeof monitorStatuses)[number];

/** Why a monitor is down: its task said that it failed, or no success came in time. */
export const downReasons = ['fail', 'missed'] as const;
export type DownReason = (typeof downReasons)[number];

/** Why a monitor is late or down at `now`, in epoch milliseconds, in words. `at` says when it was due. */
export function whyDown(
  { downReason, nextDueAt }: { downReason: DownReason | null; nextDueAt: string | null },
  now: number,
  at = (due: string): string => `at ${due}`,
): string {
  if (downReason === 'fail') return 'its task reported a failure';
  // One that was changed or resumed since then expects its next ping in the future.
  const isDue = nextDueAt !== null && Date.parse(nextDueAt) <= now;
  return isDue
    ? `no successful ping since it was due ${at(nextDueAt)}`
    : 'no successful ping came in time';
}
