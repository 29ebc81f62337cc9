/** A search field whose text is in the address. */

import { useEffect, useRef } from 'preact/hooks';
import { useShortcuts } from '../../client/shortcuts.ts';
import { query, setQuery } from '../../router.ts';

/** Waits until somebody stops typing. */
const pauseMs = 250;

/** The field. `label` says what is searched. */
export function Search({ label, maxLength }: { label: string; maxLength: number }) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const text = query.value.get('q') ?? '';
  useShortcuts({ '/': () => input.current?.focus() });
  // Back and links may change what is searched; what somebody types is never overwritten.
  useEffect(() => {
    const field = input.current;
    if (field !== null && document.activeElement !== field) field.value = text;
  }, [text]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (value: string): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setQuery({ q: value.trim() }), pauseMs);
  };
  return (
    <input
      ref={input}
      class="search"
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={maxLength}
      spellcheck={false}
      autocomplete="off"
      onInput={({ currentTarget }) => search(currentTarget.value)}
    />
  );
}
