/** What a page shows before its answer has come, and when there is nothing to show. */

import type { ComponentChildren } from 'preact';
import type { Resource } from '../client/resource.ts';
import { lists, type Kind } from '../view/places.ts';
import { Button, Link, Problem } from './basic.tsx';
import { Heading } from './heading.tsx';

interface LoadedProps<T> {
  from: Resource<T>;
  /** What is shown for an address that names nothing. */
  missing?: ComponentChildren;
  children: (body: T) => ComponentChildren;
}

/** Shows the answer, also an old one: the bar on top says since when it is stale. */
export function Loaded<T>({ from, missing, children }: LoadedProps<T>) {
  const { body, failure } = from;
  if (failure.value?.status === 404 && missing !== undefined) return <>{missing}</>;
  if (body.value !== null) return <>{children(body.value)}</>;
  if (failure.value === null) return <p class="waiting">Waiting for jobd…</p>;
  return (
    <div class="stack">
      <Problem text={failure.value.error} />
      <p class="actions">
        <Button onClick={() => void from.reload()}>Try again</Button>
      </p>
    </div>
  );
}

interface InsteadProps {
  title: string;
  /** Where there is something, and what that is called. */
  to: string;
  word: string;
  children?: ComponentChildren;
}

/** What a page shows that has nothing to show, with a link to where there is something. */
export function Instead({ title, to, word, children }: InsteadProps) {
  return (
    <section class="empty">
      <Heading title={title} />
      {children}
      <p>
        <Link to={to}>{word}</Link>
      </p>
    </section>
  );
}

/** The page of an address that names no job, monitor or channel. */
export function MissingThing({ kind }: { kind: Kind }) {
  return <Instead title={`There is no such ${kind}.`} {...lists[kind]} />;
}

/** What a page for sessions that may write shows to the others. */
export function ReadOnly(props: Omit<InsteadProps, 'children'>) {
  return (
    <Instead {...props}>
      <p>This session may only read. This page needs a key that may write.</p>
    </Instead>
  );
}
