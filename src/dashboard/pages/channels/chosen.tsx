/** Chooses the jobs or the monitors that a channel serves, by searching their names. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { ofNothing, useResource } from '../../client/resource.ts';
import { Outside } from '../../parts/outside.tsx';
import { useSubject } from './subjects.tsx';

interface Found {
  id: string;
  name: string;
}

interface ChosenProps {
  kind: 'jobs' | 'monitors';
  ids: readonly string[];
  onChange: (ids: readonly string[]) => void;
}

/** How many of each kind are shown for a search. */
const mostFound = 8;
const pauseMs = 250;

/** Those that are chosen, and a search for more. */
export function Chosen({ kind, ids, onChange }: ChosenProps) {
  const search = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const asked = usePaused(text.trim());
  const query = `limit=${mostFound}&q=${encodeURIComponent(asked)}`;
  const answer = useResource<Record<string, Found[]>>(`/overview/${kind}?${query}`, ofNothing);
  const found = answer.body.value?.[kind] ?? [];
  const toggle = (id: string): void =>
    onChange(ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]);
  return (
    <div class="stack chosen">
      <ul class="chips" aria-label={`Chosen ${kind}`}>
        {ids.map((id) => (
          <Chip
            key={id}
            kind={kind}
            id={id}
            onRemove={() => {
              toggle(id);
              search.current?.focus();
            }}
          />
        ))}
      </ul>
      <input
        ref={search}
        type="search"
        aria-label={`Search ${kind}`}
        placeholder={`Search ${kind}`}
        maxLength={120}
        autocomplete="off"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        // Enter searches; it does not save the form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <ul class="found" aria-label={`Found ${kind}`}>
        {found.map(({ id, name }) => (
          <li key={id}>
            <label class="option">
              <input type="checkbox" checked={ids.includes(id)} onChange={() => toggle(id)} />
              <Outside text={name} />
            </label>
          </li>
        ))}
      </ul>
      {found.length === 0 && answer.body.value !== null && (
        <p class="quiet">No name has this text.</p>
      )}
    </div>
  );
}

interface ChipProps extends Pick<ChosenProps, 'kind'> {
  id: string;
  onRemove: () => void;
}

function Chip({ kind, id, onRemove }: ChipProps) {
  const { name, to } = useSubject(kind, id);
  const word = name ?? (to === null ? 'deleted' : '…');
  return (
    <li class="tag">
      <Outside text={word} />
      <button type="button" class="plain" aria-label={`Remove ${word}`} onClick={onRemove}>
        ✕
      </button>
    </li>
  );
}

/** The text when somebody has stopped typing. */
function usePaused(text: string): string {
  const [paused, set] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => set(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
