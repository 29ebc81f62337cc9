/** What there is to tell of a monitor: that it is down, and that it is up again. */

import type { Edge } from './alert.ts';
import { monitorDocument } from './monitor-document.ts';
import type { Flip } from './monitor.ts';

/** The edge that a flip is, kept under this id; null for the first ping of a monitor that is well. */
export function edgeOfFlip({ monitor, from, to, at }: Flip, id: string): Edge | null {
  if (to !== 'down' && from !== 'down') return null;
  return {
    id,
    type: to === 'down' ? 'monitor.down' : 'monitor.up',
    workspaceId: monitor.workspaceId,
    subjectId: monitor.id,
    runId: null,
    failures: 1,
    data: { monitor: monitorDocument(monitor, at) },
    at,
  };
}
