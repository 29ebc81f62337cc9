/** From what was seen in a round to the figures of a table. */

import { availableParallelism } from 'node:os';
import type { CpuUse } from './processes.ts';
import { median, percentile } from './statistics.ts';

/** One round of one caller. */
export interface Round {
  /** Arrival at the sink minus due instant, in milliseconds. */
  latenessP50Ms: number;
  latenessP99Ms: number;
  latenessMaxMs: number;
  /** From the due instant until the caller was through: last run recorded, last answer read. */
  makespanMs: number;
  jobsPerSecond: number;
  /** User and system time of the caller's process, from the due instant to the end of the makespan. */
  cpuSeconds: number;
  cpuPerRunUs: number;
  /** Of the thread that ran the longest. */
  busiestThreadPerRunUs: number;
  /**
   * Computed: what the caller would do in a second if all cores were its own, its threads spread over them and
   * none waiting for another.
   */
  jobsPerSecondApart: number;
  /** The same time of the target's process: what it took of the same cores. */
  sinkCpuPerRunUs: number;
  /** Of the makespan: how long the caller's main thread waited for a processor that others had. */
  mainWaitedMs: number;
  peakRssMb: number;
}

/** Makes the figures of a round. */
export function roundOf(
  seen: CpuUse & {
    jobs: number;
    dueAt: number;
    arrivedAt: Float64Array;
    doneAt: number;
    peakRssMb: number;
    sinkCpuSeconds: number;
  },
): Round {
  const { jobs, dueAt, doneAt } = seen;
  const lateness = seen.arrivedAt.map((at) => at - dueAt).toSorted();
  const makespanMs = doneAt - dueAt;
  const shareOfCores = seen.cpuSeconds / availableParallelism();
  return {
    latenessP50Ms: percentile(lateness, 50),
    latenessP99Ms: percentile(lateness, 99),
    latenessMaxMs: percentile(lateness, 100),
    makespanMs,
    jobsPerSecond: jobs / (makespanMs / 1_000),
    cpuSeconds: seen.cpuSeconds,
    cpuPerRunUs: (seen.cpuSeconds * 1e6) / jobs,
    busiestThreadPerRunUs: (seen.busiestThreadSeconds * 1e6) / jobs,
    jobsPerSecondApart: jobs / Math.max(seen.busiestThreadSeconds, shareOfCores),
    sinkCpuPerRunUs: (seen.sinkCpuSeconds * 1e6) / jobs,
    mainWaitedMs: seen.mainWaitedSeconds * 1e3,
    peakRssMb: seen.peakRssMb,
  };
}

/** The median of each figure by itself. */
export function medianRound(rounds: readonly Round[]): Round {
  const of = (figure: keyof Round): number => median(rounds.map((round) => round[figure]));
  return {
    latenessP50Ms: of('latenessP50Ms'),
    latenessP99Ms: of('latenessP99Ms'),
    latenessMaxMs: of('latenessMaxMs'),
    makespanMs: of('makespanMs'),
    jobsPerSecond: of('jobsPerSecond'),
    cpuSeconds: of('cpuSeconds'),
    cpuPerRunUs: of('cpuPerRunUs'),
    busiestThreadPerRunUs: of('busiestThreadPerRunUs'),
    jobsPerSecondApart: of('jobsPerSecondApart'),
    sinkCpuPerRunUs: of('sinkCpuPerRunUs'),
    mainWaitedMs: of('mainWaitedMs'),
    peakRssMb: of('peakRssMb'),
  };
}

/** jobd beside a yardstick. */
export interface Comparison {
  makespanRatio: number;
  /** Last arrival over last arrival: the calls without what is written behind the last one. */
  lastArrivalRatio: number;
  latenessP99Ratio: number;
  cpuPerRunBeyondUs: number;
  jobsPerSecondApartRatio: number;
}

/** Compares medians. */
export function compare(jobd: Round, yardstick: Round): Comparison {
  return {
    makespanRatio: jobd.makespanMs / yardstick.makespanMs,
    lastArrivalRatio: jobd.latenessMaxMs / yardstick.latenessMaxMs,
    latenessP99Ratio: jobd.latenessP99Ms / yardstick.latenessP99Ms,
    cpuPerRunBeyondUs: jobd.cpuPerRunUs - yardstick.cpuPerRunUs,
    jobsPerSecondApartRatio: jobd.jobsPerSecondApart / yardstick.jobsPerSecondApart,
  };
}
