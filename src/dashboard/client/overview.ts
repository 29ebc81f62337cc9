/** The counts of the workspace, asked again every few seconds while somebody looks. */

import { signal } from '@preact/signals';
import type { OverviewResponse } from '../../api/overview/contract.ts';
import { ask } from './api.ts';
import { endSession, session } from './session.ts';

/** The counts as the API shows them. */
export type Overview = OverviewResponse['overview'];

/** The last counts that arrived; null before the first ones. */
export const overview = signal<Overview | null>(null);
/** Why there are no newer ones; null if there are. */
export const staleReason = signal<string | null>(null);

const pauseMs = 10_000;

/** Asks now, and then again and again. Returns a function that stops it. */
export function watchOverview(): () => void {
  look();
  const timer = setInterval(look, pauseMs);
  document.addEventListener('visibilitychange', look);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
    overview.value = null;
  };
}

function look(): void {
  if (document.visibilityState === 'visible') void loadOverview();
}

async function loadOverview(): Promise<void> {
  const asker = session.value;
  const answer = await ask<OverviewResponse>('GET', '/overview');
  // Meanwhile another tab may have signed in to another workspace.
  if (session.value !== asker) return;
  if (answer.ok) overview.value = answer.body.overview;
  else if (answer.status === 401) endSession();
  staleReason.value = answer.ok ? null : answer.error;
}
