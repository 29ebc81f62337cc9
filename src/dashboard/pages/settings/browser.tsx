/** How the pages are shown in this browser. */

import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Radios } from '../../parts/forms/field.tsx';
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

function Choice<T>({ legend, chosen, options }: ChoiceProps<T>) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      <Radios
        name={useId()}
        options={options}
        value={chosen.value}
        onChange={(value) => (chosen.value = value)}
      />
    </fieldset>
  );
}
