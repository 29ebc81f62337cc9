/** The icon of the tab, which people see while they look at another one. */

/** Shows the sign of trouble in it, or takes it away. The names of both icons are on the link to the icon. */
export function showTrouble(isTrouble: boolean): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const name = link?.dataset[isTrouble ? 'trouble' : 'calm'];
  if (link === null || name === undefined) return;
  // Beside this script: what is relative to the document changes with the address.
  const { href } = new URL(name, import.meta.url);
  if (link.href !== href) link.href = href;
}
