/** A short list within a section, page by page. */

import type { ComponentChildren } from 'preact';
import type { Pages, Row } from '../../client/pages.ts';
import { Problem } from '../../parts/problem.tsx';

interface RowsProps<T extends Row> {
  list: Pages<T>;
  label: string;
  /** Said of an empty list. */
  none: string;
  children: (row: T) => ComponentChildren;
}

/** The list, with a button for more. */
export function Rows<T extends Row>({ list, label, none, children }: RowsProps<T>) {
  const rows = list.rows.value;
  if (rows === null) {
    if (list.failure.value === null) return <p class="waiting">Waiting for jobd…</p>;
    return <Problem text={list.failure.value.error} />;
  }
  return (
    <>
      {rows.length === 0 && <p class="quiet">{none}</p>}
      <ul class="rows" aria-label={label}>
        {rows.map(children)}
      </ul>
      {list.hasMore.value && (
        <p class="more">
          <button type="button" disabled={list.isBusy.value} onClick={() => void list.more()}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}
