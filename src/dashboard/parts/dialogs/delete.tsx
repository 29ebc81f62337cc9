/** Deleting a job, a monitor or a channel, after a question. */

import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { change } from '../../client/session/session.ts';
import { tell } from '../../client/told.ts';
import { go } from '../../router.ts';
import { lists } from '../../view/places.ts';
import type { Kind } from '../../view/places.ts';
import { Confirm } from './dialog.tsx';
import { Outside } from '../outside.tsx';
import { Problem } from '../problem.tsx';

interface DeleteProps {
  kind: Kind;
  subject: { id: string; name: string };
  onClose: () => void;
  /** What is lost with it. */
  children: ComponentChildren;
}

/** Asks, deletes, and goes to the list. What the API refuses is said in the dialog. */
export function Delete({ kind, subject: { id, name }, onClose, children }: DeleteProps) {
  const isBusy = useSignal(false);
  const error = useSignal<string | null>(null);
  const remove = async (): Promise<void> => {
    isBusy.value = true;
    error.value = null;
    const answer = await change('DELETE', `/${kind}s/${id}`);
    isBusy.value = false;
    if (!answer.ok) {
      error.value = answer.error;
      return;
    }
    tell({ text: `${name} is deleted.` });
    go(lists[kind].path, { replace: true });
  };
  return (
    <Confirm
      title={`Delete this ${kind}?`}
      action="Delete"
      isBusy={isBusy.value}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>
        <b>
          <Outside text={name} />
        </b>
      </p>
      <p>{children} This cannot be undone.</p>
      {error.value !== null && <Problem text={error.value} />}
    </Confirm>
  );
}
