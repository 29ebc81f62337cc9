/** Short words about what was just done. `parts/frame.tsx` shows them. */

import { signal } from '@preact/signals';
import { path } from '../router.ts';

export interface Toast {
  text: string;
  /** Why something was not done: it stays until it is closed, or another page is shown. */
  isProblem?: boolean;
  /** Where to see what came of it. */
  link?: { to: string; text: string };
}

export const toasts = signal<readonly (Toast & { id: number })[]>([]);

/** Forgets the problems of a page when somebody leaves it. */
export function followPages(): void {
  path.subscribe(() => {
    toasts.value = toasts.peek().filter(({ isProblem }) => isProblem !== true);
  });
}

const shownMs = 8000;
let last = 0;

/** Shows a toast. One with a problem stays until it is closed, others for 8 s. */
export function showToast(what: Toast): void {
  const id = (last += 1);
  const others = toasts.value.filter(({ text }) => text !== what.text);
  toasts.value = [...others.slice(-3), { id, ...what }];
  if (what.isProblem !== true) setTimeout(() => dismissToast(id), shownMs);
}

/** Removes a toast. */
export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}
