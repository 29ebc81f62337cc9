/** Changes to a job, a monitor or a channel, from any page. What came of it is said in a toast. */

import { pageOf } from '../../view/places.ts';
import type { Kind } from '../../view/places.ts';
import { change } from '../session/session.ts';
import { tell } from '../told.ts';

/** What is changed, as toasts name it. */
export interface Named {
  id: string;
  name: string;
}

/** Changes fields; `done` is what it is then, as in `backup is paused.` Resolves with whether it was done. */
export async function update(
  kind: Kind,
  { id, name }: Named,
  fields: object,
  done: string,
): Promise<boolean> {
  const answer = await change('PATCH', pageOf(kind, id), fields);
  tell(answer.ok ? { text: `${name} is ${done}.` } : { text: answer.error, isProblem: true });
  return answer.ok;
}

/** Pauses or resumes a job or a monitor. Resolves with whether it was done. */
export function setPaused(
  kind: 'job' | 'monitor',
  subject: Named,
  paused: boolean,
): Promise<boolean> {
  const action = paused ? 'pause' : 'resume';
  return update(kind, subject, { action }, `${action}d`);
}
