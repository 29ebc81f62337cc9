/** From what the client saw to the figures of a table. */

import type { Answers } from './api-client.ts';

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

/** Percentiles: the smallest value that so many percent of the values do not exceed. */
export function latencyOf(latencies: readonly number[]): Latency {
  const sorted = latencies.toSorted((a, b) => a - b);
  const percentile = (percent: number): number =>
    sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
  return {
    requests: sorted.length,
    p50Ms: percentile(50),
    p99Ms: percentile(99),
    maxMs: percentile(100),
  };
}

/** The middle one; of two, the mean. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
