/** The title of the tab. */

import { useEffect } from 'preact/hooks';
import { showControls } from '../../domain/characters.ts';

/** Sets it: `(3) Jobs · jobd` while three things are down. */
export function useTitle(name: string, down = 0): void {
  useEffect(() => {
    document.title = `${down > 0 ? `(${down}) ` : ''}${showControls(name)} · jobd`;
  }, [name, down]);
}
