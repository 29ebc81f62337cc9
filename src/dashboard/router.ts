/** The address: which page it names, and how to get to another one without loading the document again. */

import { signal } from '@preact/signals';

/** The path of the site, with a slash at its end. The script is at ROOT/assets/NAME. */
export const root = new URL('..', import.meta.url).pathname;

/** The path of the page that is shown, without the root: `/`, `/sign-in`. */
export const path = signal(pathOf(location));

/** Shows another page. `replace` leaves no step back to the one before. */
export function go(to: string, { replace = false } = {}): void {
  const url = root + to.slice(1);
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  path.value = to;
}

/** Follows the buttons of the browser. */
export function followHistory(): void {
  addEventListener('popstate', () => {
    path.value = pathOf(location);
  });
}

function pathOf({ pathname }: Location): string {
  return `/${pathname.slice(root.length)}`;
}
