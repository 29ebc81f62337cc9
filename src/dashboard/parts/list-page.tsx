/** The list of all jobs, monitors or channels: those that need attention first, then the others. */

import type { ComponentChildren, VNode } from 'preact';
import { useAgainAfter } from '../client/again.ts';
import { usePages, type Pages } from '../client/pages.ts';
import { ofAll, ofOne } from '../client/resource.ts';
import { mayWrite } from '../client/session.ts';
import { query } from '../router.ts';
import { searchIn } from '../view/labels.ts';
import { lists, type Kind } from '../view/places.ts';
import { Link, type Status } from './basic.tsx';
import { Copyable } from './copyable.tsx';
import { Heading } from './heading.tsx';
import { TroubleFirst } from './rows.tsx';
import { Filters, Search, type Filter } from './tools.tsx';

/** Nothing that needs attention. */
const calm: readonly Status[] = [];

/** As many are shown above all others. */
const mostTrouble = 20;
/** As many are looked at: the API does not order by how long something is down. */
const mostSorted = 100;

type Counts = Readonly<Partial<Record<Status | 'total', number>>> & { isPartial?: boolean };

interface ListPageProps<T extends { id: string }> {
  kind: Kind;
  /** Where the API lists them. */
  from: string;
  /** What else is asked for. */
  asked?: Record<string, string>;
  /** What is searched, and how long a text may be; none if nothing is. */
  search?: readonly [label: string, maxLength: number];
  /** The states that one can filter by, in their order. */
  states?: readonly Status[];
  /** How many are in each, and in all; undefined before that is known. */
  counts?: Counts | undefined;
  isIn?: (thing: T, state: Status) => boolean;
  /** Another filter, and what is said if it finds none. */
  moreFilters?: readonly (Filter & { none: string })[];
  /** The states that need attention. */
  trouble?: readonly Status[];
  /** Since when one does, in ISO 8601: what broke last is first. */
  since?: (thing: T) => string;
  /** The heading of the others. */
  others?: string;
  /** The moments at which time alone changes a row, in epoch milliseconds. */
  moments?: (thing: T) => readonly number[];
  /** Beside the button for a new one. */
  actions?: ComponentChildren;
  /** Beside the search. */
  tools?: ComponentChildren;
  renderAbove?: (rows: readonly T[]) => ComponentChildren;
  /** The page while there are none. */
  empty: VNode;
  /** Draws a row. */
  children: (thing: T) => VNode;
}

/** The page. */
export function ListPage<T extends { id: string }>(props: ListPageProps<T>) {
  const { kind, children, trouble = calm, counts, search } = props;
  const listed = useListed(props);
  const { status, text, isWhole, path, list, needy, rows, isAwaited } = listed;
  if (isWhole && list.rows.value?.length === 0 && !list.hasMore.value) return props.empty;
  const { to, word } = lists[kind];
  const none = props.moreFilters?.find(({ value }) => value === status)?.none;
  return (
    <>
      <div class="head">
        <Heading title={word} />
        {/* Not before it is known that there are any: else it vanishes under the finger that is about to press it. */}
        {mayWrite.value && list.rows.value !== null && (
          <p class="actions">
            {props.actions}
            <New kind={kind} />
          </p>
        )}
      </div>
      {search !== undefined && (
        <div class="tools">
          <Filters
            label={`${word} by state`}
            name="status"
            chosen={status}
            filters={filtersOf(props, listed)}
          />
          <div class="find">
            <Search label={search[0]} maxLength={search[1]} />
            {props.tools}
          </div>
        </div>
      )}
      {props.renderAbove?.([...needy, ...rows])}
      <TroubleFirst
        list={list}
        rows={isAwaited || list.rows.value === null ? null : rows}
        of={path}
        label={word}
        trouble={needy.slice(0, mostTrouble)}
        count={Math.max(
          trouble.reduce((sum, state) => sum + (counts?.[state] ?? 0), 0),
          needy.length,
        )}
        links={
          needy.length > mostTrouble
            ? trouble.map((one) => [`${to}?status=${one}`, `All ${kind}s that are ${one}`])
            : []
        }
        others={props.others ?? ''}
        none={
          <p>
            {text !== '' && `No ${kind} has this text.`}
            {text === '' && (none ?? `No ${kind} is ${status ?? 'here'}.`)}{' '}
            <Link to={to}>All {kind}s</Link>
          </p>
        }
      >
        {children}
      </TroubleFirst>
    </>
  );
}

