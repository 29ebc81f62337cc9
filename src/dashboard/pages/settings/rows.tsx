/** A short list within a section, page by page. */

import type { ComponentChildren } from 'preact';
import type { Pages } from '../../client/pages.ts';
import { ListState, More } from '../../parts/rows/row-list.tsx';
import type { Row } from '../../view/held.ts';

interface RowsProps<T extends Row> {
  list: Pages<T>;
  label: string;
  /** Said of an empty list. */
  none: string;
  children: (row: T) => ComponentChildren;
}

/** The list, with a button for more. */
export function Rows<T extends Row>({ list, label, none, children }: RowsProps<T>) {
  return (
    <>
      <ListState list={list} none={none} />
      <ul class="rows" aria-label={label}>
        {list.rows.value?.map(children)}
      </ul>
      <More list={list} />
    </>
  );
}
