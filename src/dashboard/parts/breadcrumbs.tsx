/** The pages above a page. */

import { lists, pageOf } from '../view/places.ts';
import type { Kind } from '../view/places.ts';
import { Link } from './link.tsx';
import { Outside } from './outside.tsx';

interface BreadcrumbsProps {
  kind: Kind;
  /** The one that this page is below of; none on its own page, and while it is made. */
  below?: { id: string; name: string } | null;
}

/** Links to the list, and to the page of what is in it. */
export function Breadcrumbs({ kind, below = null }: BreadcrumbsProps) {
  const { path, word } = lists[kind];
  return (
    <nav class="breadcrumbs" aria-label="Breadcrumbs">
      <Link to={path}>{word}</Link> ›{' '}
      {below !== null && (
        <>
          <Link to={pageOf(kind, below.id)}>
            <Outside text={below.name} />
          </Link>{' '}
          ›
        </>
      )}
    </nav>
  );
}
