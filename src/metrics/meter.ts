/** What the engine tells of its work to: the lateness that people may ask for, and metrics where they are wanted. */

import type { Clock } from '../domain/clock.ts';
import type { Lateness, Meter } from '../domain/runs/meter.ts';
import type { Log } from '../log.ts';
import { createLatenessWindow } from './lateness.ts';
import type { Gauges } from './metrics.ts';
import { startMetricsServer } from './server.ts';
import type { ListenAddress } from './server.ts';

/** Disposing of it stops the server of metrics, if there is one. */
export interface Meters extends Meter, AsyncDisposable {
  readonly lateness: () => Lateness;
}

export interface MetersParts {
  clock: Clock;
  log: Log;
  /** Where metrics are asked for; null if they are not. */
  listen: ListenAddress | null;
  gauges: Omit<Gauges, 'lateness'>;
}

/** Starts to count. Rejects if metrics cannot be served. */
export async function startMeters({ clock, log, listen, gauges }: MetersParts): Promise<Meters> {
  await using parts = new AsyncDisposableStack();
  const { note, read: lateness } = createLatenessWindow(clock);
  let metrics: Meter | null = null;
  if (listen !== null) {
    const { createMetrics } = await import('./metrics.ts');
    const made = createMetrics({ ...gauges, lateness });
    const { url } = parts.use(await startMetricsServer(listen, made, log));
    log.info({ url }, 'metrics are served');
    metrics = made;
  }
  const running = parts.move();
  return {
    lateness,
    runEnded(run) {
      note(run.latenessMs);
      metrics?.runEnded(run);
    },
    jobsMissed: (jobs) => metrics?.jobsMissed(jobs),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
