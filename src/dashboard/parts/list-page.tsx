/** The list of all jobs, monitors or channels: those that need attention first, then the others. */

import type { ComponentChildren, VNode } from 'preact';
import { useAgainAfter } from '../client/again.ts';
import { usePages, type Pages } from '../client/pages.ts';
import { ofAll, ofOne } from '../client/resource.ts';
import { mayWrite } from '../client/session.ts';
import { query } from '../router.ts';
import { searchIn } from '../view/labels.ts';
import { lists, type Kind } from '../view/places.ts';
import { Link } from './basic.tsx';
import { Copyable } from './copyable.tsx';
import { Heading } from './heading.tsx';
import { TroubleFirst } from './rows.tsx';
import { Filters, Search, type Filter } from './tools.tsx';

/** Nothing that needs attention. */
const calm: readonly string[] = [];

/** As many of each status are shown above all others. */
const mostTrouble = 20;

interface ListPageProps<T extends { id: string }> {
  kind: Kind;
  /** Where the API lists them. */
  from: string;
  /** What else is asked for. */
  asked?: Record<string, string>;
  /** What is searched, and how long a text may be; none if nothing is. */
  search?: readonly [label: string, maxLength: number];
  filters?: readonly Filter[];
  /** The statuses that need attention. */
  trouble?: readonly string[];
  /** How many need attention, if somebody counted them. */
  troubled?: number | undefined;
  /** The heading of the others. */
  others?: string;
  /** What is said if no row has this status, or this text. */
  noneWords?: (status: string | null, text: string) => string;
  /** The moments at which time alone changes a row, in epoch milliseconds. */
  moments?: (thing: T) => readonly number[];
  /** Beside the button for a new one. */
  actions?: ComponentChildren;
  /** Beside the search. */
  tools?: ComponentChildren;
  /** Above the rows. */
  renderAbove?: (rows: readonly T[]) => ComponentChildren;
  /** The page while there are none. */
  empty: VNode;
  /** Draws a row. */
  children: (thing: T) => VNode;
}

/** The page. */
export function ListPage<T extends { id: string }>({
  kind,
  from,
  asked,
  trouble = calm,
  moments,
  children,
  ...parts
}: ListPageProps<T>) {
  const status = query.value.get('status');
  const text = query.value.get('q') ?? '';
  const isWhole = status === null && text === '';
  const path = pathOf(from, { limit: 50, status, ...searchIn(text), ...asked });
  const list = useThings<T>(kind, path);
  const pathTo = (one: string | undefined): string | null =>
    isWhole && one !== undefined ? pathOf(from, { status: one, limit: mostTrouble }) : null;
  const first = useThings<T>(kind, pathTo(trouble[0]));
  const second = useThings<T>(kind, pathTo(trouble[1]));
  const above = isWhole ? [first, second].slice(0, trouble.length) : [];
  const rows = [...above, list].flatMap((some) => some.rows.value ?? []);
  useAgainAfter(
    () => rows.flatMap((row) => moments?.(row) ?? []),
    () => [...above, list].forEach(({ reload }) => void reload()),
  );
  if (isWhole && list.rows.value?.length === 0 && !list.hasMore.value) return parts.empty;
  const { to, word } = lists[kind];
  return (
    <>
      <div class="head">
        <Heading title={word} />
        {/* Not before it is known that there are any: else it vanishes under the finger that is about to press it. */}
        {mayWrite.value && list.rows.value !== null && (
          <p class="actions">
            {parts.actions}
            <New kind={kind} />
          </p>
        )}
      </div>
      {parts.filters !== undefined && (
        <div class="tools">
          <Filters
            label={`${word} by state`}
            name="status"
            chosen={status}
            filters={parts.filters}
          />
          <div class="find">
            {parts.search !== undefined && (
              <Search label={parts.search[0]} maxLength={parts.search[1]} />
            )}
            {parts.tools}
          </div>
        </div>
      )}
      {parts.renderAbove?.(rows)}
      <TroubleFirst
        list={list}
        of={path}
        label={word}
        trouble={above}
        count={parts.troubled}
        links={trouble.map((one) => [`${to}?status=${one}`, `All ${kind}s that are ${one}`])}
        others={parts.others ?? ''}
        none={
          <p>
            {parts.noneWords?.(status, text)} <Link to={to}>All {kind}s</Link>
          </p>
        }
      >
        {children}
      </TroubleFirst>
    </>
  );
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
