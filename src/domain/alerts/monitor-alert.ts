/** What there is to tell of a monitor: that it is down, and that it is up again. */

import type { Edge } from './alert.ts';
import { newId } from '../id.ts';
import { monitorDocument } from '../monitors/document.ts';
import type { Flip } from '../monitors/monitor.ts';

/** The edges among flips: not the first ping of a monitor that is well. */
export function edgesOf(flips: readonly Flip[]): Edge[] {
  return flips.filter(({ from, to }) => to === 'down' || from === 'down').map(edgeOf);
}

function edgeOf({ monitor, to, at }: Flip): Edge {
  return {
    id: newId(at),
    type: to === 'down' ? 'monitor.down' : 'monitor.up',
    workspaceId: monitor.workspaceId,
    subjectId: monitor.id,
    runId: null,
    failures: to === 'down' ? 1 : 0,
    data: { monitor: monitorDocument(monitor, at) },
    at,
  };
}
