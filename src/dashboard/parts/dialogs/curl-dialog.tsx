/** The call of a job as a command, in a dialog: there one sees what is copied. */

import type { ComponentChildren } from 'preact';
import type { Job } from '../../../api/jobs/contract.ts';
import { curlCommand } from '../../view/jobs/curl.ts';
import { Copyable } from '../copyable.tsx';
import { Dialog } from './dialog.tsx';

interface CurlDialogProps {
  job: Job;
  onClose: () => void;
  /** What else to know about the command. */
  children?: ComponentChildren;
}

/** The dialog with the command. */
export function CurlDialog({ job, onClose, children }: CurlDialogProps) {
  return (
    <Dialog title="The call as curl" onClose={onClose}>
      {job.headerNames.length > 0 && (
        <p class="quiet">Nobody can read the values of the headers: set these variables first.</p>
      )}
      <Copyable text={curlCommand(job)} />
      {children}
      <p class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </p>
    </Dialog>
  );
}
