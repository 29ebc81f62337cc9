/** Rows that are drawn once: a list of a thousand draws only what changed in it. */

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';

/** Returns a function that draws a row, or returns what it drew for the same object. `draw` depends on nothing else. */
export function useDrawn<T extends object>(draw: (row: T) => VNode): (row: T) => VNode {
  const drawn = useMemo(() => new WeakMap<T, VNode>(), []);
  return (row) => {
    const known = drawn.get(row);
    if (known !== undefined) return known;
    const made = draw(row);
    drawn.set(row, made);
    return made;
  };
}
