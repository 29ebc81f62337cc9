/** What the pages of jobs, monitors and channels have in common: where one is, and what one can do. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { setPaused } from '../client/actions.ts';
import { useAgainAfter } from '../client/again.ts';
import { ofOne, useResource } from '../client/resource.ts';
import { mayWrite } from '../client/session.ts';
import { useShortcuts } from '../client/shortcuts.ts';
import { go } from '../router.ts';
import { changesTo } from '../view/audit.ts';
import { lists, pageOf, type Kind } from '../view/places.ts';
import { Button, Glyph, Link, Outside, type Status } from './basic.tsx';
import { Delete } from './dialogs.tsx';
import { Heading } from './heading.tsx';
import { Chips } from './labels.tsx';
import { WindowTags } from './muted.tsx';
import { Loaded, MissingThing } from './loaded.tsx';
import { Menu } from './menu.tsx';
import type { Thing } from './row.tsx';

interface BreadcrumbsProps {
  kind: Kind;
  /** The one that this page is below of; none on its own page, and while it is made. */
  below?: Thing | null;
}

/** The pages above a page: links to the list, and to the page of what is in it. */
export function Breadcrumbs({ kind, below = null }: BreadcrumbsProps) {
  const { to, word } = lists[kind];
  return (
    <nav class="breadcrumbs" aria-label="Breadcrumbs">
      <Link to={to}>{word}</Link>
      {below !== null && (
        <>
          {' '}
          ›{' '}
          <Link to={pageOf(kind, below.id)}>
            <Outside text={below.name} />
          </Link>
        </>
      )}
    </nav>
  );
}

interface ThingPageProps<T> {
  kind: Kind;
  id: string;
  /** The moments at which time alone changes how it is, in epoch milliseconds. */
  moments?: (thing: T) => readonly number[];
  children: (thing: T) => ComponentChildren;
}

/** The page of one. */
export function ThingPage<T>({ kind, id, moments, children }: ThingPageProps<T>) {
  const found = useResource<Record<string, T>>(pageOf(kind, id), ofOne(kind, id));
  useAgainAfter(() => {
    const thing = found.body.value?.[kind];
    return thing === undefined ? [] : (moments?.(thing) ?? []);
  }, found.reload);
  return (
    <Loaded from={found} missing={<MissingThing kind={kind} />}>
      {({ [kind]: thing }) => thing !== undefined && children(thing)}
    </Loaded>
  );
}

interface HeadProps {
  kind: Kind;
  thing: Thing;
  status?: Status;
  /** What is lost when it is deleted. */
  loss: string;
  /** What else is in the menu, first. */
  menu?: ComponentChildren;
  /** Actions that only its kind has, for those who may write. */
  children: ComponentChildren;
}

/** Its name, the buttons, and a menu of what is done less often; `e` edits it. */
export function ThingHead({ kind, thing, status, loss, menu, children }: HeadProps) {
  const isAsking = useSignal(false);
  const edit = `${pageOf(kind, thing.id)}/edit`;
  useShortcuts(mayWrite.value ? { e: () => go(edit) } : {});
  return (
    <>
      <Breadcrumbs kind={kind} />
      <div class="head">
        <Heading title={thing.name}>
          {status !== undefined && <Glyph status={status} />}
          <Outside text={thing.name} />
        </Heading>
        <div class="actions">
          {mayWrite.value && (
            <>
              {children}
              <Link to={edit} class="button">
                Edit
              </Link>
            </>
          )}
          {(mayWrite.value || menu !== undefined) && (
            <Menu label="More actions">
              {menu}
              {mayWrite.value && (
                <>
                  <Link to={changesTo(thing.id)} class="button">
                    Audit trail
                  </Link>
                  <Button onClick={() => (isAsking.value = true)}>Delete</Button>
                </>
              )}
            </Menu>
          )}
        </div>
      </div>
      <Chips kind={kind} labels={thing.labels} />
      <WindowTags of={thing} />
      {isAsking.value && (
        <Delete kind={kind} subject={thing} onClose={() => (isAsking.value = false)}>
          {loss}
        </Delete>
      )}
    </>
  );
}

interface PauseProps {
  kind: 'job' | 'monitor';
  thing: Thing & { paused: boolean };
}

/** Pauses or resumes it; `p` does it, too. */
export function PauseButton({ kind, thing }: PauseProps) {
  const press = (): void => void setPaused(kind, thing, !thing.paused);
  useShortcuts({ p: press });
  return <Button onClick={press}>{thing.paused ? 'Resume' : 'Pause'}</Button>;
}
