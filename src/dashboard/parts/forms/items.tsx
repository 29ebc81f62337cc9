/** Draws the fields of a form from their description, so that each form is a list of what it asks for. */

import type { ComponentChildren } from 'preact';
import type { FieldError, Labels } from '../../view/forms.ts';
import type { Length } from '../../view/schedule-form.ts';
import { Flag, LengthField, SecretField, Select, TextArea, TextField } from './field.tsx';
import type { Options } from './field.tsx';

/** What the fields of a form are drawn from. `T` is what is edited. */
export interface FormParts<F, T> {
  form: F;
  /** What is edited, as it was when somebody began to type; null for a new one. */
  thing: T | null;
  labels: Labels;
  /** What is wrong. */
  error: FieldError | null;
  errorOf: (name: string) => string | null;
  edit: (changes: Partial<F>) => void;
  /** Changes what is typed by then, and leads to what is still to be filled in. */
  fill: (make: (typed: F) => F) => void;
}

/** A field of a form. */
interface FieldItem<F, T> {
  /** `number` is short, `url` has no blanks at its ends, and the value of a `length` is one. */
  as: 'line' | 'number' | 'url' | 'secret' | 'prose' | 'code' | 'choice' | 'length' | 'flag';
  /** Its name in the form and in the API. */
  name: keyof F & string;
  /** What the form calls it, if that is another than usual. */
  label?: string;
  hint?: string | ((form: F, thing: T | null) => ComponentChildren);
  placeholder?: string;
  rows?: number;
  options?: Options;
  isOptional?: true;
  isFixed?: (thing: T | null) => boolean;
  /** What becomes of a text that was typed, beside the one before. */
  typed?: (typed: string, before: string) => string;
}

/** Fields side by side (`target`: the first one is narrow), or what a form draws itself. */
type Arranged<F, T> =
  | { as: 'pair' | 'target'; items: readonly Item<F, T>[] }
  | { as: 'own'; draw: (parts: FormParts<F, T>) => ComponentChildren };

/** A field of a form, or several. It is asked for unless `isShown` says otherwise. */
export type Item<F, T> = (FieldItem<F, T> | Arranged<F, T>) & {
  isShown?: (form: F, thing: T | null) => boolean;
};

/** A group of fields. */
export interface Section<F, T> {
  legend: string;
  items: readonly Item<F, T>[];
}

interface SectionsProps<F, T> {
  sections: readonly Section<F, T>[];
  parts: FormParts<F, T>;
}

/** The groups of a form. */
export function Sections<F, T>({ sections, parts }: SectionsProps<F, T>) {
  return (
    <>
      {sections.map(({ legend, items }) => (
        <fieldset key={legend} class="panel">
          <legend>{legend}</legend>
          <Items items={items} parts={parts} />
        </fieldset>
      ))}
    </>
  );
}

function Items<F, T>({ items, parts }: Pick<Section<F, T>, 'items'> & { parts: FormParts<F, T> }) {
  return (
    <>
      {items.map(
        (item, index) =>
          item.isShown?.(parts.form, parts.thing) !== false && (
            // oxlint-disable-next-line react/no-array-index-key -- fields never move
            <Drawn key={index} item={item} parts={parts} />
          ),
      )}
    </>
  );
}

function Drawn<F, T>({ item, parts }: { item: Item<F, T>; parts: FormParts<F, T> }) {
  if (item.as === 'own') return <>{item.draw(parts)}</>;
  if ('items' in item) {
    return (
      <div class={item.as}>
        <Items items={item.items} parts={parts} />
      </div>
    );
  }
  const { form, thing, labels, errorOf, edit } = parts;
  const { as, name, hint, typed, isOptional } = item;
  const label = item.label ?? labels[name] ?? name;
  const common = {
    name,
    label: isOptional === true ? `${label} (optional)` : label,
    hint: typeof hint === 'function' ? hint(form, thing) : hint,
    error: errorOf(name),
  };
  const set = (changed: unknown): void => edit({ [name]: changed } as unknown as Partial<F>);
  if (as === 'flag') return <Flag label={label} value={form[name] as boolean} onChange={set} />;
  if (as === 'length') {
    return <LengthField {...common} value={form[name] as Length} onChange={set} />;
  }
  const value = form[name] as string;
  const text = {
    ...common,
    value,
    onChange: (next: string): void => set(typed === undefined ? next : typed(next, value)),
  };
  if (as === 'secret') return <SecretField {...text} />;
  if (as === 'prose' || as === 'code')
    return <TextArea {...text} class={as} rows={item.rows ?? 3} />;
  if (as === 'choice') {
    const { options = [], isFixed } = item;
    return <Select {...text} options={options} disabled={isFixed?.(thing) === true} />;
  }
  const { placeholder } = item;
  if (as === 'url') {
    const trim = (next: string): void => set(next.trim());
    return (
      <TextField {...text} {...{ placeholder }} class="code" inputMode="url" onChange={trim} />
    );
  }
  const short = as === 'number' && ({ class: 'short', inputMode: 'numeric' } as const);
  return <TextField {...text} {...{ placeholder }} {...short} />;
}
