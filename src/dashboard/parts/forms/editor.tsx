/** The editor of a job, a monitor or a channel: a new one, or one that there is. Nothing that was typed is lost, whatever the server says. */

import type { ComponentChildren, TargetedSubmitEvent, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Failure } from '../../client/api.ts';
import { ofOne, useResource } from '../../client/resource.ts';
import { change, create, mayWrite } from '../../client/session.ts';
import { secretIsLost, useStay } from '../../client/stay.ts';
import { showToast, type Toast } from '../../client/toasts.ts';
import { go, stayUntil } from '../../router.ts';
import {
  brokenFields,
  differences,
  differing,
  fieldError,
  fieldLabels,
  fieldWords,
} from '../../view/forms.ts';
import type { FieldError, Labels } from '../../view/forms.ts';
import { lists, pageOf, type Kind } from '../../view/places.ts';
import { Button, Note, Outside, Problem, Link } from '../basic.tsx';
import { Breadcrumbs } from '../thing.tsx';
import { MadeSecret } from '../dialogs.tsx';
import { Heading } from '../heading.tsx';
import { Loaded, MissingThing, ReadOnly } from '../loaded.tsx';
import { Sections, type AboutFields, type FormParts, type Section } from './items.tsx';

interface Named {
  id: string;
  name: string;
}

/** Where somebody goes after saving, and what is said there. */
export interface Leaving {
  to: string;
  toasts: readonly Toast[];
}

/** What the editor of a kind is made of. `T` is a thing of it, `F` what is typed about one. */
export interface EditorOf<T extends Named, F extends object> {
  kind: Kind;
  sections: readonly Section<F, T>[];
  about: AboutFields<F, T>;
  /** The form of a thing, or of a new one. */
  formOf: (thing: T | null) => F;
  /** What was typed, as the API takes it. */
  inputOf: (form: F) => object;
  /** What the form calls fields that only it has. */
  labelsOf?: (form: F) => Labels;
  /** The fields of the API that must be filled in and are not, the first one first. */
  emptyIn: (form: F) => string[];
  /** What can be compared of two readings of a thing, if that is not what its form sends. */
  readingOf?: (thing: T) => object;
  /** What is sent again if a field has changed: times of another zone are other ones. */
  tied?: Readonly<Record<string, readonly string[]>>;
  /** What is wrong that the API cannot see, in a sentence like its own. */
  problemOf?: (form: F, thing: T | null) => string | null;
  /** Where the secret is that the API made with it, and what checks with it. */
  secret?: { name: string; use: string };
  /** What is said of a thing that was saved, after that. */
  remark?: (thing: T) => string;
  /** Another way to create one: with more fields, and something to do then. */
  otherwise?: { word: string; fields: object; proceed: (thing: T) => Promise<Leaving> };
  /** What somebody who edits one should know. */
  note?: (thing: T) => VNode;
  /** What is above the form of a new one. */
  above?: (parts: FormParts<F, T>) => ComponentChildren;
}

interface EditorProps<T extends Named, F extends object> {
  of: EditorOf<T, F>;
}

/** The page; with an id it edits that one. */
export function EditorPage<T extends Named, F extends object>({
  of,
  id,
}: EditorProps<T, F> & { id?: string | undefined }) {
  const { kind } = of;
  const found = useResource<Record<string, T>>(
    id === undefined ? null : pageOf(kind, id),
    ofOne(kind, id ?? ''),
  );
  if (!mayWrite.value) {
    return <ReadOnly title={`${id === undefined ? 'New' : 'Edit'} ${kind}`} {...lists[kind]} />;
  }
  if (id === undefined) return <Editor of={of} current={null} />;
  // What was typed stays, even when it is gone.
  const missing = found.body.value === null ? <MissingThing kind={kind} /> : undefined;
  const isGone = found.failure.value?.status === 404;
  return (
    <Loaded from={found} missing={missing}>
      {({ [kind]: current = null }) => <Editor of={of} current={current} isGone={isGone} />}
    </Loaded>
  );
}

interface CurrentProps<T extends Named, F extends object> extends EditorProps<T, F> {
  /** What is edited as it is now, also when somebody else changes it meanwhile. */
  current: T | null;
  isGone?: boolean;
}

