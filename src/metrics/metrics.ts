/** Metrics in the text format of Prometheus, as its own client library writes it. */

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Lateness, Meter } from '../domain/runs/meter.ts';

/** What is asked for when somebody looks. */
export interface Gauges {
  /** Calls in flight, and how many there may be. */
  readonly slots: () => { used: number; all: number };
  readonly lateness: () => Lateness;
  /** Why jobd cannot do its work now; none if it can. */
  readonly troubles: () => readonly string[];
  version: string;
}

export interface Metrics extends Meter {
  readonly contentType: string;
  /** Everything that is counted, as text. */
  readonly text: () => Promise<string>;
}

/** Seconds: a due time is met within milliseconds, or at least within the minute. */
const latenessBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Makes metrics that stand at zero. */
export function createMetrics({ slots, lateness, troubles, version }: Gauges): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const ended = new Counter({
    name: 'jobd_runs_ended_total',
    help: 'Runs that were called and have ended.',
    labelNames: ['status'],
    registers,
  });
  const missed = new Counter({
    name: 'jobd_jobs_missed_total',
    help: 'Jobs that were found to have missed due times, counted once for each outage.',
    registers,
  });
  const lateBy = new Histogram({
    name: 'jobd_run_lateness_seconds',
    help: 'How long after its due time a run began.',
    buckets: latenessBuckets,
    registers,
  });
  const took = new Histogram({
    name: 'jobd_run_duration_seconds',
    help: 'How long a run took, all attempts included.',
    buckets: durationBuckets,
    registers,
  });
  const gauge = (name: string, help: string, read: () => number | null): void => {
    const made: Gauge = new Gauge({
      name,
      help,
      registers,
      collect: () => made.set(read() ?? NaN),
    });
  };
  for (const status of ['success', 'failed', 'interrupted']) ended.inc({ status }, 0);
  gauge('jobd_slots_used', 'Calls in flight.', () => slots().used);
  gauge('jobd_slots', 'Calls in flight at most.', () => slots().all);
  gauge('jobd_healthy', 'Whether the scheduler can do its work.', () =>
    troubles().length === 0 ? 1 : 0,
  );
  gauge('jobd_lateness_p50_seconds', 'Median lateness of the last hour.', () =>
    seconds(lateness().p50Ms),
  );
  gauge('jobd_lateness_p99_seconds', '99th percentile of the lateness of the last hour.', () =>
    seconds(lateness().p99Ms),
  );
  new Gauge({
    name: 'jobd_info',
    help: 'The version that runs.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);

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

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}
