/** Chooses the jobs and the monitors that a channel serves, by searching their names. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { ofNothing, useResource } from '../../client/resource.ts';
import type { Channel } from '../../../api/alerts/contract.ts';
import { Button, Outside, Problem } from '../../parts/basic.tsx';
import { Radios } from '../../parts/forms/field.tsx';
import type { FormParts } from '../../parts/forms/items.tsx';
import type { ChannelForm, Served } from '../../view/channel-form.ts';
import { lists } from '../../view/places.ts';
import { useSubject } from './subjects.tsx';

interface ServesProps extends FormParts<ChannelForm, Channel> {
  kind: 'job' | 'monitor';
}

/** Which jobs or which monitors a channel serves: all of them, or chosen ones. */
export function Serves({ kind, form, errorOf, edit }: ServesProps) {
  const name = `${kind}Ids` as const;
  const { isAll, ids } = form[name];
  const error = errorOf(name);
  const set = (served: Partial<Served>): void => edit({ [name]: { ...form[name], ...served } });
  return (
    <div class="stack" role="radiogroup" aria-label={lists[kind].word}>
      <Radios
        name={name}
        options={[
          [true, `All ${kind}s`],
          [false, `Chosen ${kind}s`],
        ]}
        value={isAll}
        onChange={(all) => set({ isAll: all })}
      />
      {error !== null && <Problem text={error} />}
      {!isAll && ids.length === 0 && <p class="hint">None yet: no alerts of {kind}s.</p>}
      {!isAll && <Chosen kind={kind} ids={ids} onChange={(chosen) => set({ ids: chosen })} />}
    </div>
  );
}

interface Found {
  id: string;
  name: string;
}

interface ChosenProps {
  kind: 'job' | 'monitor';
  ids: readonly string[];
  onChange: (ids: readonly string[]) => void;
}

/** How many of each kind are shown for a search. */
const mostFound = 8;
const pauseMs = 250;

/** Those that are chosen, and a search for more. */
function Chosen({ kind, ids, onChange }: ChosenProps) {
  const search = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const asked = usePaused(text.trim());
  const query = `limit=${mostFound}&q=${encodeURIComponent(asked)}`;
  const answer = useResource<Record<string, Found[]>>(`/overview/${kind}s?${query}`, ofNothing);
  const found = answer.body.value?.[`${kind}s`] ?? [];
  const toggle = (id: string): void =>
    onChange(ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]);
  return (
    <div class="stack chosen">
      <ul class="chips" aria-label={`Chosen ${kind}s`}>
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
        aria-label={`Search ${kind}s`}
        placeholder={`Search ${kind}s`}
        maxLength={120}
        autocomplete="off"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        // Enter searches; it does not save the form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <ul class="found" aria-label={`Found ${kind}s`}>
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
  const { name: word } = useSubject(kind, id);
  return (
    <li class="tag">
      <Outside text={word} />
      <Button class="plain" aria-label={`Remove ${word}`} onClick={onRemove}>
        ✕
      </Button>
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
