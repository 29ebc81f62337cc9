/** A menu of less usual actions: a button that shows others below it. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The menu. `label` says of what. It closes with Escape, with a choice, and when the focus leaves. */
export function Menu({ label, children }: { label: string; children: ComponentChildren }) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      const isInside = event.target instanceof Node && menu.current?.contains(event.target);
      if (menu.current?.open === true && isInside !== true) menu.current.open = false;
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('focusin', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('focusin', close);
    };
  }, []);
  useEffect(() => {
    const box = menu.current;
    const shut = (): void => {
      if (box === null) return;
      box.open = false;
      box.querySelector('summary')?.focus();
    };
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape' && box?.open === true) shut();
    };
    const onClick = ({ target }: MouseEvent): void => {
      if (target instanceof Element && target.closest('button, a') !== null) shut();
    };
    box?.addEventListener('keydown', onKey);
    box?.addEventListener('click', onClick);
    return () => {
      box?.removeEventListener('keydown', onKey);
      box?.removeEventListener('click', onClick);
    };
  }, []);
  return (
    <details ref={menu} class="menu">
      <summary aria-label={label}>⋯</summary>
      <div>{children}</div>
    </details>
  );
}
