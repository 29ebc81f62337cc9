/** The palette: Ctrl+K finds jobs and monitors by name, the pages, and what one can do with the job that is open. */

import { useEffect, useId, useState } from 'preact/hooks';
import type { JobResponse } from '../../api/jobs/contract.ts';
import { runNow, setPaused } from '../client/actions.ts';
import { ofNothing, ofOne, useResource } from '../client/resource.ts';
import { mayWrite } from '../client/session.ts';
import { go, path } from '../router.ts';
import { lists, pageOf, places } from '../view/places.ts';
import { Outside } from './basic.tsx';
import { Dialog } from './dialogs.tsx';

interface Choice {
  id: string;
  word: string;
  /** What it is. */
  of: string;
  choose: () => unknown;
}

/** So long nothing more is typed before it is searched for. */
const restMs = 200;
const mostFound = 8;

/** Opens it. */
export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) setOpen(true);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return isOpen ? <Open onClose={() => setOpen(false)} /> : null;
}

function Open({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const all = useChoices(text.trim());
  const chosen = all[Math.min(at, all.length - 1)];
  const chosenId = chosen && `${list}-${chosen.id}`;
  useEffect(() => {
    document.getElementById(chosenId ?? '')?.scrollIntoView({ block: 'nearest' });
  }, [chosenId]);
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    onClose();
    // The dialog gives the focus back first.
    setTimeout(choice.choose);
  };
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && all.length > 0) setAt((at + by + all.length) % all.length);
    else if (event.key === 'Enter') choose(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to, or do" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Jobs, monitors, pages and actions"
        aria-autocomplete="list"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={chosenId}
        autocomplete="off"
        maxLength={200}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div class="palette" role="listbox" id={list} aria-label="Found">
        {all.map((choice) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has the keys
          <div
            key={choice.id}
            id={`${list}-${choice.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={choice === chosen}
            onClick={() => choose(choice)}
          >
            <Outside text={choice.word} />{' '}
            <span class="quiet">
              <Outside text={choice.of} />
            </span>
          </div>
        ))}
      </div>
    </Dialog>
  );
}

/** What fits a text: what one can do here first, then pages, then what is found. */
function useChoices(text: string): Choice[] {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), restMs);
    return () => clearTimeout(timer);
  }, [text]);
  const fits = ({ word }: Choice): boolean => word.toLowerCase().includes(text.toLowerCase());
  const fixed = [
    ...useActions(),
    ...places.map(({ to, word }) => ({ id: to, word, of: 'page', choose: () => go(to) })),
  ].filter(fits);
  // What was found for an earlier text may not fit this one.
  const found = [...useFound('job', asked), ...useFound('monitor', asked)];
  return [...fixed, ...(asked === text ? found : found.filter(fits))];
}

/** What one can do with the job that is open. */
function useActions(): Choice[] {
  const [, id = null] = /^\/jobs\/([^/]+)$/.exec(path.value) ?? [];
  const to = id === null || id === 'new' ? null : pageOf('job', id);
  const { job } = useResource<JobResponse>(to, ofOne('job', id ?? '')).body.value ?? {};
  if (to === null || job === undefined) return [];
  const of = job.name;
  const why = document.querySelector<HTMLDetailsElement>('details.why');
  return [
    ...(mayWrite.value
      ? [
          { id: 'run', word: 'Run now', of, choose: () => runNow(job) },
          {
            id: 'pause',
            word: job.paused ? 'Resume' : 'Pause',
            of,
            choose: () => setPaused('job', job, !job.paused),
          },
          { id: 'edit', word: 'Edit', of, choose: () => go(`${to}/edit`) },
        ]
      : []),
    ...(why === null ? [] : [{ id: 'why', word: 'Explain', of, choose: () => (why.open = true) }]),
  ];
}

function useFound(kind: 'job' | 'monitor', text: string): Choice[] {
  const order = kind === 'job' ? 'order=name&' : '';
  const asked = `/overview/${kind}s?${order}limit=${mostFound}&q=${encodeURIComponent(text)}`;
  const { body } = useResource<Record<string, { id: string; name: string }[]>>(
    text === '' ? null : asked,
    ofNothing,
  );
  const found = body.value?.[`${kind}s`] ?? [];
  return found.map(({ id, name }) => ({
    id,
    word: name,
    of: lists[kind].word.slice(0, -1).toLowerCase(),
    choose: () => go(pageOf(kind, id)),
  }));
}
