/** What the log says about a monitor that changed (docs/logs.md). */

import { isoTime } from '../clock.ts';
import type { Monitor, MonitorChange } from './monitor.ts';

/** The part of a change that the log needs. */
export interface LoggedChange extends Omit<MonitorChange, 'monitor'> {
  monitor: Pick<Monitor, 'id' | 'workspaceId' | 'name' | 'missedDueAt'>;
}

/** The level and the fields of the line; `workspace` is null while there is one. A line written later says when the change was. */
export function loggedChange(
  { monitor, from, to, at }: LoggedChange,
  workspace: string | null,
  { isLate = false } = {},
) {
  const { id: monitorId, name, missedDueAt } = monitor;
  const names = { ...(workspace !== null && { workspace }), monitor: name, monitorId };
  const when = {
    ...(isLate && { since: isoTime(at) }),
    ...(missedDueAt !== null && { dueAt: isoTime(missedDueAt) }),
  };
  return {
    level: to === 'down' ? 'warn' : 'info',
    fields: { ...names, from, to, ...when },
  } as const;
}
