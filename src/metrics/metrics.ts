/** Metrics in the text format of Prometheus, as its own client library writes it. */

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { servedCodes, type Finding } from '../domain/findings.ts';
import type { Lateness } from '../domain/runs/lateness.ts';
import { openRoles, type NodeStatus } from '../domain/nodes.ts';
import type { Meter, StoredFigures } from '../domain/meter.ts';
import { addStoredGauges } from './stored.ts';

/** What is read when somebody asks for metrics. */
export interface Gauges {
  /** Calls in flight, and how many there may be. */
  readonly slots: () => { used: number; all: number };
  readonly lateness: () => Lateness;
  readonly findings: () => readonly Finding[];
  /** Whether the scheduler can do its work now. */
  readonly isHealthy: () => boolean;
  /** The largest size of the database, in bytes; null without one. */
  limitBytes: number | null;
  /** Null if the store does not answer now. */
  readonly stored: () => Promise<StoredFigures | null>;
  version: string;
}

/** The same of a node. */
export interface NodeGauges extends NodeStatus {
  /** Whether hints of the other nodes arrive. */
  isHearing: boolean;
}

/** The same of the backups that a daemon makes. */
export interface BackupGauges {
  /** Epoch milliseconds and length of the newest one; null if there is none. */
  lastAt: number | null;
  lastBytes: number | null;
  /** Of the last one that this process made. */
  tookMs: number | null;
  everyMs: number;
  isFailing: boolean;
}

export interface Metrics extends Meter {
  readonly addBackups: (read: () => BackupGauges) => void;
  readonly addNode: (read: () => NodeGauges) => void;
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/** Seconds: a due time is met within milliseconds, or at least within the minute. */
const latenessBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Makes metrics that stand at zero. */
export function createMetrics(gauges: Gauges): Metrics {
  const { slots, lateness, findings, isHealthy, version } = gauges;
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
  const attemptCounter = (name: string, what: string): Counter<'result'> => {
    const help = `Attempts to deliver ${what}, by what came of them.`;
    const attempts = new Counter({ ...named(name, help), labelNames: ['result'] });
    for (const result of ['delivered', 'failed', 'given_up']) attempts.inc({ result }, 0);
    return attempts;
  };
  const alertAttempts = attemptCounter('alert_attempts_total', 'alerts');
  const resultAttempts = attemptCounter('result_attempts_total', 'results of jobs');
  const dropped = new Counter(
    named(
      'results_dropped_total',
      'Results of jobs that were given up because too many of their job waited.',
    ),
  );
  const spans = new Counter({
    ...named('spans_total', 'Spans of calls for the collector, by what came of them.'),
    labelNames: ['result'],
  });
  for (const result of ['sent', 'dropped']) spans.inc({ result }, 0);
  const losses = new Counter(
    named(
      'database_losses_total',
      'How often this node found that the database lost what it had confirmed.',
    ),
  );
  const lostRuns = new Counter({
    ...named(
      'database_lost_runs_total',
      'Runs of this node whose call or outcome the database lost after it had confirmed them.',
    ),
    labelNames: ['what'],
  });
  for (const what of ['call', 'outcome']) lostRuns.inc({ what }, 0);
  const clockSteps = new Counter(
    named('clock_steps_total', 'How often the wall clock was set, or the machine slept.'),
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
  gauge('healthy', 'Whether the scheduler can do its work.', () => Number(isHealthy()));
  gauge('lateness_p50_seconds', 'Median lateness of the last hour.', () =>
    seconds(lateness().p50Ms),
  );
  gauge('lateness_p99_seconds', '99th percentile of the lateness of the last hour.', () =>
    seconds(lateness().p99Ms),
  );
  const wrong: Gauge = new Gauge({
    ...named('finding', 'What an operator should see to, by its code, and of how many it is true.'),
    labelNames: ['code'],
    collect() {
      for (const code of servedCodes) wrong.set({ code }, 0);
      for (const { code, facts } of findings()) {
        const { count } = facts;
        wrong.inc({ code: String(code) }, typeof count === 'number' ? count : 1);
      }
    },
  });
  const early = new Counter({
    ...named('removed_early_total', 'History that was removed before its time, for want of space.'),
    labelNames: ['what'],
  });
  for (const what of ['results', 'pings']) early.inc({ what }, 0);
  const { limitBytes } = gauges;
  if (limitBytes !== null) {
    gauge('database_limit_bytes', 'The largest size of the database.', () => limitBytes);
  }
  const askStore = addStoredGauges(registry, gauges.stored);
  const info = new Gauge({ ...named('info', 'The version that runs.'), labelNames: ['version'] });
  info.set({ version }, 1);

  function addNode(read: () => NodeGauges): void {
    const nodes: Gauge<'role'> = new Gauge({
      ...named('nodes', 'Nodes of the database by role, as this one knows them.'),
      labelNames: ['role'],
      collect() {
        const { roles } = read();
        for (const role of openRoles) {
          nodes.set({ role }, roles.filter((one) => one === role).length);
        }
      },
    });
    gauge('node_is_leader', 'Whether this node is the leader.', () => Number(read().leads));
    gauge(
      'node_lease_remaining_seconds',
      'How long this node may begin calls without renewing its lease; 0 if it begins none.',
      () => read().leaseLeftMs / 1_000,
    );
    gauge('node_hints_arrive', 'Whether hints of the other nodes arrive.', () =>
      Number(read().isHearing),
    );
    gauge(
      'node_clock_lead_seconds',
      'How far the clock of this machine is ahead of that of the database.',
      () => read().clockLeadMs / 1_000,
    );
  }

  function addBackups(read: () => BackupGauges): void {
    gauge(
      'backup_last_success_timestamp_seconds',
      'When the newest backup was made; 0 if there is none.',
      () => (read().lastAt ?? 0) / 1_000,
    );
    gauge('backup_last_size_bytes', 'The size of the newest backup.', () => read().lastBytes ?? 0);
    gauge('backup_last_duration_seconds', 'How long the last backup took since jobd started.', () =>
      seconds(read().tookMs),
    );
    gauge(
      'backup_interval_seconds',
      'How often a backup is to be made.',
      () => read().everyMs / 1_000,
    );
    gauge('backup_failing', 'Whether the last backup failed.', () => Number(read().isFailing));
  }

  return {
    addBackups,
    addNode,
    contentType: registry.contentType,
    async text() {
      await askStore();
      return await registry.metrics();
    },
    runEnded({ status, latenessMs, durationMs }) {
      ended.inc({ status });
      lateBy.observe(Math.max(latenessMs, 0) / 1_000);
      if (durationMs !== null) took.observe(durationMs / 1_000);
    },
    runsRescued: (runs) => ended.inc({ status: 'interrupted' }, runs),
    jobsMissed: (jobs) => missed.inc(jobs),
    alertAttempted: (result) => alertAttempts.inc({ result }),
    resultAttempted: (result) => resultAttempts.inc({ result }),
    resultsDropped: (results) => dropped.inc(results),
    removedEarly({ results, pings }) {
      early.inc({ what: 'results' }, results);
      early.inc({ what: 'pings' }, pings);
    },
    spansLeft: (result, count) => spans.inc({ result }, count),
    databaseLost({ calls, outcomes }) {
      losses.inc();
      lostRuns.inc({ what: 'call' }, calls);
      lostRuns.inc({ what: 'outcome' }, outcomes);
    },
    clockStepped: () => clockSteps.inc(),
  };
}

function seconds(ms: number | null): number {
  return ms === null ? NaN : ms / 1_000;
}
