/** The figures of bench/prune, and how they are printed. */

import type { Latency } from './api-figures.ts';

/** What was measured in a stretch of time. */
export interface Window {
  seconds: number;
  getJob: Latency;
  /** Start of each call less its due time. */
  lateness: Latency;
}

export interface Figures {
  runsBefore: number;
  runsAfter: number;
  bytesBefore: number;
  bytesAfter: number;
  /** The write-ahead log. */
  logBytesAfter: number;
  /** From the change of the plan to the first run that was removed. */
  waitSeconds: number;
  /** As jobd logs it. */
  longestWriteMs: number;
  without: Window;
  during: Window;
}

/** Lines of text. */
export function describe(figures: Figures): string {
  const { without, during } = figures;
  const row = (name: string, of: (window: Window) => Latency): string[] => {
    const [a, b] = [of(without), of(during)];
    return [
      `${name} without: ${cells(a)}`,
      `${name} during:  ${cells(b)}`,
      `${name} p99 during / without: ${(b.p99Ms / a.p99Ms).toFixed(2)}`,
    ];
  };
  const { runsBefore, runsAfter, bytesBefore, bytesAfter } = figures;
  return `${[
    `runs ${runsBefore} → ${runsAfter}, file ${megabytes(bytesBefore)} → ${megabytes(bytesAfter)}, log ${megabytes(figures.logBytesAfter)}`,
    `pruning began after ${figures.waitSeconds.toFixed(1)} s and took ${during.seconds.toFixed(1)} s; longest write ${figures.longestWriteMs} ms`,
    ...row('getJob', (window) => window.getJob),
    ...row('lateness', (window) => window.lateness),
  ].join('\n')}\n`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function cells({ requests, p50Ms, p99Ms, maxMs }: Latency): string {
  return `${requests} times, p50 ${p50Ms.toFixed(1)} p99 ${p99Ms.toFixed(1)} max ${maxMs.toFixed(1)} ms`;
}
