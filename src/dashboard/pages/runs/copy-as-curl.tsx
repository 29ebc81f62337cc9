/** The call of a job as a command, in a dialog: there one sees what is copied. */

import { useState } from 'preact/hooks';
import type { Job } from '../../../api/jobs/contract.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { curlCommand } from '../../view/curl.ts';

/** A button and its dialog. */
export function CopyAsCurl({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Copy as curl
      </button>
      {isOpen && (
        <Dialog title="The call as a curl command" onClose={close}>
          <Copyable text={curlCommand(job)} />
          <p class="hint">
            As the job is now; it may have changed since this run.
            {job.headerNames.length > 0 &&
              ' Nobody can read header values again: set the shell variables first.'}
          </p>
          <p class="actions">
            <button type="button" onClick={close}>
              Close
            </button>
          </p>
        </Dialog>
      )}
    </>
  );
}
