/** What storm found, for people. */

import { isClean } from './audit.ts';
import type { Audit } from './audit.ts';
import type { Comparison, Round } from './figures.ts';

/** The storm of one N: every round, the medians, and jobd beside each yardstick. */
export interface Storm {
  jobs: number;
  callers: { name: string; rounds: readonly Round[]; median: Round }[];
  audits: readonly Audit[];
  comparisons: { yardstick: string; figures: Comparison }[];
}

const columns: readonly [title: string, figure: (round: Round) => string][] = [
  ['p50 ms', (round) => milliseconds(round.latenessP50Ms)],
  ['p99 ms', (round) => milliseconds(round.latenessP99Ms)],
  ['last arrival ms', (round) => milliseconds(round.latenessMaxMs)],
  ['done ms', (round) => milliseconds(round.makespanMs)],
  ['jobs/s', (round) => grouped(round.jobsPerSecond)],
  ['waited ms', (round) => milliseconds(round.mainWaitedMs)],
  ['CPU µs/run', (round) => grouped(round.cpuPerRunUs)],
  ['busiest thread', (round) => grouped(round.busiestThreadPerRunUs)],
  ['jobs/s apart', (round) => grouped(round.jobsPerSecondApart)],
  ['target µs/run', (round) => grouped(round.sinkCpuPerRunUs)],
  ['peak RSS MB', (round) => grouped(round.peakRssMb)],
];

/** The storm as a table and two sentences a yardstick. */
export function describe(storm: Storm): string {
  const { jobs, callers, audits, comparisons } = storm;
  const head = [`N = ${grouped(jobs)}`, ...columns.map(([title]) => title)];
  const rows = callers.map(({ name, median }) =>
    [name].concat(columns.map(([, figure]) => figure(median))),
  );
  const lines = comparisons.map(
    ({ yardstick, figures }) =>
      `jobd over ${yardstick}: makespan ${figures.makespanRatio.toFixed(2)}` +
      ` (to the last arrival ${figures.lastArrivalRatio.toFixed(2)}),` +
      ` p99 lateness ${figures.latenessP99Ratio.toFixed(2)},` +
      ` CPU ${signed(figures.cpuPerRunBeyondUs)} µs a run,` +
      ` jobs/s apart ${figures.jobsPerSecondApartRatio.toFixed(2)}`,
  );
  return `${table([head, ...rows])}\n${[...lines, ...audits.map((found) => sentence(jobs, found))].join('\n')}\n`;
}

function sentence(jobs: number, found: Audit): string {
  const { recorded, otherwise, missed, double, unknown } = found;
  const counts =
    `${recorded} of ${jobs} recorded as success, ${otherwise} otherwise, ` +
    `${missed} not called, ${double} called twice, ${unknown} unknown`;
  return isClean(jobs, found) ? `runs: ${counts}` : `WRONG RUNS: ${counts}`;
}

/** Columns as wide as their widest cell, figures to the right. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
  return lines.join('\n');
}

function milliseconds(value: number): string {
  return value < 100 ? value.toFixed(1) : grouped(value);
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${grouped(Math.abs(value))}`;
}

function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
