/** From what the client saw to the figures of a table. */

import type { Answers } from './api-client.ts';
import { percentile, sum } from './statistics.ts';

/** One operation on one server in one round. */
export interface Side {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** User and system time of the server's process, all threads. */
  serverCpuUs: number;
  /** Share of one core that the client used: near 1, it would be the client that is measured. */
  clientLoad: number;
}

/** The same operation on both in one round. */
export interface Pair {
  operation: string;
  jobd: Side;
  bare: Side;
}

/** getJob in one storm: beside nothing else, and while the calls went out. */
export interface StormRound {
  /** From the due instant until the last run was recorded, in milliseconds. */
  makespanMs: number;
  idle: Latency;
  during: Latency;
}

/** Latencies in milliseconds. */
export interface Latency {
  requests: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** Makes the figures of what was asked in several slices. */
export function sideOf(slices: readonly { answers: Answers; serverCpuSeconds: number }[]): Side {
  const { requests, p50Ms, p99Ms } = latencyOf(
    slices.flatMap(({ answers }) => [...answers.latencyMs]),
  );
  const seconds = sum(slices.map(({ answers }) => answers.seconds));
  return {
    requestsPerSecond: requests / seconds,
    p50Ms,
    p99Ms,
    serverCpuUs: (sum(slices.map((slice) => slice.serverCpuSeconds)) * 1e6) / requests,
    clientLoad: sum(slices.map(({ answers }) => answers.cpuSeconds)) / seconds,
  };
}

/** Percentiles of latencies. */
export function latencyOf(latencies: readonly number[]): Latency {
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    requests: sorted.length,
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
    maxMs: percentile(sorted, 100),
  };
}
