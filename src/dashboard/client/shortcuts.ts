/** Shortcuts of the keyboard: single keys, never while something is typed, and people can switch them off. */

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { go } from '../router.ts';
import { places } from '../view/places.ts';
import { hasShortcuts } from './preferences.ts';

/** What a key does on a page; `g` with a second key goes to a page. */
export type Shortcuts = Record<string, () => void>;

/** Whether their list is shown. */
export const isHelpShown = signal(false);

const onPage = new Set<Shortcuts>();
let isGoing = false;

/** Adds shortcuts while a component is shown. */
export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    onPage.add(shortcuts);
    return () => {
      onPage.delete(shortcuts);
    };
  });
}

/** Begins to listen to keys. */
export function startShortcuts(): void {
  addEventListener('keydown', (event) => {
    if (!hasShortcuts.value || isTaken(event)) return;
    const action = actionFor(event.key);
    isGoing = !isGoing && event.key === 'g';
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

function actionFor(key: string): (() => void) | undefined {
  const to = isGoing ? places.find((place) => place.key === key)?.to : undefined;
  if (to !== undefined) return () => go(to);
  if (key === '?') return () => (isHelpShown.value = true);
  return [...onPage].findLast((shortcuts) => Object.hasOwn(shortcuts, key))?.[key];
}

/** Whether the key belongs to something else: a field, a dialog, the browser. */
function isTaken({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  if (defaultPrevented || ctrlKey || metaKey || altKey) return true;
  if (document.querySelector('dialog[open]') !== null) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'))
  );
}
