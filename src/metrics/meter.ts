/** Counts the work of the engine: lateness for the API, and metrics if the operator wants them. */

import type { Clock } from '../domain/clock.ts';
import type { Lateness, Meter } from '../domain/runs/meter.ts';
import type { Log } from '../log.ts';
import { createLatenessWindow } from './lateness.ts';
import type { Gauges, Metrics } from './metrics.ts';
import { startMetricsServer } from './server.ts';
import type { ListenAddress, MetricsServer } from './server.ts';

/** Disposing of it stops the metrics server, if there is one. */
export interface Meters extends Meter, AsyncDisposable {
  readonly lateness: () => Lateness;
}

export interface MetersParts {
  clock: Clock;
  log: Log;
  /** Where metrics are served; null if they are not. */
  listen: ListenAddress | null;
  gauges: Omit<Gauges, 'lateness'>;
}

/** Starts to count. Rejects if metrics cannot be served. */
export async function startMeters({ clock, log, listen, gauges }: MetersParts): Promise<Meters> {
  const { note, read: lateness } = createLatenessWindow(clock);
  let metrics: Metrics | undefined;
  let server: MetricsServer | undefined;
  if (listen !== null) {
    const { createMetrics } = await import('./metrics.ts');
    metrics = createMetrics({ ...gauges, lateness });
    server = await startMetricsServer(listen, metrics, log);
    log.info({ url: server.url }, 'metrics are served');
  }
  return {
    lateness,
    runEnded(run) {
      note(run.latenessMs);
      metrics?.runEnded(run);
    },
    jobsMissed: (jobs) => metrics?.jobsMissed(jobs),
    [Symbol.asyncDispose]: async () => await server?.[Symbol.asyncDispose](),
  };
}
