/**
 * Damping: how often one channel is alerted about one job or monitor. The rule, whole:
 *
 * - A health change is alerted at once, unless the last alert was less than a window ago. The window is 30 s after each of
 *   the first ten alerts, then 5 min. The count starts again after 15 min without a change.
 * - A change within the window is held back. When the window ends, the last state counts: if it differs from the last
 *   alert, one alert is sent; if not, none is. While a subject is muted, a change is held back in the same way.
 */

import { mutesAt, whatIsDone, type Window } from '../windows.ts';
import { isRecovery, type HealthChange } from './health-change.ts';

/** What a channel knows about a job or monitor. Times are epoch milliseconds. */
export interface AlertState {
  /** By the last alert. */
  health: 'up' | 'down';
  /** Alerts since the last 15 min without a change. */
  alerts: number;
  /** When the health changed last. */
  changedAt: number;
  /** When the window after the last alert ends. */
  quietUntil: number;
  /** The last change, if it is held back. */
  held: HealthChange | null;
  /** If it is held back since its subject is muted: when to look again. It is not kept. */
  mutedUntil?: number;
}

/** The next state, and the change to alert of, if any. */
export interface Damped {
  state: AlertState;
  alert: HealthChange | null;
}

/** The state of a channel that was never alerted. */
const initialState: AlertState = {
  health: 'up',
  alerts: 0,
  changedAt: -Infinity,
  quietUntil: 0,
  held: null,
};

const shortWindowMs = 30_000;
const longWindowMs = 300_000;
/** Alerts followed by a short window. */
const shortWindows = 10;
const calmMs = 900_000;

/** What is muted is looked at again within this. */
const lookAgainMs = longWindowMs;

/** No state is due later than this from now, unless the clock was set back. */
export const longestMemoryMs = calmMs;

/** What follows from a change at `now` for a channel that serves its subject, which is muted until `mutedUntil`. */
export function afterChange(
  before: AlertState | undefined,
  change: HealthChange,
  now: number,
  mutedUntil = 0,
): Damped {
  const known = before ?? initialState;
  if (known.held === null && known.health === healthAfter(change))
    return { state: known, alert: null };
  const alerts = now - known.changedAt >= calmMs ? 0 : known.alerts;
  const state = { ...known, alerts, changedAt: now, held: null };
  if (known.health === healthAfter(change)) return { state, alert: null };
  return release({ ...state, held: change }, now, mutedUntil);
}

/** Releases the change that is held back, once the window is over and its subject is not muted, which is looked at again and again. */
export function release(state: AlertState, now: number, mutedUntil = 0): Damped {
  const { held, quietUntil } = state;
  const isQuiet = now < quietUntil && quietUntil <= now + longWindowMs;
  if (held !== null && now < mutedUntil) {
    const lookAt = Math.min(mutedUntil, now + lookAgainMs);
    return { state: { ...state, mutedUntil: lookAt }, alert: null };
  }
  if (held === null || isQuiet) return { state, alert: null };
  const alerts = state.alerts + 1;
  const windowMs = alerts > shortWindows ? longWindowMs : shortWindowMs;
  const next = {
    ...state,
    health: healthAfter(held),
    alerts,
    quietUntil: now + windowMs,
    held: null,
  };
  return { state: next, alert: held };
}

/** When a state must be released or can be forgotten, without another change; null if never. */
export function dueAt(state: AlertState): number | null {
  const { health, changedAt, quietUntil, held, mutedUntil } = state;
  if (held !== null) return mutedUntil ?? quietUntil;
  return health === 'up' ? changedAt + calmMs : null;
}

function healthAfter(change: HealthChange): 'up' | 'down' {
  return isRecovery(change) ? 'up' : 'down';
}

/**
 * Whether windows may mute something for a shorter time than before: one that mutes at `now` was ended, ends before what is held
 * back is looked at again, or is about other things.
 */
export function unmutes(before: readonly Window[], after: readonly Window[], now: number): boolean {
  return mutesAt(before, [now]).some(({ window, until }) => {
    const its = after.filter(({ id }) => id === window.id);
    const [mute] = mutesAt(its, [now]);
    const isSooner = mute === undefined || (mute.until < until && mute.until < now + lookAgainMs);
    return isSooner || whatIsDone(mute.window) !== whatIsDone(window);
  });
}
