/** How the pages are shown in this browser. */

import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { density, hasShortcuts, theme } from '../../client/preferences.ts';

/** The section. */
export function Browser() {
  return (
    <>
      <p class="quiet">Kept in this browser alone.</p>
      <Choice
        legend="Theme"
        chosen={theme}
        options={[
          ['system', 'as the system'],
          ['light', 'light'],
          ['dark', 'dark'],
        ]}
      />
      <Choice
        legend="Rows"
        chosen={density}
        options={[
          ['comfortable', 'comfortable'],
          ['compact', 'compact'],
        ]}
      />
      <Choice
        legend="Keyboard shortcuts"
        chosen={hasShortcuts}
        options={[
          [true, 'on (press ? for the list)'],
          [false, 'off'],
        ]}
      />
    </>
  );
}

interface ChoiceProps<T> {
  legend: string;
  chosen: Signal<T>;
  options: [value: T, words: string][];
}

function Choice<T extends string | boolean>({ legend, chosen, options }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div class="choices">
        {options.map(([value, words]) => (
          <span key={String(value)} class="option">
            <input
              type="radio"
              id={`${name}-${value}`}
              name={name}
              checked={chosen.value === value}
              onChange={() => (chosen.value = value)}
            />
            <label htmlFor={`${name}-${value}`}>{words}</label>
          </span>
        ))}
      </div>
    </fieldset>
  );
}
