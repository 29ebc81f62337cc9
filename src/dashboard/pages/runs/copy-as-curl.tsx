/** The call of a job as a command, from the page of a run. */

import { useState } from 'preact/hooks';
import type { Job } from '../../../api/jobs/contract.ts';
import { CurlDialog } from '../../parts/dialogs/curl-dialog.tsx';

/** A button and its dialog. */
export function CopyAsCurl({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Copy as curl
      </button>
      {isOpen && (
        <CurlDialog job={job} onClose={() => setOpen(false)}>
          <p class="hint">As the job is now; it may have changed since this run.</p>
        </CurlDialog>
      )}
    </>
  );
}
