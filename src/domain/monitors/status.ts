/** The states of a monitor, for whoever needs no schedule. */

export const monitorStatuses = ['new', 'up', 'late', 'down', 'paused'] as const;
export type MonitorStatus = (typeof monitorStatuses)[number];