function Editor<T extends Named, F extends object>({
  of,
  current,
  isGone = false,
}: CurrentProps<T, F>) {
  const { kind, note, above } = of;
  const editing = useEditing(of, current);
  const { thing, parts, errors, changed, isDirty, isBusy, made, load, save, element } = editing;
  const general = errors.find(({ field }) => field === null);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void save(false);
  };
  return (
    <div class="stack editor">
      <div class="stack">
        <Breadcrumbs kind={kind} below={thing} />
        {thing === null ? (
          <Heading title={`New ${kind}`} />
        ) : (
          <Heading title={`Edit ${thing.name}`}>
            Edit <Outside text={thing.name} />
          </Heading>
        )}
        {thing !== null && note?.(thing)}
        {isGone && (
          <Note role="alert" status="late">
            This {kind} was deleted meanwhile. What you typed is still here, but it cannot be saved.
          </Note>
        )}
        {changed.length > 0 && isDirty && !isGone && (
          <Note role="status" status="late">
            This {kind} was changed meanwhile: {fieldWords(changed)}. Your text stays as it is, and
            Save changes only the fields that you changed.{' '}
            <Button onClick={() => load({ fields: ['name'] })}>Load its values, drop mine</Button>
          </Note>
        )}
      </div>
      {thing === null && above?.(parts)}
      <form ref={element} noValidate onSubmit={submit}>
        {general !== undefined && (
          <div class="refusal" tabIndex={-1}>
            <Problem text={general.error} />
          </div>
        )}
        <Sections {...of} parts={parts} blank={of.formOf(null)} />
        <p class="actions">
          <button type="submit" class="main" aria-disabled={isBusy}>
            {isBusy ? 'Saving…' : 'Save'}
          </button>
          {thing === null && of.otherwise !== undefined && (
            <Button aria-disabled={isBusy} onClick={() => void save(true)}>
              {of.otherwise.word}
            </Button>
          )}
          <Link to={thing === null ? lists[kind].to : pageOf(kind, thing.id)} class="button plain">
            Cancel
          </Link>
        </p>
      </form>
      {made !== null && (
        <MadeSecret title="Keep the signing secret" secret={made.secret} onKept={made.leave}>
          {of.secret?.use}
        </MadeSecret>
      )}
    </div>
  );
}

