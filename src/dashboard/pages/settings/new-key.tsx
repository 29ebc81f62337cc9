/** Making a key. What it is, is shown once. */

import type { TargetedSubmitEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { KeyMade } from '../../../api/accounts/key-contract.ts';
import { now } from '../../client/clock.ts';
import { change } from '../../client/session/session.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { expiryIn } from '../../view/settings.ts';

const lives: [days: number, words: string][] = [
  [0, 'never'],
  [30, 'in 30 days'],
  [90, 'in 90 days'],
  [365, 'in a year'],
];

interface NewKeyProps {
  onMade: () => void;
  onClose: () => void;
}

/** The dialog. Once the key is shown, only its button closes it. */
export function NewKey({ onMade, onClose }: NewKeyProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const done = (made: string): void => {
    setSecret(made);
    onMade();
  };
  const isMade = secret !== null;
  return (
    <Dialog title={isMade ? 'Copy the key now' : 'New key'} onClose={isMade ? undefined : onClose}>
      {isMade ? (
        <Secret secret={secret} onClose={onClose} />
      ) : (
        <KeyForm onMade={done} onClose={onClose} />
      )}
    </Dialog>
  );
}

function KeyForm({ onMade, onClose }: { onMade: (secret: string) => void; onClose: () => void }) {
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const make = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const fields = new FormData(event.currentTarget);
    const expiresAt = expiryIn(Number(textOf(fields, 'days')), now.peek());
    setBusy(true);
    const answer = await change<KeyMade>('POST', '/keys', {
      name: textOf(fields, 'name').trim(),
      permission: textOf(fields, 'permission'),
      expiresAt,
    });
    setBusy(false);
    if (answer.ok) onMade(answer.body.secret);
    else setError(answer.error);
  };
  return (
    <form onSubmit={(event) => void make(event)}>
      <Field label="Name" hint="Who or what uses it: laptop, deploy." error={error}>
        {(control) => (
          <input {...control} name="name" required maxLength={120} autocomplete="off" />
        )}
      </Field>
      <div class="pair">
        <Field label="Permission">
          {(control) => (
            <select {...control} name="permission">
              <option value="write">read and write</option>
              <option value="read">only read</option>
            </select>
          )}
        </Field>
        <Field label="Expires">
          {(control) => (
            <select {...control} name="days">
              {lives.map(([days, words]) => (
                <option key={days} value={days}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <p class="actions">
        <button type="submit" class="main" aria-disabled={isBusy}>
          Create key
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </form>
  );
}

function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const sentence = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => sentence.current?.focus(), []);
  return (
    <>
      <p ref={sentence} tabIndex={-1}>
        It is shown only this once: jobd keeps nothing that it could be read from.
      </p>
      <Copyable text={secret} />
      <p class="quiet">
        The command line takes it with <code>jobd login</code> or from <code>JOBD_API_KEY</code>.
      </p>
      <p class="actions">
        <button type="button" class="main" onClick={onClose}>
          I have kept it
        </button>
      </p>
    </>
  );
}
