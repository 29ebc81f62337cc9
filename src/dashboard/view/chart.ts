/** The durations of a job's runs as a drawing: path data and places, without markup. */

import type { RunSummary } from '../../api/runs/contract.ts';
import { duration } from './figures.ts';

export interface DurationChart {
  /** Runs with a duration, oldest first. `index` is that of the run as given. */
  points: { x: number; y: number; index: number }[];
  /** A line through the runs. A run without a duration interrupts it. */
  line: string;
  /** A square around each failed run, to fill. */
  failures: string;
  /** Where to draw the grid, from the bottom up. */
  ticks: { y: number; label: string }[];
  /** Null without a duration. */
  maxMs: number | null;
}

/** A run as it is drawn. */
export type ChartRun = Pick<RunSummary, 'durationMs' | 'status' | 'scheduledFor'>;

/** Room for the marks at the edges, in pixels. */
const margin = 4;
/** Where the longest duration is this many times the shortest, a linear scale would show only the longest. */
const mostLinear = 20;

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const decades = [1, 10, 100, second, 10 * second, minute, 10 * minute, hour, 10 * hour];
const counts = [1, 2, 5, 10, 15, 30];
/** Steps of a linear scale that people count in. */
const steps = [
  [1, 2, 5, 10, 20, 50, 100, 200, 500],
  counts.map((seconds) => seconds * second),
  counts.map((minutes) => minutes * minute),
  [1, 2, 6, 12, 24].map((hours) => hours * hour),
].flat();
const mostTicks = 4;

/** Lays out the durations of runs, in any order, in `width` × `height` pixels. */
export function durationChart(
  runs: readonly ChartRun[],
  width: number,
  height: number,
): DurationChart {
  const ordered = runs
    .map((run, index) => ({ ...run, index }))
    .toSorted((one, other) => Date.parse(one.scheduledFor) - Date.parse(other.scheduledFor));
  const lengths = ordered
    .flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]))
    .toSorted((one, other) => one - other);
  const scale = scaleOf(lengths, height);
  const stepX = ordered.length > 1 ? (width - 2 * margin) / (ordered.length - 1) : 0;
  const points: DurationChart['points'] = [];
  let [line, failures] = ['', ''];
  let isDrawing = false;
  for (const [place, { durationMs, status, index }] of ordered.entries()) {
    if (durationMs !== null) {
      // A single run is in the middle.
      const x = tenth(ordered.length > 1 ? margin + place * stepX : width / 2);
      const y = scale.yOf(durationMs);
      points.push({ x, y, index });
      line += `${isDrawing ? 'L' : 'M'}${x} ${y}`;
      if (status === 'failed') failures += `M${tenth(x - 3)} ${tenth(y - 3)}h6v6h-6z`;
    }
    isDrawing = durationMs !== null;
  }
  const ticks = scale.ticks.map((ms) => ({ y: scale.yOf(ms), label: duration(ms) }));
  return {
    points,
    line,
    failures,
    ticks,
    maxMs: lengths.at(-1) ?? null,
  };
}

/** From sorted durations: where a duration is drawn, and where the grid is. */
function scaleOf(lengths: readonly number[], height: number) {
  const least = Math.max(lengths[0] ?? 1, 1);
  const most = Math.max(lengths.at(-1) ?? 1, 1);
  const draw = (share: number): number => tenth(margin + (1 - share) * (height - 2 * margin));
  if (most / least >= mostLinear) {
    const low = decades.findLast((ms) => ms <= least) ?? 1;
    return {
      ticks: decades.filter((ms) => ms >= low && ms <= most),
      yOf: (ms: number) => draw(Math.log(Math.max(ms, low) / low) / Math.log(most / low)),
    };
  }
  const step = steps.find((ms) => most / ms <= mostTicks) ?? most;
  const top = Math.ceil(most / step) * step;
  return {
    ticks: lengths.length === 0 ? [] : Array.from({ length: top / step + 1 }, (_, at) => at * step),
    yOf: (ms: number) => draw(ms / top),
  };
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
