/** What people do with a monitor, from any page. It is said in a toast. */

import type { MonitorResponse } from '../../../api/monitors/contract.ts';
import { change } from '../session/session.ts';
import { tell } from '../told.ts';

interface Named {
  id: string;
  name: string;
}

/** Pauses or resumes a monitor. Resolves with whether it was done. */
export async function setMonitorPaused({ id, name }: Named, paused: boolean): Promise<boolean> {
  const action = paused ? 'pause' : 'resume';
  const answer = await change<MonitorResponse>('PATCH', `/monitors/${id}`, { action });
  if (answer.ok) tell({ text: `${name} is ${paused ? 'paused' : 'resumed'}.` });
  else tell({ text: answer.error, isProblem: true });
  return answer.ok;
}
