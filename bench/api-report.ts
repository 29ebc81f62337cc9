/** What bench/api found, for people. */

import type { Pair, Side, StormRound } from './api-figures.ts';
import { median } from './statistics.ts';

/** jobd over bare: medians of the rounds' own ratios, so that what disturbed a round meets both. */
export interface Ratios {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  serverCpuUs: number;
}

/** The rounds of one operation, and what they come to. */
export interface Summary {
  operation: string;
  jobd: Side;
  bare: Side;
  ratios: Ratios;
}

/** Sums up the rounds of one operation. */
export function summarise(pairs: readonly Pair[]): Summary {
  const ratio = (figure: keyof Ratios): number =>
    median(pairs.map(({ jobd, bare }) => jobd[figure] / bare[figure]));
  return {
    operation: pairs[0]?.operation ?? '',
    jobd: medianSide(pairs.map(({ jobd }) => jobd)),
    bare: medianSide(pairs.map(({ bare }) => bare)),
    ratios: {
      requestsPerSecond: ratio('requestsPerSecond'),
      p50Ms: ratio('p50Ms'),
      p99Ms: ratio('p99Ms'),
      serverCpuUs: ratio('serverCpuUs'),
    },
  };
}

function medianSide(sides: readonly Side[]): Side {
  const of = (figure: keyof Side): number => median(sides.map((side) => side[figure]));
  return {
    requestsPerSecond: of('requestsPerSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    serverCpuUs: of('serverCpuUs'),
    clientLoad: of('clientLoad'),
  };
}

/** The operations as a table: jobd, the yardstick, and one over the other. */
export function describe(summaries: readonly Summary[]): string {
  const head = ['', 'server', 'requests/s', 'p50 ms', 'p99 ms', 'server CPU µs', 'client load'];
  const rows = summaries.flatMap(({ operation, jobd, bare, ratios }) => [
    [operation, 'jobd', ...cellsOf(jobd)],
    ['', 'bare', ...cellsOf(bare)],
    ['', 'jobd/bare', ...ratioCells(ratios)],
  ]);
  return table([head, ...rows]);
}

/** The storms as a table. */
export function describeStorms(jobs: number, storms: readonly StormRound[]): string {
  const rows = (['idle', 'during'] as const).map((when) => {
    const of = (figure: keyof StormRound['idle']): number =>
      median(storms.map((storm) => storm[when][figure]));
    return [
      when === 'idle' ? 'nothing due' : `${jobs} runs going out`,
      of('requests').toFixed(0),
      of('p50Ms').toFixed(1),
      of('p99Ms').toFixed(1),
      of('maxMs').toFixed(1),
    ];
  });
  const makespanMs = median(storms.map((storm) => storm.makespanMs));
  return (
    table([['getJob while', 'requests', 'p50 ms', 'p99 ms', 'max ms'], ...rows]) +
    `the storm took ${makespanMs.toFixed(0)} ms\n`
  );
}

function cellsOf(side: Side): string[] {
  return [
    side.requestsPerSecond.toFixed(0),
    side.p50Ms.toFixed(2),
    side.p99Ms.toFixed(2),
    side.serverCpuUs.toFixed(0),
    side.clientLoad.toFixed(2),
  ];
}

function ratioCells(ratios: Ratios): string[] {
  const { requestsPerSecond, p50Ms, p99Ms, serverCpuUs } = ratios;
  return [requestsPerSecond, p50Ms, p99Ms, serverCpuUs].map((value) => value.toFixed(2)).concat('');
}

/** Columns as wide as their widest cell, figures to the right. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ');
  return `${rows.map(line).join('\n')}\n`;
}
