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

/** The same in words. */
export function aboutText({ selector, jobs, monitors }: About): string {
  if (selector !== null) return selector;
  if (jobs === null && monitors === null) return 'all';
  const parts = [jobs && counted(jobs, 'job'), monitors && counted(monitors, 'monitor')];
  return parts.filter(Boolean).join(', ') || 'nothing';
}
