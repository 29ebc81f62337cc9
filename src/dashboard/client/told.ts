/** Short words about what was just done. `parts/toast.tsx` shows them. */

import { signal } from '@preact/signals';

/** Something to say. */
export interface Told {
  text: string;
  /** Why something was not done: it stays until it is closed. */
  isProblem?: boolean;
  /** Where to see what came of it. */
  link?: { to: string; text: string };
}

/** What is shown now. */
export const told = signal<readonly (Told & { id: number })[]>([]);

const shownMs = 8000;
let last = 0;

/** Says it. */
export function tell(what: Told): void {
  const id = (last += 1);
  told.value = [...told.value.slice(-3), { id, ...what }];
  if (what.isProblem !== true) setTimeout(() => untell(id), shownMs);
}

/** Takes it away. */
export function untell(id: number): void {
  told.value = told.value.filter((one) => one.id !== id);
}
