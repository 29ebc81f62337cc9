/** The call of a job as a command to copy. */

import type { Job } from '../../../api/jobs/contract.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { curlCommand } from '../../view/curl.ts';

/** The dialog with the command. */
export function CurlDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  return (
    <Dialog title="The call as curl" onClose={onClose}>
      {job.headerNames.length > 0 && (
        <p class="quiet">Nobody can read the values of the headers: set these variables first.</p>
      )}
      <div class="command">
        <Copyable text={curlCommand(job)} />
      </div>
      <p class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </p>
    </Dialog>
  );
}
