/** What the log says about a monitor that changed (docs/logs.md). */

import { isoTime } from '../clock.ts';
import type { MonitorChange } from './monitor.ts';

/** The level and the fields of the line. `workspace` is null while there is only one. */
export function loggedChange({ monitor, from, to, at }: MonitorChange, workspace: string | null) {
  const { id: monitorId, name, nextDueAt } = monitor;
  // Without a ping it stays due; a ping that reports a failure makes the next one due.
  const dueAt = to === 'down' && nextDueAt !== null && nextDueAt <= at ? isoTime(nextDueAt) : null;
  const names = { ...(workspace !== null && { workspace }), monitor: name, monitorId };
  const level = to === 'down' ? 'warn' : 'info';
  return { level, fields: { ...names, from, to, ...(dueAt !== null && { dueAt }) } } as const;
}
