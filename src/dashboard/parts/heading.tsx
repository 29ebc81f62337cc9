/** The heading of a page, which is also the title of the tab; title and icon show trouble when the tab is not in front. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Outside } from './basic.tsx';
import { signal } from '@preact/signals';
import { showControls } from '../../domain/characters.ts';
import { findLinkBefore } from '../router.ts';

interface HeadingProps {
  /** What the tab is called. */
  title: string;
  children?: ComponentChildren;
}

/** The heading. It gets the focus when its page is shown, so that a screen reader says where one is, unless somebody came back by keyboard. */
export function Heading({ title, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  useEffect(() => (findLinkBefore() ?? heading.current)?.focus({ preventScroll: true }), []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? <Outside text={title} />}
    </h1>
  );
}

/** How many jobs and monitors are down. */
export const trouble = signal(0);

/** Sets the title: `(3) Jobs · jobd` while three things are down. */
function useTitle(name: string): void {
  const down = trouble.value;
  useEffect(() => {
    document.title = `${down > 0 ? `(${down}) ` : ''}${showControls(name)} · jobd`;
  }, [name, down]);
}

/** Shows the sign of trouble in it, or takes it away. The names of both icons are on the link to the icon. */
export function showTrouble(isTrouble: boolean): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const name = link?.dataset[isTrouble ? 'trouble' : 'calm'];
  if (link === null || name === undefined) return;
  // Beside this script: what is relative to the document changes with the address.
  const { href } = new URL(name, import.meta.url);
  if (link.href !== href) link.href = href;
}
