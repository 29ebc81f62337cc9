/** What is seen of the axis, and how it moves: within its period by scrolling, beyond that by asking for another one. */

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { now } from '../../client/clock.ts';
import { useShortcuts } from '../../client/shortcuts.ts';
import { setQuery } from '../../router.ts';
import { zooms, type Axis, type Zoom } from '../../view/timetable.ts';

interface WindowOf {
  axis: Axis;
  zoom: Zoom;
  /** Pixels of the axis that are seen at once. */
  seen: number;
  /** The moment in the middle that the address asks for; null for now. */
  at: number | null;
}

/** What is nearer to the sides is hardly seen. */
const edge = 24;

/** The window: the ref and the handlers of its element, and what moves it. */
export function useWindow({ axis, zoom, seen, at }: WindowOf) {
  const element = useRef<HTMLDivElement>(null);
  /** The moment in the middle; null before it is known. */
  const middle = useRef<number | null>(at);
  /** Now is at a third of it: there is more to come than has passed. */
  const nowMiddle = (): number => now.peek() + zooms[zoom] / 6;
  const settle = (): void => {
    if (element.current === null || seen === 0) return;
    middle.current ??= nowMiddle();
    element.current.scrollLeft = axis.xOf(middle.current) - seen / 2;
  };
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the axis says all
  useLayoutEffect(settle, [axis]);
  const show = (moment: number): void => {
    const half = zooms[zoom] / 2;
    const isInside = moment - half >= axis.from && moment + half <= axis.to;
    middle.current = moment;
    if (isInside) settle();
    else setQuery({ at: new Date(moment).toISOString() });
  };
  const reveal = (moment: number): void => {
    const x = axis.xOf(moment) - (element.current?.scrollLeft ?? 0);
    if (x < edge || x > seen - edge) show(moment);
  };
  const move = (by: number): void => show((middle.current ?? nowMiddle()) + by * zooms[zoom]);
  const toNow = (): void => {
    middle.current = nowMiddle();
    setQuery({ at: null });
    settle();
  };
  const zoomBy = (by: number): void => {
    const names = Object.keys(zooms);
    const next = names[names.indexOf(zoom) + by];
    if (next !== undefined) setQuery({ zoom: next });
  };
  useShortcuts({
    ',': () => move(-0.25),
    '.': () => move(0.25),
    '0': toNow,
    '+': () => zoomBy(-1),
    '-': () => zoomBy(1),
  });
  const atLeft = (left: number): number =>
    axis.from + ((left + seen / 2) * (axis.to - axis.from)) / axis.width;
  const onScroll = (): void => {
    if (seen > 0) middle.current = atLeft(element.current?.scrollLeft ?? 0);
  };
  const drag = useDrag(element, (left) => show(atLeft(left)));
  return { element, props: { onScroll, ...drag }, reveal, move, toNow };
}

/** So far the pointer may stray in a click. */
const dragFrom = 4;
/** Who pulls further than the end wants more. */
const pullFrom = 40;

/** Drags what an element scrolls with the mouse; fingers scroll by themselves. `pull` gets where it would be beyond its end. */
function useDrag(element: RefObject<HTMLDivElement | null>, pull: (left: number) => void) {
  const drag = useRef<{ x: number; left: number; isMoved: boolean } | null>(null);
  const wasDragged = useRef(false);
  const end = ({ clientX }: PointerEvent): void => {
    const { current } = drag;
    drag.current = null;
    if (current === null || element.current === null) return;
    wasDragged.current = current.isMoved;
    const wanted = current.left + current.x - clientX;
    if (current.isMoved && Math.abs(wanted - element.current.scrollLeft) > pullFrom) pull(wanted);
  };
  return {
    onPointerDown: ({ clientX, button, pointerType }: PointerEvent) => {
      wasDragged.current = false;
      if (button !== 0 || pointerType !== 'mouse') return;
      drag.current = { x: clientX, left: element.current?.scrollLeft ?? 0, isMoved: false };
    },
    onPointerMove: (event: PointerEvent) => {
      const { current } = drag;
      if (current === null || element.current === null) return;
      if (event.buttons === 0) {
        end(event);
        return;
      }
      const by = current.x - event.clientX;
      if (!current.isMoved && Math.abs(by) < dragFrom) return;
      if (!current.isMoved) element.current.setPointerCapture(event.pointerId);
      current.isMoved = true;
      element.current.scrollLeft = current.left + by;
    },
    onPointerUp: end,
    onDragStart: (event: Event) => event.preventDefault(),
    /** The end of dragging is no click. */
    onClickCapture: (event: MouseEvent) => {
      if (!wasDragged.current) return;
      event.stopPropagation();
      event.preventDefault();
    },
  };
}
