/** The states of a monitor, for whoever needs no schedule. */

export const monitorStatuses = ['new', 'up', 'late', 'down', 'paused'] as const;
export type MonitorStatus = (typeof monitorStatuses)[number];

/** Why a monitor is down: its task said that it failed, or no ping came in time. */
export const downReasons = ['fail', 'missed'] as const;
export type DownReason = (typeof downReasons)[number];
