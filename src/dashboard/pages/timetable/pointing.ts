/** What somebody points at in the timetable, by pointer or by keys, and where it leads. */

import type { Signal } from '@preact/signals';
import type { Timetable, TimetableRow } from '../../../wings/timetable/contract.ts';
import { now } from '../../client/clock.ts';
import { go } from '../../router.ts';
import * as view from '../../view/timetable.ts';
import type { Axis, Mark } from '../../view/timetable.ts';

/** A mark of a row, or a minute of the strip, whose row is null: its words, and where they are shown. */
export interface Pointed {
  id: string | null;
  mark: Mark | null;
  words: string;
  x: number;
  y: number;
}

interface PointingAt {
  rows: readonly TimetableRow[];
  density: Timetable['density'];
  axis: Axis;
  /** The width of the names. */
  names: number;
  pointed: Signal<Pointed | null>;
  /** The row that Tab gets to: the last one that had the focus. */
  stop: Signal<string | null>;
  /** Brings a moment into view. */
  reveal: (moment: number) => void;
}

type Of<E extends Event> = E & { currentTarget: HTMLElement };

/** The handlers of the element that scrolls. */
export function pointing(at: PointingAt) {
  const { density, axis, names, pointed } = at;
  /** The pixel of the axis below the pointer; negative on the names. */
  const xIn = ({ clientX, currentTarget: box }: Of<MouseEvent>): number => {
    const x = clientX - box.getBoundingClientRect().left - box.clientLeft - names;
    return x < 0 ? -1 : x + box.scrollLeft;
  };
  const markOf = (event: Of<MouseEvent>, row: TimetableRow): Mark | undefined => {
    const x = xIn(event);
    return x < 0 ? undefined : view.markAt(row, x, axis, now.peek());
  };
  const minuteOf = (event: Of<MouseEvent>): Pointed | null => {
    const isStrip = event.target instanceof Element && event.target.closest('.strip') !== null;
    if (!isStrip) return null;
    const minute = view.minuteAt(density, xIn(event), axis);
    if (minute === null) return null;
    const words = view.minuteWords(minute, density, now.peek());
    const x = names + axis.xOf(Date.parse(minute));
    return { id: null, mark: null, words, x, y: view.stripTall };
  };
  return {
    onPointerLeave: () => (pointed.value = null),
    onPointerMove: (event: Of<PointerEvent>) => {
      const of = rowOf(event, at);
      pointed.value =
        of === null ? minuteOf(event) : markOn(of.row, markOf(event, of.row), of.element, at);
    },
    onClick: (event: Of<MouseEvent>) => {
      const of = rowOf(event, at);
      const mark = of && markOf(event, of.row);
      if (of && mark) go(view.placeOf(of.row, mark));
    },
    onFocusIn: (event: FocusEvent) => {
      const of = rowOf(event, at);
      if (of !== null) at.stop.value = of.row.id;
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (press(event, at)) event.preventDefault();
    },
  };
}

function rowOf({ target }: Event, { rows }: PointingAt) {
  const element = target instanceof Element ? target.closest<HTMLElement>('.row') : null;
  const row = rows.find(({ id }) => id === element?.dataset['id']);
  return element === null || row === undefined ? null : { element, row };
}

function markOn(
  row: TimetableRow,
  mark: Mark | undefined,
  { offsetTop }: HTMLElement,
  { axis, names }: PointingAt,
): Pointed | null {
  if (mark === undefined) return null;
  const words = view.markWords(mark, now.peek());
  return {
    id: row.id,
    mark,
    words,
    x: names + view.middleOf(mark, axis, now.peek()),
    y: offsetTop,
  };
}

/** In a row, the arrows go from row to row and from mark to mark, and Enter opens what one leads to. Says whether the key did something. */
function press(event: KeyboardEvent, at: PointingAt): boolean {
  const { pointed, reveal } = at;
  const of = rowOf(event, at);
  if (of === null) return false;
  const { id, mark = null } = pointed.peek() ?? {};
  const chosen = id === of.row.id ? mark : null;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const { previousElementSibling: ArrowUp, nextElementSibling: ArrowDown } = of.element;
  const name = { ArrowUp, ArrowDown }[event.key]?.querySelector<HTMLElement>('.name');
  if (name) name.focus();
  else if (event.key === 'Enter' && chosen !== null) go(view.placeOf(of.row, chosen));
  else if (event.key === 'Escape') pointed.value = null;
  else {
    const next = by && view.stepFrom(of.row, chosen, by, now.peek());
    if (!next) return false;
    pointed.value = markOn(of.row, next, of.element, at);
    reveal(Date.parse(next.at));
  }
  return true;
}
