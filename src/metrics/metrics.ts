/** Metrics in the text format of Prometheus, as its own client library writes it. */

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Lateness, Meter } from '../domain/runs/meter.ts';

/** Calls in flight, and how many there may be. */
export interface SlotsInUse {
  used: number;
  all: number;
}

/** What is read when somebody asks for metrics. */
export interface Gauges {
  readonly slots: () => SlotsInUse;
  readonly lateness: () => Lateness;
  /** Why jobd cannot do its work now; empty if it can. */
  readonly troubles: () => readonly string[];
  version: string;
}

export interface Metrics extends Meter {
  readonly contentType: string;
  /** All metrics as text. */
  readonly text: () => Promise<string>;
}

/** Seconds: a due time is met within milliseconds, or at least within the minute. */
const latenessBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Makes metrics that stand at zero. */
export function createMetrics({ slots, lateness, troubles, version }: Gauges): Metrics {
  const registry = new Registry();
  const named = (name: string, help: string) => ({
    name: `jobd_${name}`,
    help,
    registers: [registry],
  });
  const gauge = (name: string, help: string, read: () => number): void => {
    const made: Gauge = new Gauge({ ...named(name, help), collect: () => made.set(read()) });
  };

  collectDefaultMetrics({ register: registry });
  const ended = new Counter({
    ...named('runs_ended_total', 'Runs that were called and have ended.'),
    labelNames: ['status'],
  });
  for (const status of ['success', 'failed', 'interrupted']) ended.inc({ status }, 0);
  const missed = new Counter(
    named('jobs_missed_total', 'Jobs that missed due times, counted once for each outage.'),
  );
  const lateBy = new Histogram({
    ...named('run_lateness_seconds', 'How long after its due time a run began.'),
    buckets: latenessBuckets,
  });
  const took = new Histogram({
    ...named('run_duration_seconds', 'How long a run took, all attempts included.'),
    buckets: durationBuckets,
  });
  gauge('slots_used', 'Calls in flight.', () => slots().used);
  gauge('slots', 'The most calls in flight.', () => slots().all);
  gauge('healthy', 'Whether the scheduler can do its work.', () => Number(troubles().length === 0));
  gauge('lateness_p50_seconds', 'Median lateness of the last hour.', () =>
    seconds(lateness().p50Ms),
  );
  gauge('lateness_p99_seconds', '99th percentile of the lateness of the last hour.', () =>
    seconds(lateness().p99Ms),
  );
  const info = new Gauge({ ...named('info', 'The version that runs.'), labelNames: ['version'] });
  info.set({ version }, 1);

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    runEnded({ status, latenessMs, durationMs }) {
      ended.inc({ status });
      lateBy.observe(Math.max(latenessMs, 0) / 1_000);
      if (durationMs !== null) took.observe(durationMs / 1_000);
    },
    jobsMissed: (jobs) => missed.inc(jobs),
  };
}

function seconds(ms: number | null): number {
  return ms === null ? NaN : ms / 1_000;
}
