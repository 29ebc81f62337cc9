/** Rows never move while somebody points at them: what came meanwhile is counted, and shown when asked for. */

import { signal, type Signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { inPlace, type HeldRows, type Row } from '../view/rows.ts';

/** Whether the pointer or the focus is in the place of `props`. */
export interface Hold {
  isHeld: Signal<boolean>;
  props: {
    onPointerMove: () => void;
    onPointerLeave: () => void;
    onFocusIn: () => void;
    onFocusOut: (event: FocusEvent) => void;
  };
  /** Lets the rows go until the pointer or the focus comes again. */
  release: () => void;
}

/** A pointer that rests for so long points at nothing. */
const restMs = 10_000;

/** A place whose rows stay where they are while somebody is in it. */
export function useHold(): Hold {
  return useMemo(() => {
    const isHeld = signal(false);
    let isPointed = false;
    let isFocused = false;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const set = (): void => {
      isHeld.value = isPointed || isFocused;
    };
    const point = (isThere: boolean): void => {
      clearTimeout(rest);
      if (isThere) rest = setTimeout(() => point(false), restMs);
      if (isPointed === isThere) return;
      isPointed = isThere;
      set();
    };
    return {
      isHeld,
      release: () => {
        isHeld.value = false;
      },
      props: {
        onPointerMove: () => point(true),
        onPointerLeave: () => point(false),
        onFocusIn: () => {
          isFocused = true;
          set();
        },
        onFocusOut: ({ currentTarget, relatedTarget }) => {
          const isInside =
            currentTarget instanceof Node &&
            relatedTarget instanceof Node &&
            currentTarget.contains(relatedTarget);
          isFocused = isInside;
          set();
        },
      },
    };
  }, []);
}

/**
 * While held, rows are updated in place and rows at the end may come; no row comes between, goes or moves. `rows` is null
 * before the first answer.
 */
export function useHeldRows<T extends Row>(
  rows: readonly T[] | null,
  hold: Hold,
  of: unknown,
): HeldRows<T> {
  const shown = useRef<{ of: unknown; rows: readonly T[] | null }>({ of, rows });
  const { of: before, rows: known } = shown.current;
  const isHeld = hold.isHeld.value && before === of && known !== null && rows !== null;
  const held = isHeld ? inPlace(known, rows) : { rows: rows ?? [], waiting: 0 };
  useEffect(() => {
    shown.current = { of, rows: rows === null ? null : held.rows };
  });
  return held;
}
