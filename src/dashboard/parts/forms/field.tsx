/** A field of a form: its label, what may be in it, and what is wrong with it. */

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Problem } from '../problem.tsx';

/** What the control of a field must carry. */
export interface ControlProps {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  /** What is wrong with it, in a sentence. */
  error?: string | null | undefined;
  /** Whether the error comes while somebody types, so that a screen reader does not interrupt. */
  isPolite?: boolean;
  class?: string;
  children: (control: ControlProps) => ComponentChildren;
}

/** The field. `children` draws the control with what ties it to its label. */
export function Field({
  label,
  hint,
  error = null,
  isPolite = false,
  class: name,
  children,
}: FieldProps) {
  const id = useId();
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(error === null ? [] : [`${id}-error`]),
  ];
  return (
    <div class={`input ${name ?? ''}`}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': error !== null,
        'aria-describedby': described.length === 0 ? undefined : described.join(' '),
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {error !== null && <Problem id={`${id}-error`} text={error} isPolite={isPolite} />}
    </div>
  );
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
  /** The field of the API; after a refusal the focus is found by it. */
  name: string;
  value: string;
  inputMode?: 'url';
  /** The class of the control; `short` is for numbers. */
  as?: 'code' | 'short' | undefined;
  placeholder?: string;
  list?: string;
  onInput: (value: string) => void;
}

/** A field for one line of text. */
export function TextField({
  label,
  hint,
  error,
  isPolite = false,
  as,
  inputMode,
  onInput,
  ...props
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} isPolite={isPolite}>
      {(control) => (
        <input
          {...control}
          {...props}
          type="text"
          class={as}
          inputMode={as === 'short' ? 'numeric' : inputMode}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}
