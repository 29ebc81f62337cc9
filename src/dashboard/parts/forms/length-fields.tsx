/** A length of time with its unit. */

import type { ComponentChildren } from 'preact';
import type { Length } from '../../view/schedule/lengths.ts';
import { units } from '../../view/schedule/schedule-form.ts';
import type { Unit } from '../../view/schedule/schedule-form.ts';
import { Field } from './field.tsx';

interface LengthFieldsProps {
  label: string;
  /** The field of the API. */
  name?: string;
  length: Length;
  hint?: ComponentChildren;
  error: string | null;
  isPolite?: boolean;
  onChange: (length: Length) => void;
}

/** The number and its unit. */
export function LengthFields({
  label,
  name = '',
  length,
  hint,
  error,
  isPolite = false,
  onChange,
}: LengthFieldsProps) {
  return (
    <Field label={label} hint={hint} error={error} isPolite={isPolite}>
      {(control) => (
        <div class="every">
          <input
            {...control}
            name={name}
            inputMode="decimal"
            autocomplete="off"
            value={length.count}
            onInput={({ currentTarget: { value } }) => onChange({ ...length, count: value })}
          />
          <select
            aria-label={`Unit of ${label.toLowerCase()}`}
            value={length.unit}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...length, unit: value as Unit })
            }
          >
            {Object.keys(units).map((unit) => (
              <option key={unit} value={unit}>
                {unit}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}