/** What the address asks for, and the rows: of all of them also those that need attention, what broke last first. */
function useListed<T extends { id: string }>(props: ListPageProps<T>) {
  const { kind, from, asked, trouble = calm, since = () => '', moments } = props;
  const status = query.value.get('status');
  const text = query.value.get('q') ?? '';
  const isTrouble = trouble.some((state) => state === status);
  const limit = isTrouble || text !== '' ? mostSorted : 50;
  const path = pathOf(from, { limit, status, ...searchIn(text), ...asked });
  const list = useThings<T>(kind, path);
  const isWhole = status === null && text === '';
  const pathTo = (state: Status | undefined): string | null =>
    isWhole && state !== undefined ? pathOf(from, { status: state, limit: mostSorted }) : null;
  const first = useThings<T>(kind, pathTo(trouble[0]));
  const second = useThings<T>(kind, pathTo(trouble[1]));
  const above = isWhole ? [first, second].slice(0, trouble.length) : [];
  const isAwaited = above.some(({ rows: some, failure }) => (some.value ?? failure.value) === null);
  const needy = byTime(above.flatMap(rowsOf), since);
  const isSorted = isTrouble && asked?.['order'] === undefined;
  const rows = isSorted ? byTime(rowsOf(list), since) : rowsOf(list);
  useAgainAfter(
    () => [...needy, ...rows].flatMap((row) => moments?.(row) ?? []),
    () => [...above, list].forEach(({ reload }) => void reload()),
  );
  return { status, text, isWhole, path, list, needy, rows, isAwaited };
}

/** The filters with their counts. Of a search, what it found is counted if all of it is there. */
function filtersOf<T extends { id: string }>(
  { states = [], counts, isIn, moreFilters = [] }: ListPageProps<T>,
  { status, text, list, rows }: ReturnType<typeof useListed<T>>,
): Filter[] {
  const isWhole = list.rows.value !== null && !list.hasMore.value;
  const { isPartial = false } = counts ?? {};
  const counted = (filter: Filter, finds?: (row: T) => boolean): Filter => {
    if (text === '') return filter;
    const some = status === null && finds !== undefined ? rows.filter(finds) : null;
    const found = filter.value === status ? rows : some;
    return { ...filter, count: isWhole ? found?.length : undefined, isPartial: false };
  };
  return [
    counted({ value: null, word: 'all', count: counts?.total, isPartial }),
    ...states.map((state) => {
      const filter = { value: state, word: state, count: counts?.[state], isPartial, glyph: state };
      return counted(filter, (row) => isIn?.(row, state) === true);
    }),
    ...moreFilters.map((filter) => counted(filter)),
  ];
}

function rowsOf<T extends { id: string }>({ rows }: Pages<T>): readonly T[] {
  return rows.value ?? [];
}

/** Those with the latest time first. */
function byTime<T>(things: readonly T[], timeOf: (thing: T) => string): readonly T[] {
  return things.toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)));
}

/** The list at a path, or none. */
function useThings<T extends { id: string }>(kind: Kind, path: string | null): Pages<T> {
  return usePages<T>(path, `${kind}s`, ofAll(kind), ({ id }, change) => ofOne(kind, id)(change));
}

/** The address that asks for these; what is null or empty is not asked for. */
function pathOf(from: string, asked: Record<string, string | number | null>): string {
  const wanted = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value !== null && value !== '') wanted.set(name, String(value));
  }
  return `${from}?${wanted.toString()}`;
}

/** A link to the editor. */
function New({ kind }: { kind: Kind }) {
  return (
    <Link to={`/${kind}s/new`} class="button main">
      New {kind}
    </Link>
  );
}

interface EmptyProps {
  kind: Kind;
  /** Commands that make one, each with a sentence before it. */
  lines?: readonly (readonly [sentence: string, command: string])[];
  /** What one is for. */
  children: ComponentChildren;
}

/** The first day: there is none yet. */
export function Empty({ kind, lines, children }: EmptyProps) {
  return (
    <section class="empty">
      <Heading title={`No ${kind}s yet`} />
      {children}
      {mayWrite.value && (
        <>
          <p class="actions">
            <New kind={kind} />
          </p>
          {lines?.map(([sentence, command]) => (
            <div key={command} class="stack">
              <p class="quiet">{sentence}</p>
              <Copyable text={command} />
            </div>
          ))}
        </>
      )}
    </section>
  );
}
