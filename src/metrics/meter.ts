/** Counts the work of the engine: lateness for the API, and metrics if the operator wants them. */

import type { Clock } from '../domain/clock.ts';
import type { Lateness, LatenessCounts } from '../domain/runs/lateness.ts';
import type { Meter } from '../domain/meter.ts';
import type { Log } from '../base/log.ts';
import { createLatenessWindow } from './lateness.ts';
import type { BackupGauges, Gauges, Metrics, NodeGauges } from './metrics.ts';
import { startMetricsServer, type ListenAddress, type MetricsServer } from './server.ts';

/** Disposing of it stops the metrics server, if there is one. */
export interface Meters extends Meter, AsyncDisposable {
  /** How late runs began here, and on others with these counts. */
  readonly lateness: (others?: readonly LatenessCounts[]) => Lateness;
  readonly latenessCounts: () => LatenessCounts;
  /** Shows this process among the nodes of its database too. */
  readonly addNode: (read: () => NodeGauges) => void;
  /** Shows its backups too. */
  readonly addBackups: (read: () => BackupGauges) => void;
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
  const { note, counts, read: lateness } = createLatenessWindow(clock);
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
    latenessCounts: counts,
    addNode: (read) => metrics?.addNode(read),
    addBackups: (read) => metrics?.addBackups(read),
    runEnded(run) {
      note(run.latenessMs);
      metrics?.runEnded(run);
    },
    runsRescued: (runs) => metrics?.runsRescued(runs),
    jobsMissed: (jobs) => metrics?.jobsMissed(jobs),
    alertAttempted: (result) => metrics?.alertAttempted(result),
    resultAttempted: (result) => metrics?.resultAttempted(result),
    resultsDropped: (results) => metrics?.resultsDropped(results),
    removedEarly: (rows) => metrics?.removedEarly(rows),
    spansLeft: (result, spans) => metrics?.spansLeft(result, spans),
    databaseLost: (loss) => metrics?.databaseLost(loss),
    clockStepped: () => metrics?.clockStepped(),
    [Symbol.asyncDispose]: async () => await server?.[Symbol.asyncDispose](),
  };
}
