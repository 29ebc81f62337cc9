/** The heading of a page, which is also its title. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Outside } from './outside.tsx';
import { useTitle } from './frame/title.ts';

interface HeadingProps {
  /** What the tab is called. */
  title: string;
  children?: ComponentChildren;
}

/** The heading. It gets the focus when its page is shown, so that a screen reader says where one is. */
export function Heading({ title, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? <Outside text={title} />}
    </h1>
  );
}
