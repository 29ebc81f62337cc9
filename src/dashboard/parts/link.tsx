/** A link to another page of this site. */

import type { ComponentChildren } from 'preact';
import { addressOf, go } from '../router.ts';

export interface LinkProps {
  /** The path without the root: `/jobs/ID`. */
  to: string;
  class?: string;
  current?: boolean;
  label?: string;
  /** -1 where the keyboard gets there in another way. */
  tabIndex?: number;
  children: ComponentChildren;
}

/** The link. With a modifier or the middle button it opens another tab, as links do. */
export function Link({ to, class: name, current = false, label, tabIndex, children }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    go(to);
  };
  return (
    <a
      class={name}
      href={addressOf(to)}
      aria-current={current ? 'page' : undefined}
      aria-label={label}
      tabIndex={tabIndex}
      onClick={follow}
    >
      {children}
    </a>
  );
}
