/** The form of a thing that people create or edit: its fields, what is wrong, save and cancel. */

import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../../client/api.ts';
import { useStay } from '../../client/stay.ts';
import { stayUntil } from '../../router.ts';
import { fieldError } from '../../view/field-errors.ts';
import type { FieldError, Labels } from '../../view/field-errors.ts';
import { Link } from '../link.tsx';
import { Problem } from '../problem.tsx';

/** The state of saving. */
export interface Saving<T> {
  isBusy: boolean;
  error: FieldError | null;
  /** What is wrong, if it is about no field of the form. */
  problem: string | null;
  /** What is wrong with a field. */
  errorOf: (field: string) => string | null;
  save: (send: () => Promise<Answer<T>>, then: (body: T) => void) => Promise<void>;
}

/** Saves. `labels` has each field of the API that the form has; `empty`, those that must be filled in and are not. */
export function useSaving<T>(labels: Labels, empty: readonly string[]): Saving<T> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<FieldError | null>(null);
  return {
    isBusy,
    error,
    problem: error?.field === null ? error.error : null,
    errorOf: (name) => (error?.field === name ? error.error : null),
    save: async (send, then) => {
      setBusy(true);
      setError(null);
      const answer = await send();
      setBusy(false);
      if (answer.ok) {
        stayUntil(null);
        then(answer.body);
      } else if (answer.status !== 401) {
        setError(fieldError(answer.error, labels, empty));
      }
    },
  };
}

interface EditFormProps<T> {
  saving: Saving<T>;
  isChanged: boolean;
  /** The word on the button: what it does. */
  action: string;
  cancelTo: string;
  onSave: () => void;
  children: ComponentChildren;
}

/** The form. After a refusal the focus is where something is wrong. */
export function EditForm<T>({
  saving,
  isChanged,
  action,
  cancelTo,
  onSave,
  children,
}: EditFormProps<T>) {
  const form = useRef<HTMLFormElement>(null);
  const { isBusy, problem } = saving;
  const [tries, setTries] = useState(0);
  useStay(isChanged);
  useEffect(() => {
    if (tries === 0 || isBusy) return;
    form.current?.querySelector<HTMLElement>("[aria-invalid='true'], .refusal")?.focus();
  }, [tries, isBusy]);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (isBusy) return;
    setTries(tries + 1);
    onSave();
  };
  return (
    <form ref={form} noValidate onSubmit={submit}>
      {problem !== null && (
        <div class="refusal" tabIndex={-1}>
          <Problem text={problem} />
        </div>
      )}
      {children}
      <p class="actions">
        <button type="submit" class="main" aria-disabled={isBusy}>
          {isBusy ? 'Saving…' : action}
        </button>
        <Link to={cancelTo} class="button">
          Cancel
        </Link>
      </p>
    </form>
  );
}
