/** What this browser prefers. */
import { signal } from '@preact/signals';

/** Colours. */
export const theme = signal<'system' | 'light' | 'dark'>('system');
/** How much room a row has. */
export const density = signal<'comfortable' | 'compact'>('comfortable');
/** Whether single keys do something. */
export const hasShortcuts = signal(true);
/** Applies them to the document. */
export function applyPreferences(): void {}
