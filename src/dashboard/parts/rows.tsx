/** Lists of rows, page by page. Rows stay where they are while somebody points at them. */

import type { ComponentChildren, VNode, Ref } from 'preact';
import { now } from '../client/clock.ts';
import { useHeldRows, useHold } from '../client/hold.ts';
import type { Pages } from '../client/pages.ts';
import { byDay, nameOf, type Row } from '../view/rows.ts';
import { Button, Link, Problem } from './basic.tsx';
import { useMemo, useRef } from 'preact/hooks';
import { useShortcuts } from '../client/shortcuts.ts';

interface RowListProps<T extends Row> {
  list: Pages<T>;
  /** What is listed: with another one the rows begin from scratch. */
  of: string;
  label: string;
  /** What is shown if there are none. */
  none: ComponentChildren;
  /** Draws a row. It depends on nothing but the row and signals. */
  children: (row: T) => VNode;
}

interface HeldListProps<T extends Row> extends Omit<RowListProps<T>, 'label' | 'children'> {
  /** Whether rows have actions. */
  canAct?: boolean;
  /** Draws what is shown of the rows. */
  children: (rows: readonly T[]) => ComponentChildren;
}

/** Rows in any arrangement, with what is said in place of them and a button for more. */
export function HeldList<T extends Row>({
  list,
  of,
  none,
  canAct = true,
  children,
}: HeldListProps<T>) {
  const hold = useHold();
  const keys = useRowKeys({ canAct });
  const { rows, waiting } = useHeldRows(list.rows.value, hold, of);
  return (
    <>
      <div ref={keys} {...hold.props}>
        <ListState list={list} none={none} />
        {children(rows)}
        <HeldNote waiting={waiting} onShow={hold.release} />
      </div>
      <More list={list} />
    </>
  );
}

/** The list. */
export function RowList<T extends Row>({ label, children, ...props }: RowListProps<T>) {
  const draw = useDrawn(children);
  return (
    <HeldList {...props}>
      {(rows) => (
        <ol class="rows" aria-label={label}>
          {rows.map(draw)}
        </ol>
      )}
    </HeldList>
  );
}

interface DayListProps<T extends Row> extends Omit<RowListProps<T>, 'label'> {
  timeOf: (row: T) => string;
}

/** The list with a heading for each day. */
export function DayList<T extends Row>({ timeOf, children, ...props }: DayListProps<T>) {
  const draw = useDrawn(children);
  return (
    <HeldList {...props}>
      {(all) => (
        <div class="stack">
          {byDay(all, timeOf, now.peek()).map(({ date, title, rows }) => (
            <section key={date}>
              <h2 id={`day-${date}`}>{title}</h2>
              <ol class="rows" aria-labelledby={`day-${date}`}>
                {rows.map(draw)}
              </ol>
            </section>
          ))}
        </div>
      )}
    </HeldList>
  );
}

interface TroubleFirstProps<T extends Row> extends RowListProps<T> {
  /** The rows of the list in the order in which they are shown; null before it is known what needs attention. */
  rows: readonly T[] | null;
  /** What needs attention, shown above all others. */
  trouble: readonly T[];
  /** How many do. */
  count: number;
  /** Where all of them are, if these are not: address and words. */
  links: readonly (readonly [to: string, words: string])[];
  /** The heading of the others. */
  others: string;
}

/** The list with what needs attention on top. */
export function TroubleFirst<T extends Row>({
  list,
  rows,
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
  const needy = useHeldRows(rows === null ? null : trouble, hold, of);
  const shown = useHeldRows(rows, hold, of);
  const draw = useDrawn(children);
  const drawAbove = useDrawn(children);
  const above = new Set(needy.rows.map(nameOf));
  const isCalm = needy.rows.length === 0;
  const rest = shown.rows.filter((row) => !above.has(nameOf(row)));
  return (
    <>
      <div ref={keys} {...hold.props}>
        {!isCalm && (
          <section class="attention">
            <h2 id="attention">
              Needs attention <span class="figure">({count})</span>
            </h2>
            <ol class="rows" aria-labelledby="attention">
              {needy.rows.map(drawAbove)}
            </ol>
            {links.map(([to, words]) => (
              <p key={to}>
                <Link to={to}>{words}</Link>
              </p>
            ))}
          </section>
        )}
        {/* Another one once there are rows: what waited is not seen to move down. */}
        <section key={rows === null ? 'waiting' : 'rows'}>
          {!isCalm && rest.length > 0 && <h2>{others}</h2>}
          {rows === null && list.failure.value === null ? (
            <p class="waiting">Waiting for jobd…</p>
          ) : (
            <ListState list={list} none={none} />
          )}
          <ol class="rows" aria-label={label}>
            {rest.map(draw)}
          </ol>
        </section>
        <HeldNote waiting={needy.waiting + shown.waiting} onShow={hold.release} />
      </div>
      <More list={list} />
    </>
  );
}

/** What is said in place of rows. */
function ListState<T extends Row>({ list, none }: Pick<RowListProps<T>, 'list' | 'none'>) {
  const { rows, failure, hasMore } = list;
  if (rows.value?.length === 0) {
    return <div class="none">{hasMore.value ? 'Nothing found yet.' : none}</div>;
  }
  if (rows.value !== null) return null;
  if (failure.value === null) return <p class="waiting">Waiting for jobd…</p>;
  return <Problem text={failure.value.error} />;
}

/** A button for the next page. */
function More<T extends Row>({ list: { rows, hasMore, isBusy, more } }: { list: Pages<T> }) {
  if (!hasMore.value) return null;
  return (
    <p class="more">
      <Button disabled={isBusy.value} onClick={() => void more()}>
        {rows.value?.length === 0 ? 'Search on' : 'Show more'}
      </Button>
    </p>
  );
}

/** The button; nothing while nothing waits. */
function HeldNote({ waiting, onShow }: { waiting: number; onShow: () => void }) {
  return (
    <p class="held" role="status">
      {waiting > 0 && (
        <Button onClick={onShow}>{waiting === 1 ? '1 change' : `${waiting} changes`} · show</Button>
      )}
    </p>
  );
}

/** Returns a function that draws a row, or returns what it drew for the same object: there may be thousands. `draw` depends on `of`, and on nothing else. */
export function useDrawn<T extends object>(
  draw: (row: T) => VNode,
  of: readonly unknown[] = [],
): (row: T) => VNode {
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- rows of something else are other ones
  const drawn = useMemo(() => new WeakMap<T, VNode>(), of);
  return (row) => {
    const known = drawn.get(row);
    if (known !== undefined) return known;
    const made = draw(row);
    drawn.set(row, made);
    return made;
  };
}

/** Belongs to the element around the rows. The focus is always on the name of a row. `canAct`: whether rows have actions. */
function useRowKeys({ canAct = true } = {}): Ref<HTMLDivElement> {
  const place = useRef<HTMLDivElement>(null);
  const step = (by: number): void => {
    const names = [...(place.current?.querySelectorAll<HTMLElement>('.row .name') ?? [])];
    const at = names.findIndex((name) => name.closest('.row')?.contains(document.activeElement));
    const next = at === -1 ? (by > 0 ? 0 : names.length - 1) : at + by;
    names[next]?.focus();
  };
  const press = (key: string): void => {
    const row = document.activeElement?.closest('.row');
    row?.querySelector<HTMLElement>(`[data-key='${key}']`)?.click();
  };
  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    ...(canAct && { r: () => press('r'), p: () => press('p') }),
  });
  return place;
}
