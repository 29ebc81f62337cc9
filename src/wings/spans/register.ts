/** Spans of calls for a collector of OpenTelemetry. */

import type { House } from '../../serve/house.ts';

/** Adds it to the house. */
export function register(house: House): void {
  house.daemon(async () => (await import('./start.ts')).sendSpans);
}
