/** A value that nobody should read over a shoulder, until it is shown. */

import { useState } from 'preact/hooks';
import type { ControlProps } from './field.tsx';

interface HiddenInputProps {
  control: ControlProps;
  /** The field of the API; after a refusal the focus may be found by it. */
  name?: string;
  value: string;
  onInput: (value: string) => void;
}

/** The field with its button. */
export function HiddenInput({ control, name, value, onInput }: HiddenInputProps) {
  const [isShown, setShown] = useState(false);
  return (
    <div class="field">
      <input
        {...control}
        name={name}
        class="code"
        {...({ type: isShown ? 'text' : 'password' } as { type: 'password' })}
        value={value}
        spellcheck={false}
        autocomplete="new-password"
        autocapitalize="off"
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <button type="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
        Show
      </button>
    </div>
  );
}
