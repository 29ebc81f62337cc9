/** The title of the tab, and its icon: they show trouble when the tab is not in front. */

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { showControls } from '../../../domain/characters.ts';

/** How many jobs and monitors are down. */
export const trouble = signal(0);

/** Sets the title: `(3) Jobs · jobd` while three things are down. */
export function useTitle(name: string): void {
  const down = trouble.value;
  useEffect(() => {
    document.title = `${down > 0 ? `(${down}) ` : ''}${showControls(name)} · jobd`;
  }, [name, down]);
}
