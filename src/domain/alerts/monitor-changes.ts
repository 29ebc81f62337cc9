/** Health changes of monitors. Beside `health-change.ts`, as this needs schedules and their libraries, which commands do not load. */

import type { HealthChange } from './health-change.ts';
import { newId } from '../id.ts';
import { monitorDocument } from '../monitors/document.ts';
import type { MonitorChange } from '../monitors/monitor.ts';

/** The health changes of monitors. The first ping of a monitor that is well is none. */
export function monitorHealthChanges(changes: readonly MonitorChange[]): HealthChange[] {
  return changes
    .filter(({ from, to }) => to === 'down' || from === 'down')
    .map(({ monitor, to, at }) => ({
      id: newId(at),
      type: to === 'down' ? 'monitor.down' : 'monitor.up',
      workspaceId: monitor.workspaceId,
      subjectId: monitor.id,
      runId: null,
      failures: to === 'down' ? 1 : 0,
      data: { monitor: monitorDocument(monitor, at) },
      at,
    }));
}
