/**
 * Damping: how often one channel is alerted of one job or monitor. The rule, whole:
 *
 * - A change is alerted at once, unless the last alert was less than a window ago. The window is 30 s after each of the
 *   first ten alerts, then 5 min. The count starts again after 15 min without a change.
 * - A change within the window is held back. At its end the last state counts: if it is not the one that was alerted
 *   last, that is alerted now; if it is, nothing is.
 */

import { isRecovery } from './alert.ts';
import type { Edge } from './alert.ts';

/** What a channel knows of a job or monitor. Times are epoch milliseconds. */
export interface Alerted {
  /** What it was alerted of last. */
  health: 'up' | 'down';
  /** Alerts since the subject was calm last. */
  alerts: number;
  /** When the subject changed last. */
  changedAt: number;
  /** There is no alert before. */
  quietUntil: number;
  /** The last change, if it is held back. */
  held: Edge | null;
}

/** What follows from a change, or from the end of a window: what is known now, and what to alert of. */
export interface Damped {
  alerted: Alerted;
  alert: Edge | null;
}

/** What a channel knows that was never alerted. */
const neverAlerted: Alerted = {
  health: 'up',
  alerts: 0,
  changedAt: -Infinity,
  quietUntil: 0,
  held: null,
};

const shortWindowMs = 30_000;
const longWindowMs = 300_000;
/** Alerts that are followed by a short window. */
const shortWindows = 10;
const calmMs = 900_000;

/** No window, and nothing that is remembered, ends later than this from now: else the clock was set back. */
export const longestMemoryMs = calmMs;

/** What follows from a change at `now` for a channel that serves its subject. */
export function afterChange(before: Alerted | undefined, edge: Edge, now: number): Damped {
  const known = before ?? neverAlerted;
  const alerts = now - known.changedAt >= calmMs ? 0 : known.alerts;
  const changed = { ...known, alerts, changedAt: now, held: null };
  if (known.health === healthOf(edge)) return { alerted: changed, alert: null };
  return release({ ...changed, held: edge }, now);
}

/** Alerts of the change that is held back, once the window is over. */
export function release(alerted: Alerted, now: number): Damped {
  const { held, quietUntil } = alerted;
  const isQuiet = now < quietUntil && quietUntil <= now + longWindowMs;
  if (held === null || isQuiet) return { alerted, alert: null };
  const alerts = alerted.alerts + 1;
  const windowMs = alerts > shortWindows ? longWindowMs : shortWindowMs;
  const after = {
    ...alerted,
    health: healthOf(held),
    alerts,
    quietUntil: now + windowMs,
    held: null,
  };
  return { alerted: after, alert: held };
}

/** When something is to be done though nothing changes; null if never. */
export function lookAt({ health, changedAt, quietUntil, held }: Alerted): number | null {
  if (held !== null) return quietUntil;
  return health === 'up' ? changedAt + calmMs : null;
}

function healthOf(edge: Edge): 'up' | 'down' {
  return isRecovery(edge) ? 'up' : 'down';
}
