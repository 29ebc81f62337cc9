/** Making a key. What it is, is shown once. */

import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { KeyMade } from '../../../api/accounts/key-contract.ts';
import { useBusy } from '../../client/busy.ts';
import { now } from '../../client/clock.ts';
import { create } from '../../client/session.ts';
import { Button } from '../../parts/basic.tsx';
import { Dialog, MadeSecret } from '../../parts/dialogs.tsx';
import { Select, TextField } from '../../parts/forms/field.tsx';
import { expiryIn } from '../../view/settings.ts';

const lives = [
  ['0', 'never'],
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
] as const;

interface NewKeyProps {
  onMade: () => void;
  onClose: () => void;
}

/** The dialog. Once the key is shown, only its button closes it. */
export function NewKey({ onMade, onClose }: NewKeyProps) {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret === null) {
    const done = (made: string): void => {
      setSecret(made);
      onMade();
    };
    return (
      <Dialog title="New key" onClose={onClose}>
        <KeyForm onMade={done} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <MadeSecret title="Copy the key now" secret={secret} onKept={onClose}>
      The command line takes it with <code>jobd login</code> or from <code>JOBD_API_KEY</code>. jobd
      keeps nothing that it could be read from.
    </MadeSecret>
  );
}

function KeyForm({ onMade, onClose }: { onMade: (secret: string) => void; onClose: () => void }) {
  const [form, setForm] = useState({ name: '', permission: 'write', days: '0' });
  const [error, setError] = useState<string | null>(null);
  const [isBusy, begin] = useBusy();
  const field = (name: keyof typeof form) => ({
    name,
    value: form[name],
    onChange: (value: string): void => setForm({ ...form, [name]: value }),
  });
  const make = async (): Promise<void> => {
    const answer = await create<KeyMade>('/keys', {
      name: form.name.trim(),
      permission: form.permission,
      expiresAt: expiryIn(Number(form.days), now.peek()),
    });
    if (answer.ok) onMade(answer.body.secret);
    else setError(answer.error);
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void begin(make);
  };
  return (
    <form onSubmit={submit}>
      <TextField
        {...field('name')}
        label="Name"
        hint="Who or what uses it: laptop, deploy."
        error={error}
      />
      <div class="pair">
        <Select
          {...field('permission')}
          label="Permission"
          options={[
            ['write', 'read and write'],
            ['read', 'only read'],
          ]}
        />
        <Select {...field('days')} label="Expires" options={lives} />
      </div>
      <p class="actions">
        <button type="submit" class="main" aria-disabled={isBusy}>
          Create key
        </button>
        <Button onClick={onClose}>Cancel</Button>
      </p>
    </form>
  );
}
