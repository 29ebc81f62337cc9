/** How wide an element is, so that drawings fill it. */

import { signal, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

/** The ref of an element, and its width in pixels; 0 until it is known. */
export function useWidth(): [(element: Element | null) => void, ReadonlySignal<number>] {
  return useMemo(() => {
    const width = signal(0);
    const watch = new ResizeObserver(([seen]) => {
      width.value = Math.floor(seen?.contentRect.width ?? 0);
    });
    const place = (element: Element | null): void => {
      if (element === null) watch.disconnect();
      else watch.observe(element);
    };
    return [place, width];
  }, []);
}
