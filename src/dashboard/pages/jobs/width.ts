/** How much room a drawing has. */

import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

/** The width of the element with this ref in pixels; 0 until it is known. */
export function useWidth<T extends HTMLElement>(): [RefObject<T | null>, ReadonlySignal<number>] {
  const place = useRef<T>(null);
  const width = useMemo(() => signal(0), []);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const watch = new ResizeObserver(([seen]) => {
      width.value = Math.floor(seen?.contentRect.width ?? 0);
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [width]);
  return [place, width];
}
