/** What is above a list: filters and search. The address keeps what is chosen. */

import { useSignal } from '@preact/signals';
import type { LabelOverview } from '../../api/overview/contract.ts';
import { ofNothing, useResource } from '../client/resource.ts';
import { place, query, setQuery } from '../router.ts';
import { Glyph, Link, type Status } from './basic.tsx';
import { figures } from '../view/figures.ts';
import { labelWord } from '../view/labels.ts';
import { useEffect, useRef } from 'preact/hooks';
import { useShortcuts } from '../client/shortcuts.ts';

/** A filter with how many it finds; without a number if nobody counted. */
export interface Filter {
  /** What the address has for it; null for no filter. */
  value: string | null;
  word: string;
  count?: number | undefined;
  /** Whether there may be more. */
  isPartial?: boolean;
  glyph?: Status;
}

interface FiltersProps {
  label: string;
  /** The name in the address. */
  name: string;
  chosen: string | null;
  filters: readonly Filter[];
}

/** The filters. Each stays where it is, also while it finds nothing. */
export function Filters({ label, name, chosen, filters }: FiltersProps) {
  return (
    <nav class="filters" aria-label={label} onFocusIn={showWhole}>
      {filters.map(({ value, word, isPartial = false, glyph, ...filter }) => (
        <Link key={word} to={withQuery(name, value)} current={value === chosen}>
          {glyph !== undefined && <Glyph status={glyph} />}
          {'count' in filter && (
            <span class="figure">
              {filter.count !== undefined && `${figures(filter.count)}${isPartial ? '+' : ''} `}
            </span>
          )}
          {word}
        </Link>
      ))}
    </nav>
  );
}

/** On a phone filters scroll sideways: a browser leaves one that is cut off as it is. */
function showWhole({ target }: FocusEvent): void {
  if (target instanceof Element) target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** The address of this page with another value of a name. */
function withQuery(name: string, value: string | null): string {
  const { path, query: asked } = place.value;
  const next = new URLSearchParams(asked);
  if (value === null) next.delete(name);
  else next.set(name, value);
  const text = next.toString();
  return path + (text === '' ? '' : `?${text}`);
}

/** Waits until somebody stops typing. */
const pauseMs = 250;

/** The field. `label` says what is searched. */
export function Search({ label, maxLength }: { label: string; maxLength: number }) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isUsed = useSignal(false);
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
    <>
      <input
        ref={input}
        class="search"
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={maxLength}
        spellcheck={false}
        autocomplete="off"
        list={isUsed.value ? 'labels' : undefined}
        onFocus={() => (isUsed.value = true)}
        onInput={({ currentTarget }) => search(currentTarget.value)}
      />
      {isUsed.value && <KnownLabels />}
    </>
  );
}

/** The labels there are, for the search. */
function KnownLabels() {
  const known = useResource<LabelOverview>('/overview/labels', ofNothing).body.value;
  return (
    <datalist id="labels">
      {known?.labels.map(({ key, value, jobs, monitors }) => (
        <option key={`${key}=${value}`} value={labelWord(key, value)}>
          {jobs + monitors}
        </option>
      ))}
    </datalist>
  );
}
