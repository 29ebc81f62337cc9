/** What windows are about, in words. */

import { counted } from './counted.ts';
import type { Window } from './windows.ts';

/** What a window is about: labels, or how many jobs and monitors were chosen; all if nothing is said. */
export interface About {
  selector: string | null;
  jobs: number | null;
  monitors: number | null;
}

/** What a window is about, without their ids. */
export function aboutOf({
  selector,
  jobIds,
  monitorIds,
}: Pick<Window, 'selector' | 'jobIds' | 'monitorIds'>): About {
  return { selector, jobs: jobIds?.length ?? null, monitors: monitorIds?.length ?? null };
}

/** Whether nothing is left of what was chosen for a window. */
export function isAboutNothing({ selector, jobs, monitors }: About): boolean {
  return selector === null && (jobs ?? monitors) !== null && !jobs && !monitors;
}

/** What a window is about, in words. */
export function aboutText(about: About): string {
  const { selector, jobs, monitors } = about;
  if (isAboutNothing(about)) return 'nothing';
  if (selector !== null) return selector;
  if (jobs === null && monitors === null) return 'all';
  const parts = [jobs && counted(jobs, 'job'), monitors && counted(monitors, 'monitor')];
  return parts.filter(Boolean).join(', ');
}
