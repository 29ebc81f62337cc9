/** The fields of forms: each with its label, what may be in it, and what is wrong with it. */

import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { units, type Length, type Unit } from '../../view/typed.ts';
import { Button, Problem } from '../basic.tsx';

interface Labelled {
  label: string;
  hint?: ComponentChildren;
  /** What is wrong with it, in a sentence. */
  error?: string | null | undefined;
  /** Whether the error comes while somebody types, so that a screen reader does not interrupt. */
  isPolite?: boolean;
}

/** What the control of a field must carry. */
interface ControlProps {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

interface FieldProps extends Labelled {
  children: (control: ControlProps) => ComponentChildren;
}

/** A field; `children` draws its control, with what ties it to its label. */
export function Field({ label, hint, error = null, isPolite = false, children }: FieldProps) {
  const id = useId();
  const hasHint = hint !== undefined && hint !== null;
  const described = [
    ...(hasHint ? [`${id}-hint`] : []),
    ...(error === null ? [] : [`${id}-error`]),
  ];
  return (
    <div class="input">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': error !== null,
        'aria-describedby': described.join(' ') || undefined,
      })}
      {hasHint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {error !== null && <Problem id={`${id}-error`} text={error} isPolite={isPolite} />}
    </div>
  );
}

/** A field of the API. After a refusal the focus is found by its name. */
interface FieldOf<Value> extends Labelled {
  name: string;
  value: Value;
  onChange: (value: Value) => void;
}

/** For what no browser knows better. */
export const unaided = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } as const;

interface TextFieldProps extends FieldOf<string> {
  class?: 'code' | 'short' | undefined;
  inputMode?: 'url' | 'numeric' | undefined;
  placeholder?: string | undefined;
  list?: string;
  type?: 'text' | 'datetime-local';
}

/** A line of text, or a date and time. */
export function TextField(props: TextFieldProps) {
  const { name, value, onChange, class: kind, inputMode, placeholder, list } = props;
  const { type = 'text' } = props;
  return (
    <Field {...props}>
      {(control) => (
        <input
          {...control}
          {...unaided}
          {...{ name, value, inputMode, placeholder, list, type }}
          class={kind}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface TextAreaProps extends FieldOf<string> {
  class: 'prose' | 'code';
  rows: number;
}

/** Several lines of text. */
export function TextArea(props: TextAreaProps) {
  const { name, value, onChange, class: kind, rows } = props;
  return (
    <Field {...props}>
      {(control) => (
        <textarea
          {...control}
          {...(kind === 'code' && unaided)}
          {...{ name, value, rows }}
          class={kind}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A value that nobody should read over a shoulder, until it is shown. */
export function SecretField(props: FieldOf<string>) {
  const { name, value, onChange } = props;
  const [isShown, setShown] = useState(false);
  return (
    <Field {...props}>
      {(control) => (
        <div class="field">
          <input
            {...control}
            {...unaided}
            {...{ name, value }}
            {...({ type: isShown ? 'text' : 'password' } as { type: 'password' })}
            autocomplete="new-password"
            class="code"
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
          <Button aria-pressed={isShown} onClick={() => setShown(!isShown)}>
            Show
          </Button>
        </div>
      )}
    </Field>
  );
}

/** The values of a choice, each with its words. */
export type Options = readonly (readonly [value: string, words: string])[];

interface SelectProps extends FieldOf<string> {
  options: Options;
  disabled?: boolean;
}

/** A choice of one of several words. */
export function Select(props: SelectProps) {
  const { name, value, onChange, options, disabled = false } = props;
  return (
    <Field {...props}>
      {(control) => (
        <select
          {...control}
          {...{ name, value, disabled }}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        >
          {options.map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A length of time: a number and its unit. */
export function LengthField(props: FieldOf<Length>) {
  const { label, name, value, onChange } = props;
  return (
    <Field {...props}>
      {(control) => (
        <div class="every">
          <input
            {...control}
            name={name}
            inputMode="decimal"
            autocomplete="off"
            value={value.count}
            onInput={({ currentTarget }) => onChange({ ...value, count: currentTarget.value })}
          />
          <select
            aria-label={`Unit of ${label.toLowerCase()}`}
            value={value.unit}
            onChange={({ currentTarget }) =>
              onChange({ ...value, unit: currentTarget.value as Unit })
            }
          >
            {Object.keys(units).map((unit) => (
              <option key={unit}>{unit}</option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}

interface FlagProps {
  label: string;
  value: boolean;
  onChange: (value: boolean) => void;
}

/** A box to tick. */
export function Flag({ label, value, onChange }: FlagProps) {
  return (
    <label class="option">
      <input
        type="checkbox"
        checked={value}
        onChange={({ currentTarget: { checked } }) => onChange(checked)}
      />{' '}
      {label}
    </label>
  );
}

interface RadiosProps<T> {
  name: string;
  /** The words of each value. */
  options: readonly (readonly [value: T, words: string])[];
  value: T;
  onChange: (value: T) => void;
}

/** A choice of one of a few, all of which are shown. */
export function Radios<T>({ name, options, value, onChange }: RadiosProps<T>) {
  return (
    <div class="choice">
      {options.map(([option, words]) => (
        <label key={words} class="option">
          <input
            type="radio"
            name={name}
            checked={option === value}
            onChange={() => onChange(option)}
          />{' '}
          {words}
        </label>
      ))}
    </div>
  );
}
