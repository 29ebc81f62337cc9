/** Counts that filter a list: links, so that an address keeps what is chosen. */

import { place } from '../../router.ts';
import { Glyph } from '../glyph.tsx';
import type { Status } from '../glyph.tsx';
import { Link } from '../link.tsx';
import { figures } from '../../view/figures.ts';

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
  filters: Filter[];
}

/** The filters. Those that find nothing are left out, except the chosen one. */
export function Filters({ label, name, chosen, filters }: FiltersProps) {
  const shown = filters.filter(
    ({ value, count }) => value === null || value === chosen || count !== 0,
  );
  return (
    <nav class="filters" aria-label={label}>
      {shown.map(({ value, word, count, isPartial = false, glyph }) => (
        <Link key={word} to={withQuery(name, value)} current={value === chosen}>
          {glyph !== undefined && <Glyph status={glyph} />}
          {count !== undefined && (
            <span class="figure">{`${figures(count)}${isPartial ? '+' : ''} `}</span>
          )}
          {word}
        </Link>
      ))}
    </nav>
  );
}

/** The address of this page with another value of a name. */
function withQuery(name: string, value: string | null): string {
  const { path, query } = place.value;
  const next = new URLSearchParams(query);
  if (value === null) next.delete(name);
  else next.set(name, value);
  const text = next.toString();
  return path + (text === '' ? '' : `?${text}`);
}
