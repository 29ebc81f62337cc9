/** Going through rows with the keyboard: `j` and `k` move, `r` and `p` act on the row. */

import type { Ref } from 'preact';
import { useRef } from 'preact/hooks';
import { useShortcuts } from '../../client/shortcuts.ts';

/** Belongs to the element around the rows. The focus is always on the name of a row. `canAct`: whether rows have actions. */
export function useRowKeys({ canAct = true } = {}): Ref<HTMLDivElement> {
  const place = useRef<HTMLDivElement>(null);
  const step = (by: number): void => {
    const names = [...(place.current?.querySelectorAll<HTMLElement>('.row .name') ?? [])];
    const at = names.findIndex((name) => name.closest('.row')?.contains(document.activeElement));
    const next = at === -1 ? (by > 0 ? 0 : names.length - 1) : at + by;
    names[next]?.focus();
  };
  const press = (key: string): void => {
    const row = document.activeElement?.closest('.row');
    row?.querySelector<HTMLElement>(`[data-key='${key}']`)?.click();
  };
  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    ...(canAct && { r: () => press('r'), p: () => press('p') }),
  });
  return place;
}
