/** The table of the timetable: it scrolls to both sides, by hand, by dragging and by keys. */

import { useComputed, useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Timetable, TimetableRow } from '../../../wings/timetable/contract.ts';
import { now } from '../../client/clock.ts';
import { useWidth } from '../../client/width.ts';
import { Button, Outside } from '../../parts/basic.tsx';
import { useDrawn } from '../../parts/rows.tsx';
import * as view from '../../view/timetable.ts';
import type { Period, Zoom } from '../../view/timetable.ts';
import { pointing, type Pointed } from './pointing.ts';
import { Backdrop, Head, RowOf } from './row.tsx';
import { useWindow } from './window.ts';

interface TableProps {
  rows: readonly TimetableRow[];
  /** The answer with the first rows. */
  whole: Timetable;
  period: Period;
  zoom: Zoom;
  /** The moment in the middle that the address asks for; null for now. */
  at: number | null;
  /** Beside the buttons that move it. */
  children: ComponentChildren;
}

/** The names are above their rows where there is less room. */
const leastWide = 640;
const namesWide = 264;
const borders = 2;

/** The table. */
export function Table({ rows, whole, period, zoom, at, children }: TableProps) {
  const [measure, width] = useWidth();
  const names = width.value < leastWide ? 0 : namesWide;
  const seen = Math.max(0, width.value - names - borders);
  const { from, to } = period;
  const axis = useMemo(() => view.axisOf({ from, to }, zoom, seen), [from, to, zoom, seen]);
  const minute = useComputed(() => Math.floor(now.value / 60_000) * 60_000).value;
  const pointed = useSignal<Pointed | null>(null);
  const stop = useSignal<string | null>(null);
  if (!rows.some(({ id }) => id === stop.peek())) stop.value = rows[0]?.id ?? null;
  const { element, props, reveal, move, toNow } = useWindow({ axis, zoom, seen, at });
  const pointer = pointing({
    rows,
    density: whole.density,
    axis,
    names,
    pointed,
    stop,
    reveal,
  });
  const draw = useDrawn(
    (row: TimetableRow) => <RowOf key={row.id} row={row} axis={axis} nowMs={minute} stop={stop} />,
    [axis, minute],
  );
  return (
    <div class={names === 0 ? 'timetable narrow' : 'timetable'} ref={measure}>
      <div class="moves">
        {children}
        <span />
        <Button aria-label="Earlier" title="Earlier" onClick={() => move(-0.5)}>
          ‹
        </Button>
        <Button onClick={toNow}>Now</Button>
        <Button aria-label="Later" title="Later" onClick={() => move(0.5)}>
          ›
        </Button>
      </div>
      <div
        class="window"
        role="region"
        aria-label="Timetable"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be reached by keys
        tabIndex={rows.length === 0 ? 0 : -1}
        ref={element}
        {...props}
        {...pointer}
        onPointerMove={(event) => {
          props.onPointerMove(event);
          pointer.onPointerMove(event);
        }}
      >
        {seen === 0 ? (
          <p class="waiting" />
        ) : (
          <div class="whole" style={{ width: `${names + axis.width}px` }}>
            <Backdrop axis={axis} nowMs={minute} names={names} changes={whole.clockChanges} />
            <div role="table" aria-label="Timetable" aria-rowcount={rows.length + 1}>
              <Head axis={axis} nowMs={minute} whole={whole} />
              {rows.map(draw)}
            </div>
            <Tip of={pointed} />
          </div>
        )}
      </div>
    </div>
  );
}

function Tip({ of }: { of: Signal<Pointed | null> }) {
  const { words = '', x = 0, y = 0 } = of.value ?? {};
  return (
    <p
      class="tip"
      role="status"
      hidden={of.value === null}
      style={{ left: `${x}px`, top: `${y}px` }}
    >
      <Outside text={words} />
    </p>
  );
}
