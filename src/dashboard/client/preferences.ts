/** What the person of this browser likes. All tabs of the same jobd show the same. */

import { batch, effect, signal } from '@preact/signals';
import { root } from '../router.ts';
import { defaultPreferences, parsePreferences, preferencesKey } from '../view/preferences.ts';
import type { Density, Preferences, Theme } from '../view/preferences.ts';

/** The colours; `system` follows the browser. */
export const theme = signal<Theme>(defaultPreferences.theme);
/** How high rows are. */
export const density = signal<Density>(defaultPreferences.density);
/** Whether single keys do something. */
export const hasShortcuts = signal(defaultPreferences.hasShortcuts);

const key = preferencesKey(root);
/** What the storage holds, as far as this tab knows. */
let kept = '';

/** Shows the preferences on the document from now on, keeps changes, and follows other tabs. Called once, before anything is drawn. */
export function applyPreferences(): void {
  take(read());
  addEventListener('storage', ({ key: changed, newValue }) => {
    // Null: all of the storage was cleared.
    if (changed === key || changed === null) take(newValue);
  });
  effect(() => {
    const { dataset } = document.documentElement;
    dataset['density'] = density.value;
    if (theme.value === 'system') delete dataset['theme'];
    else dataset['theme'] = theme.value;
  });
  effect(() => {
    const text = JSON.stringify({
      theme: theme.value,
      density: density.value,
      hasShortcuts: hasShortcuts.value,
    } satisfies Preferences);
    if (text === kept) return;
    kept = text;
    write(text);
  });
}

function take(text: string | null): void {
  const preferences = parsePreferences(text);
  kept = JSON.stringify(preferences);
  batch(() => {
    theme.value = preferences.theme;
    density.value = preferences.density;
    hasShortcuts.value = preferences.hasShortcuts;
  });
}

function read(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // Forbidden here: preferences last as long as the tab.
  }
}

function write(text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Forbidden or full.
  }
}
