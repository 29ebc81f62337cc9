/** How long the newest runs took, as a drawing that one can walk through. */

import { useSignal } from '@preact/signals';
import type { RunSummary } from '../../../api/runs/contract.ts';
import { now } from '../../client/clock.ts';
import { useWidth } from '../../client/width.ts';
import { Glyph, Link, Outside } from '../../parts/basic.tsx';
import { go } from '../../router.ts';
import { durationChart, type DurationChart } from '../../view/chart.ts';
import { duration } from '../../view/figures.ts';
import { runLine } from '../../view/history.ts';

const height = 104;
/** Room for the labels of the scale. */
const gutter = 56;
const mostRuns = 200;
/** Where there are no more runs, each has a dot that one can see. */
const mostDots = 60;

interface DurationsProps {
  jobId: string;
  /** Newest first. */
  runs: readonly RunSummary[];
  zone: string;
}

/** The drawing. ← and → move over the runs, Enter opens the chosen one. */
export function Durations({ jobId, runs, zone }: DurationsProps) {
  const [place, width] = useWidth();
  const chosenId = useSignal<string | null>(null);
  const shown = runs.slice(0, mostRuns);
  const chart = durationChart(shown, Math.max(width.value - gutter, 40), height);
  const { points, maxMs } = chart;
  const found = points.findIndex(({ index }) => shown[index]?.id === chosenId.value);
  const at = found === -1 ? points.length - 1 : found;
  const run = shown[points[at]?.index ?? -1];
  if (points.length < 2 || run === undefined || maxMs === null) return null;
  const choose = (next: number): void => {
    const point = points[Math.min(Math.max(next, 0), points.length - 1)];
    chosenId.value = (point && shown[point.index]?.id) ?? null;
  };
  const open = (): void => go(`/jobs/${jobId}/runs/${run.id}`);
  const moves: Record<string, () => void> = {
    ArrowLeft: () => choose(at - 1),
    ArrowRight: () => choose(at + 1),
    Home: () => choose(0),
    End: () => choose(points.length - 1),
    Enter: open,
  };
  const { time, took, error, remarks } = runLine(run, jobId, zone, now.peek());
  const figures = [took, ...remarks].join(', ');
  const words = `${time}: ${run.status}, ${figures}${error === null ? '' : `, ${error}`}`;
  return (
    <section class="panel" aria-labelledby="durations">
      <div class="titled">
        <h2 id="durations">Durations</h2>
        <p class="quiet">
          {points.length} runs · longest {duration(maxMs)}
        </p>
      </div>
      <div
        ref={place}
        class="chart"
        role="slider"
        tabIndex={0}
        aria-label="Run"
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={at + 1}
        aria-valuetext={words}
        onKeyDown={(event) => {
          const move = moves[event.key];
          if (move === undefined) return;
          event.preventDefault();
          move();
        }}
        onPointerMove={({ currentTarget, clientX }) => {
          choose(nearest(chart, clientX - currentTarget.getBoundingClientRect().left - gutter));
        }}
        onClick={open}
      >
        <Drawing chart={chart} width={width.value} at={at} />
      </div>
      <p class="caption">
        <Glyph status={run.status} />
        <Link to={`/jobs/${jobId}/runs/${run.id}`}>{time}</Link>
        <span>{run.status}</span>
        <span class="figure">{figures}</span>
        {error !== null && (
          <span class="line">
            <Outside text={error} />
          </span>
        )}
      </p>
    </section>
  );
}

function Drawing({ chart, width, at }: { chart: DurationChart; width: number; at: number }) {
  const { points, line, failures, ticks } = chart;
  const chosen = points[at];
  const dots = points.map(({ x, y }) => `M${x} ${y}h0`).join('');
  return (
    <svg viewBox={`0 0 ${Math.max(width, gutter + 40)} ${height}`} aria-hidden="true">
      {ticks.map(({ y, label }) => (
        <g key={label}>
          <path class="grid" d={`M${gutter} ${y}H${width}`} />
          <text x={gutter - 8} y={y} dy="0.32em">
            {label}
          </text>
        </g>
      ))}
      <g transform={`translate(${gutter})`}>
        {chosen !== undefined && <path class="rule" d={`M${chosen.x} 0V${height}`} />}
        <path class="line" d={line} />
        <path class={points.length > mostDots ? 'dots dense' : 'dots'} d={dots} />
        <path class="failures" d={failures} />
        {chosen !== undefined && <circle class="chosen" cx={chosen.x} cy={chosen.y} r="4.5" />}
      </g>
    </svg>
  );
}

/** The run that is drawn nearest to a place. */
function nearest({ points }: DurationChart, x: number): number {
  let best = 0;
  for (const [index, point] of points.entries()) {
    if (Math.abs(point.x - x) < Math.abs((points[best]?.x ?? 0) - x)) best = index;
  }
  return best;
}
