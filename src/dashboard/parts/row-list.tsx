/** Lists of rows, page by page. Rows stay where they are while somebody points at them. */

import type { ComponentChildren, VNode } from 'preact';
import { useHeldRows, useHold } from '../client/hold.ts';
import type { Pages } from '../client/pages.ts';
import { useDrawn } from './drawn.ts';
import { HeldNote } from './held-note.tsx';
import { Link } from './link.tsx';
import { Problem } from './problem.tsx';
import { useRowKeys } from './row-keys.ts';

interface RowListProps<T extends { id: string }> {
  list: Pages<T>;
  /** What is listed: with another one the rows begin from scratch. */
  of: string;
  label: string;
  /** What is shown if there are none. */
  none: ComponentChildren;
  /** Draws a row. It depends on nothing but the row and signals. */
  children: (row: T) => VNode;
}

/** The list. */
export function RowList<T extends { id: string }>({
  list,
  of,
  label,
  none,
  children,
}: RowListProps<T>) {
  const hold = useHold();
  const keys = useRowKeys();
  const { rows, waiting } = useHeldRows(list.rows.value ?? [], hold, of);
  const draw = useDrawn(children);
  return (
    <>
      <div ref={keys} {...hold.props}>
        <ListState list={list} none={none} />
        <ol class="rows" aria-label={label}>
          {rows.map(draw)}
        </ol>
        <HeldNote waiting={waiting} onShow={hold.release} />
      </div>
      <More list={list} />
    </>
  );
}

interface TroubleFirstProps<T extends { id: string }> extends RowListProps<T> {
  /** What needs attention, shown above all others. */
  trouble: readonly Pages<T>[];
  /** How many need attention, if somebody counted them. */
  count: number | undefined;
  /** Where all of them are, for each list of `trouble` that has more: address and words. */
  links: readonly (readonly [to: string, words: string])[];
  /** The heading of the others. */
  others: string;
}

/** The list with what needs attention on top. */
export function TroubleFirst<T extends { id: string }>({
  list,
  of,
  label,
  none,
  trouble,
  count,
  links,
  others,
  children,
}: TroubleFirstProps<T>) {
  const hold = useHold();
  const keys = useRowKeys();
  const needy = useHeldRows(
    trouble.flatMap(({ rows }) => rows.value ?? []),
    hold,
    of,
  );
  const shown = useHeldRows(list.rows.value ?? [], hold, of);
  const draw = useDrawn(children);
  const drawAbove = useDrawn(children);
  const above = new Set(needy.rows.map(({ id }) => id));
  const isCalm = needy.rows.length === 0;
  return (
    <>
      <div ref={keys} {...hold.props}>
        {!isCalm && (
          <section class="attention">
            <h2 id="attention">
              Needs attention <span class="figure">({count ?? needy.rows.length})</span>
            </h2>
            <ol class="rows" aria-labelledby="attention">
              {needy.rows.map(drawAbove)}
            </ol>
            {links.map(
              ([to, words], index) =>
                trouble[index]?.hasMore.value === true && (
                  <p key={to}>
                    <Link to={to}>{words}</Link>
                  </p>
                ),
            )}
          </section>
        )}
        <section>
          {!isCalm && <h2>{others}</h2>}
          <ListState list={list} none={none} />
          <ol class="rows" aria-label={label}>
            {shown.rows.filter(({ id }) => !above.has(id)).map(draw)}
          </ol>
        </section>
        <HeldNote waiting={needy.waiting + shown.waiting} onShow={hold.release} />
      </div>
      <More list={list} />
    </>
  );
}

/** What is said in place of rows. */
function ListState<T extends { id: string }>({
  list,
  none,
}: Pick<RowListProps<T>, 'list' | 'none'>) {
  const { rows, failure, hasMore } = list;
  if (rows.value !== null) {
    return rows.value.length === 0 && !hasMore.value ? <div class="none">{none}</div> : null;
  }
  if (failure.value === null) return <p class="waiting">Waiting for jobd…</p>;
  return <Problem text={failure.value.error} />;
}

function More<T extends { id: string }>({ list }: Pick<RowListProps<T>, 'list'>) {
  const { rows, hasMore, isBusy, more } = list;
  if (!hasMore.value) return null;
  return (
    <p class="more">
      <button type="button" disabled={isBusy.value} onClick={() => void more()}>
        {rows.value?.length === 0 ? 'Search on' : 'Show more'}
      </button>
    </p>
  );
}
