/** What the table of the timetable has: its head with the minutes to come, lines in the background, and a row for each job. */

import { useComputed, type Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Timetable, TimetableRow } from '../../../wings/timetable/contract.ts';
import { Glyph, Link, Outside } from '../../parts/basic.tsx';
import * as view from '../../view/timetable.ts';
import type { Axis } from '../../view/timetable.ts';
import { clock } from '../../view/times.ts';

interface RowProps {
  row: TimetableRow;
  axis: Axis;
  nowMs: number;
}

/** The row: its name, and marks for runs and due times. `stop` is the one that Tab gets to. */
export function RowOf({ row, axis, nowMs, stop }: RowProps & { stop: Signal<string | null> }) {
  const { id, name, status, scheduleWords, after } = row;
  const tabIndex = useComputed(() => (stop.value === id ? 0 : -1)).value;
  return (
    <div class={`row slot ${status}`} role="row" data-id={id}>
      <div class="job" role="rowheader">
        <Glyph status={status} />
        <span class="hidden">{status}</span>
        <Link to={`/jobs/${id}`} class="name" tabIndex={tabIndex}>
          <Outside text={name} />
        </Link>
        <span class="quiet line">{after === undefined ? scheduleWords : 'After another job'}</span>
      </div>
      <div class="plot" role="cell">
        <span class="hidden">{view.rowWords(row, nowMs)}</span>
        <svg class="marks" width={axis.width} height={view.tall} aria-hidden="true">
          {Object.entries(view.drawingOf(row, axis, nowMs)).map(([kind, path]) => (
            <path key={kind} class={kind} d={path} />
          ))}
        </svg>
      </div>
    </div>
  );
}

interface BehindProps extends Omit<RowProps, 'row'> {
  /** The width of the names. */
  names: number;
}

/** What is behind the rows: what has passed is shaded, lines at round times, changes of the clocks, and now. */
export function Backdrop({
  axis,
  nowMs,
  names,
  changes,
}: BehindProps & Pick<WithChanges, 'changes'>) {
  const ticks = useMemo(() => view.ticksOf(axis, nowMs), [axis, nowMs]);
  const at = axis.xOf(nowMs);
  return (
    <div class="behind" style={{ left: `${names}px` }} aria-hidden="true">
      {at > 0 && <i class="past" style={{ width: `${Math.min(at, axis.width)}px` }} />}
      {ticks.map(({ x, isDay }) => (
        <i key={x} class={isDay ? 'tick day' : 'tick'} style={{ left: `${x}px` }} />
      ))}
      {changes.map((change) => (
        <i
          key={`${change.timezone} ${change.at}`}
          class="change"
          style={{ left: `${axis.xOf(Date.parse(change.at))}px` }}
        />
      ))}
      {at > 0 && at < axis.width && <i class="now" style={{ left: `${at}px` }} />}
    </div>
  );
}

interface WithChanges {
  changes: Timetable['clockChanges'];
}

interface HeadProps extends Omit<RowProps, 'row'> {
  whole: Timetable;
}

/** The head: the minutes to come as columns, and the times of the axis. */
export function Head({ axis, nowMs, whole }: HeadProps) {
  const ticks = useMemo(() => view.ticksOf(axis, nowMs), [axis, nowMs]);
  const { density, clockChanges } = whole;
  const columns = useMemo(() => view.columnsOf(density, axis), [density, axis]);
  const at = axis.xOf(nowMs);
  return (
    <div class="axis" role="row">
      <div class="job" role="columnheader">
        <span class="hidden">Job</span>
        <span class="quiet" aria-hidden="true">
          calls a minute, up to {columns.most}
        </span>
      </div>
      <div class="plot" role="columnheader">
        <span class="hidden">Runs and due times</span>
        <svg class="strip" width={axis.width} height={view.stripTall} aria-hidden="true">
          <path class="calm" d={columns.calm} />
          <path class="late" d={columns.collisions} />
        </svg>
        {at > 0 && at < axis.width && (
          <b class="now figure" aria-hidden="true" style={{ left: `${at}px` }}>
            {clock(new Date(nowMs).toISOString())}
          </b>
        )}
        <div class="times figure" aria-hidden="true">
          {ticks.map(({ x, text, isDay }) => (
            <span key={x} class={isDay ? 'day' : undefined} style={{ left: `${x}px` }}>
              {isDay ? <b>{text}</b> : text}
            </span>
          ))}
          {view.changesOf(clockChanges).map(({ at: when, words }) => (
            <b key={words} class="change" style={{ left: `${axis.xOf(when)}px` }}>
              <Outside text={words} />
            </b>
          ))}
        </div>
      </div>
    </div>
  );
}
