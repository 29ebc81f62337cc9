/** Deleting a job, after a question. */

import { useSignal } from '@preact/signals';
import type { Job } from '../../../api/jobs/contract.ts';
import { change } from '../../client/session.ts';
import { tell } from '../../client/told.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Outside } from '../../parts/outside.tsx';
import { Problem } from '../../parts/problem.tsx';
import { go } from '../../router.ts';

interface DeleteJobProps {
  job: Job;
  /** Null if nobody knows yet. */
  runCount: number | null;
  onClose: () => void;
}

/** Asks, deletes, and goes to the list. */
export function DeleteJob({ job: { id, name }, runCount, onClose }: DeleteJobProps) {
  const isBusy = useSignal(false);
  const error = useSignal<string | null>(null);
  const remove = async (): Promise<void> => {
    isBusy.value = true;
    error.value = null;
    const answer = await change('DELETE', `/jobs/${id}`);
    isBusy.value = false;
    if (!answer.ok) {
      error.value = answer.error;
      return;
    }
    tell({ text: `${name} is deleted.` });
    go('/');
  };
  return (
    <Confirm
      title="Delete this job?"
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
      <p>{lossOf(runCount)} This cannot be undone.</p>
      {error.value !== null && <Problem text={error.value} />}
    </Confirm>
  );
}

function lossOf(runCount: number | null): string {
  if (runCount === null) return 'Its runs and receipts are deleted too.';
  if (runCount === 0) return 'It has no runs.';
  const runs = runCount === 1 ? 'Its only run' : `Its ${runCount.toLocaleString('en')} runs`;
  return `${runs} and all receipts are deleted too.`;
}
