/** The states of a monitor, for whoever needs no schedule. */

export const monitorStatuses = ['new', 'up', 'late', 'down', 'paused'] as const;
export type MonitorStatus = (typeof monitorStatuses)[number];

/**
 * Whether one that is late or down lacks the ping that was due; else its last ping reported a failure, which expects the next one in
 * the future. `now` in epoch milliseconds.
 */
export function lacksPing({ nextDueAt }: { nextDueAt: string | null }, now: number): boolean {
  return nextDueAt !== null && Date.parse(nextDueAt) <= now;
}
