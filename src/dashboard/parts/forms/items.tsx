/** Draws the fields of a form by their rows in the tables of fields, so that each form is a list of names. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Field, Form } from '../../../domain/fields.ts';
import { tables, type Labels } from '../../view/forms.ts';
import type { Kind } from '../../view/places.ts';
import type { Length } from '../../view/typed.ts';
import { Flag, LengthField, SecretField, Select, TextArea, TextField } from './field.tsx';
import type { Options } from './field.tsx';

/** What the fields of a form are drawn from. `T` is what is edited. */
export interface FormParts<F, T> {
  form: F;
  /** What is edited, as it was when somebody began to type; null for a new one. */
  thing: T | null;
  labels: Labels;
  errorOf: (name: string) => string | null;
  edit: (changes: Partial<F>) => void;
  /** Changes what is typed by then, and leads to what is still to be filled in. */
  fill: (make: (typed: F) => F) => void;
}

type Name<F> = keyof F & string;

/** What a form says of a field besides its row in the table. */
interface About<F, T> {
  /** How it is typed, if it has no row. */
  form?: Form;
  /** What the form calls it, if that is another than usual. */
  label?: string;
  hint?: string | ((form: F, thing: T | null) => ComponentChildren);
  placeholder?: string;
  options?: Options;
  isShown?: (form: F, thing: T | null) => boolean;
  isFixed?: (thing: T | null) => boolean;
  /** What becomes of a text that was typed, beside the one before. */
  typed?: (typed: string, before: string) => string;
}

/** What a form says of its fields. */
export type AboutFields<F, T> = { readonly [One in Name<F>]?: About<F, T> };

/** A field, several side by side, or what a form draws itself. */
type Item<F, T> = Name<F> | readonly Name<F>[] | ((parts: FormParts<F, T>) => ComponentChildren);

/** A group of fields. */
export interface Section<F, T> {
  legend: string;
  items: readonly Item<F, T>[];
  /** Whether it is folded while each of its fields, and of those that `draws` names, is as in a new one. */
  isFolded?: true;
  /** The fields that the form draws itself. */
  draws?: readonly Name<F>[];
}

interface SectionsProps<F, T> {
  kind: Kind;
  sections: readonly Section<F, T>[];
  about: AboutFields<F, T>;
  parts: FormParts<F, T>;
  /** The form of a new one. */
  blank: F;
}

/** The groups of a form. */
export function Sections<F, T>({ sections, blank, ...of }: SectionsProps<F, T>) {
  const { form, errorOf } = of.parts;
  const isNeeded = (name: Name<F>): boolean =>
    errorOf(name) !== null || JSON.stringify(form[name]) !== JSON.stringify(blank[name]);
  return (
    <>
      {sections.map(({ legend, items, isFolded = false, draws = [] }) => {
        const names = items.flatMap((item): readonly Name<F>[] =>
          typeof item === 'function' ? draws : typeof item === 'string' ? [item] : item,
        );
        return (
          <Group key={legend} legend={legend} isFolded={isFolded} isNeeded={names.some(isNeeded)}>
            {items.map((item) =>
              typeof item === 'function' ? (
                item(of.parts)
              ) : typeof item === 'string' ? (
                <Named key={item} name={item} {...of} />
              ) : (
                // A word before a URL is narrow.
                <div key={item.join()} class={item[1] === 'url' ? 'target' : 'pair'}>
                  {item.map((name) => (
                    <Named key={name} name={name} {...of} />
                  ))}
                </div>
              ),
            )}
          </Group>
        );
      })}
    </>
  );
}

interface GroupProps {
  legend: string;
  isFolded: boolean;
  /** It opens then, and stays open until somebody closes it. */
  isNeeded: boolean;
  children: ComponentChildren;
}

function Group({ legend, isFolded, isNeeded, children }: GroupProps) {
  const fold = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    if (isNeeded && fold.current !== null) fold.current.open = true;
  }, [isNeeded]);
  if (!isFolded) {
    return (
      <fieldset class="panel">
        <legend>{legend}</legend>
        {children}
      </fieldset>
    );
  }
  return (
    <details ref={fold} class="panel">
      <summary>{legend}</summary>
      <fieldset class="stack" aria-label={legend}>
        {children}
      </fieldset>
    </details>
  );
}

/** Longer texts have several lines. */
const longestLine = 1_000;

type NamedProps<F, T> = Omit<SectionsProps<F, T>, 'sections' | 'blank'> & { name: Name<F> };

/** A field; nothing while it is not asked for. */
function Named<F, T>({ kind, name, about, parts }: NamedProps<F, T>) {
  const { form, thing, labels, errorOf, edit } = parts;
  const row: Field | undefined = tables[kind][name];
  const { hint, typed, placeholder, ...more }: About<F, T> = about[name] ?? {};
  if (more.isShown?.(form, thing) === false) return null;
  const as = more.form ?? row?.form;
  const rule = row?.rule;
  const value = form[name] as string;
  const set = (changed: unknown): void => edit({ [name]: changed } as unknown as Partial<F>);
  const common = {
    name,
    value,
    label: more.label ?? labels[name] ?? name,
    hint: typeof hint === 'function' ? hint(form, thing) : hint,
    error: errorOf(name),
    onChange: (next: string): void => set(typed === undefined ? next : typed(next, value)),
  };
  if (as === 'flag') {
    return <Flag label={common.label} value={form[name] as boolean} onChange={set} />;
  }
  if (as === 'duration') {
    return <LengthField {...common} value={form[name] as Length} onChange={set} />;
  }
  if (as === 'secret') return <SecretField {...common} />;
  if (as === 'content') return <TextArea {...common} class="code" rows={6} />;
  if (as === 'word') {
    const options = more.options ?? rule?.enum?.map((word) => [word ?? '', word ?? ''] as const);
    return <Select {...common} options={options ?? []} disabled={more.isFixed?.(thing) === true} />;
  }
  if (as === 'url') {
    const trim = (next: string): void => set(next.trim());
    return (
      <TextField {...common} {...{ placeholder }} class="code" inputMode="url" onChange={trim} />
    );
  }
  if (as === 'time') return <TextField {...common} type="datetime-local" />;
  if (as === 'count' || as === 'seconds') {
    return <TextField {...common} class="short" inputMode="numeric" />;
  }
  if ((rule?.maxLength ?? 0) > longestLine) return <TextArea {...common} class="prose" rows={3} />;
  return <TextField {...common} {...{ placeholder }} />;
}
