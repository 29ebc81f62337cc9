/** The time of the server: countdowns and ages are true even if the clock of this machine is not. */

import { computed, signal } from '@preact/signals';

/** How far the clock of this browser is ahead of the server's, in milliseconds. */
const aheadMs = signal(0);

/** The time of the server to the second, in milliseconds since 1970. Ticks while somebody looks. */
export const now = signal(Date.now());

/** Seconds that this browser's clock is ahead (negative: behind) if that is worth saying, else null. */
export const clockDrift = computed(() =>
  Math.abs(aheadMs.value) > 30_000 ? Math.round(aheadMs.value / 1000) : null,
);

/** Learns the time of the server from the `Date` of an answer. */
export function noteServerTime(date: string | null): void {
  const at = date === null ? NaN : Date.parse(date);
  if (Number.isNaN(at)) return;
  // The header has whole seconds.
  const ahead = Date.now() - at - 500;
  if (Math.abs(ahead - aheadMs.value) > 2000) aheadMs.value = ahead;
}

/** Keeps `now` going. */
export function startClock(): void {
  const tick = (): void => {
    if (document.visibilityState === 'visible') now.value = serverTime();
  };
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', tick);
}

/** What the server's clock showed when this browser's showed `at`, both in milliseconds since 1970. */
export function serverTime(at = Date.now()): number {
  const drift = aheadMs.value;
  return at - (Math.abs(drift) > 2000 ? drift : 0);
}
