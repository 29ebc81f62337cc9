/** Spans of calls for a collector of OpenTelemetry. */

import type { Wing } from '../../serve/house.ts';

export const tracing: Wing = {
  daemon: async () => (await import('./start.ts')).sendSpans,
};
