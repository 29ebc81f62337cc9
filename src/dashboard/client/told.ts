/** Short words about what was just done. `parts/frame/toast.tsx` shows them. */

import { signal } from '@preact/signals';
import { path } from '../router.ts';

/** Something to say. */
export interface Told {
  text: string;
  /** Why something was not done: it stays until it is closed, or another page is shown. */
  isProblem?: boolean;
  /** Where to see what came of it. */
  link?: { to: string; text: string };
}

/** What is shown now. */
export const told = signal<readonly (Told & { id: number })[]>([]);

/** Forgets the problems of a page when somebody leaves it. */
export function followPages(): void {
  path.subscribe(() => {
    told.value = told.peek().filter(({ isProblem }) => isProblem !== true);
  });
}

const shownMs = 8000;
let last = 0;

/** Says it. */
export function tell(what: Told): void {
  const id = (last += 1);
  const others = told.value.filter(({ text }) => text !== what.text);
  told.value = [...others.slice(-3), { id, ...what }];
  if (what.isProblem !== true) setTimeout(() => untell(id), shownMs);
}

/** Takes it away. */
export function untell(id: number): void {
  told.value = told.value.filter((one) => one.id !== id);
}