/** What is typed, what is wrong with it, and saving it. */
function useEditing<T extends Named, F extends object>(of: EditorOf<T, F>, current: T | null) {
  const [thing, setThing] = useState(current);
  const [base, setBase] = useState(() => of.formOf(thing));
  const [form, setForm] = useState(base);
  const [isBusy, setBusy] = useState(false);
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [toFocus, setToFocus] = useState<{ fields: readonly (string | null)[] } | null>(null);
  const [made, setMade] = useState<{ secret: string; leave: () => void } | null>(null);
  const element = useRef<HTMLFormElement>(null);
  const latest = useRef(form);
  latest.current = form;
  const isDirty = made === null && JSON.stringify(form) !== JSON.stringify(base);
  const readingOf = of.readingOf ?? ((one: T) => of.inputOf(of.formOf(one)));
  const changed =
    thing === null || current === null ? [] : differences(readingOf(thing), readingOf(current));
  const isOther = changed.length > 0;

  /** Shows the values that there are now. */
  const load = (focus: typeof toFocus): void => {
    const next = of.formOf(current);
    setThing(current);
    setBase(next);
    setForm(next);
    setErrors([]);
    setToFocus(focus);
  };
  useEffect(() => {
    if (isOther && !isDirty) load(null);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- that is all that makes it load again
  }, [isOther, isDirty, current]);
  useStay(isDirty || made !== null, made === null ? undefined : secretIsLost);
  useEffect(() => {
    if (toFocus === null) return;
    const places = element.current?.querySelectorAll<HTMLElement>('.refusal, [name]') ?? [];
    const isWrong = (place: HTMLElement): boolean =>
      toFocus.fields.includes(place.getAttribute('name'));
    [...places].find(isWrong)?.focus();
  }, [toFocus]);

  /** Shows what is wrong: one error beside each field. Above the form is what is about none. */
  const refuse = (refused: readonly FieldError[]): void => {
    const byField = new Map(refused.toReversed().map((one) => [one.field, one] as const));
    setErrors([...byField.values()]);
    setToFocus({ fields: [...byField.keys()] });
  };
  const send = async (input: object): Promise<Answer<Record<string, unknown>>> => {
    if (thing === null) return await create(`/${of.kind}s`, input);
    return await change('PATCH', pageOf(of.kind, thing.id), input);
  };
  const save = async (isOtherwise: boolean): Promise<void> => {
    if (isBusy) return;
    const more = of.labelsOf?.(form);
    const wrong = of.problemOf?.(form, thing) ?? null;
    if (wrong !== null) return refuse([fieldError(wrong, [], more)]);
    setBusy(true);
    setErrors([]);
    const whole = { ...of.inputOf(form), ...(isOtherwise && of.otherwise?.fields) };
    const input = thing === null ? whole : changesOf(of, whole, of.inputOf(base));
    const isSame = thing !== null && Object.keys(input).length === 0;
    const answer = isSame ? { ok: true as const, body: { [of.kind]: thing } } : await send(input);
    if (answer.ok) {
      const saved = answer.body[of.kind] as T;
      const leaving =
        isOtherwise && of.otherwise !== undefined
          ? await of.otherwise.proceed(saved)
          : leavingOf(of, saved, isSame ? null : thing === null ? 'created' : 'saved');
      const secret = answer.body[of.secret?.name ?? ''] as string | undefined;
      if (secret === undefined) leave(leaving);
      else setMade({ secret, leave: () => leave(leaving) });
    } else {
      // The API says the first of them.
      const empty = of.emptyIn(form);
      const missing = empty.map((name) => `${name} is missing`);
      const others = answer.status === 400 ? [...brokenFields(of.kind, input), ...missing] : [];
      const errorsOf = others.map((sentence) => fieldError(sentence, empty, more));
      refuse([refusalOf(answer, empty, more), ...errorsOf]);
    }
    setBusy(false);
  };
  const parts: FormParts<F, T> = {
    form,
    thing,
    labels: { ...fieldLabels, ...of.labelsOf?.(form) },
    errorOf: (name) => errors.find(({ field }) => field === name)?.error ?? null,
    edit: (changes) => {
      setForm((before) => ({ ...before, ...changes }));
      setErrors(errors.filter(({ field }) => field === null || !concerns(changes, field)));
    },
    fill: (make) => {
      const next = make(latest.current);
      setForm(next);
      setErrors([]);
      // Somebody may have gone on to type below while it was read.
      if (element.current?.contains(document.activeElement) !== true) {
        setToFocus({ fields: [of.emptyIn(next)[0] ?? 'name'] });
      }
    },
  };
  return { thing, parts, errors, changed, isDirty, isBusy, made, load, save, element };
}

/** What an update sends: what differs, and what means something else now. */
function changesOf<T extends Named, F extends object>(
  { tied = {} }: EditorOf<T, F>,
  whole: object,
  before: object,
): Record<string, unknown> {
  const input = differing(whole, before);
  const names = new Set(
    Object.keys(tied).flatMap((name) => (name in input ? (tied[name] ?? []) : [])),
  );
  const again = Object.entries(whole).filter(([name, value]) => {
    return value !== null && names.has(name);
  });
  return { ...input, ...Object.fromEntries(again) };
}

function leavingOf<T extends Named, F extends object>(
  { kind, remark }: EditorOf<T, F>,
  thing: T,
  done: string | null,
): Leaving {
  const more = remark === undefined ? '' : ` ${remark(thing)}`;
  const toasts = done === null ? [] : [{ text: `${thing.name} is ${done}.${more}` }];
  return { to: pageOf(kind, thing.id), toasts };
}

function leave({ to, toasts }: Leaving): void {
  stayUntil(null);
  go(to, { replace: true });
  for (const one of toasts) showToast(one);
}

/** Whether a change is about the field that is wrong, which may be part of another one. */
function concerns(changes: object, field: string): boolean {
  return (
    field in changes ||
    Object.values(changes).some(
      (value: unknown) => typeof value === 'object' && value !== null && field in value,
    )
  );
}

function refusalOf(
  { status, error }: Failure,
  empty: readonly string[],
  more: Labels | undefined,
): FieldError {
  if (status === 401) {
    return { field: null, error: 'Not saved yet: your session had ended. Save again.' };
  }
  if (status === 0) {
    return { field: null, error: `${error} Save again: what was done already is not done twice.` };
  }
  return fieldError(error, empty, more);
}
