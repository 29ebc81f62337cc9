/** The states of a monitor, for whoever needs no schedule. */

export const monitorStatuses = ['new', 'up', 'late', 'down', 'paused'] as const;
export type MonitorStatus = (typeof monitorStatuses)[number];

/** Why a monitor is down: its task said that it failed, or no success came in time. */
export const downReasons = ['fail', 'missed'] as const;
export type DownReason = (typeof downReasons)[number];

/** Why a monitor is late or down, in words: no success since it was due (ISO 8601), or null after a failure. `at` says when. */
export function whyDown(dueAt: string | null, at = (due: string): string => `at ${due}`): string {
  if (dueAt === null) return 'its task reported a failure';
  return `no successful ping since it was due ${at(dueAt)}`;
}
