/** Sign-in links: what `jobd open` prints. */

import { signal } from '@preact/signals';
import { codeIn } from '../view/sign-in-code.ts';

/** The code of the link by which somebody came; null once it was tried. */
export const linkCode = signal<string | null>(null);

/** Takes the code out of the address, so that neither the history nor a screenshot keeps it. */
export function takeCode(): void {
  const code = codeIn(location.hash);
  if (code === null) return;
  history.replaceState(null, '', location.pathname);
  linkCode.value = code;
}

/** Takes codes of links that are opened in a tab that shows the page already. */
export function followLinks(): void {
  addEventListener('hashchange', takeCode);
}
