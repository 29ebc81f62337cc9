/** Deleting a job: what is lost with it. */

import type { Job } from '../../../api/jobs/contract.ts';
import { Delete } from '../../parts/dialogs/delete.tsx';
import { figures } from '../../view/figures.ts';

interface DeleteJobProps {
  job: Job;
  /** Null if nobody knows yet. */
  runCount: number | null;
  onClose: () => void;
}

/** The question. */
export function DeleteJob({ job, runCount, onClose }: DeleteJobProps) {
  return (
    <Delete kind="job" subject={job} onClose={onClose}>
      {lossOf(runCount)}
    </Delete>
  );
}

function lossOf(runCount: number | null): string {
  if (runCount === null) return 'Its runs and receipts are deleted too.';
  if (runCount === 0) return 'It has no runs.';
  const runs = runCount === 1 ? 'Its only run' : `Its ${figures(runCount)} runs`;
  return `${runs} and all receipts are deleted too.`;
}
