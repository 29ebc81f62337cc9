/** What one can do with a job on its page. */

import { useSignal } from '@preact/signals';
import type { Job, JobResponse } from '../../../api/jobs/contract.ts';
import type { RunSummary } from '../../../api/runs/contract.ts';
import { runNow, runWait } from '../../client/actions/job-actions.ts';
import { setPaused } from '../../client/actions/update.ts';
import { change, mayWrite } from '../../client/session/session.ts';
import { useShortcuts } from '../../client/shortcuts.ts';
import { tell } from '../../client/told.ts';
import { CurlDialog } from '../../parts/dialogs/curl-dialog.tsx';
import { Link } from '../../parts/link.tsx';
import { Menu } from '../../parts/menu.tsx';
import { go } from '../../router.ts';
import { changesTo } from '../../view/audit.ts';
import { copyName } from '../../view/jobs/history.ts';
import { DeleteJob } from './delete.tsx';

interface JobActionsProps {
  job: Job;
  /** The newest runs that are shown. */
  runs: readonly RunSummary[];
  /** How many runs are kept; null if nobody knows yet. */
  runCount: number | null;
}

/** The buttons, and a menu of what is done less often. */
export function JobActions({ job, runs, runCount }: JobActionsProps) {
  const dialog = useSignal<'curl' | 'delete' | null>(null);
  const close = (): void => {
    dialog.value = null;
  };
  return (
    <div class="actions">
      {mayWrite.value && <Changes job={job} runs={runs} />}
      <Menu label="More actions">
        {mayWrite.value && (
          <button type="button" onClick={() => void duplicate(job)}>
            Duplicate
          </button>
        )}
        <button type="button" onClick={() => (dialog.value = 'curl')}>
          Copy as curl
        </button>
        {mayWrite.value && (
          <>
            <Link to={changesTo(job.id)} class="button">
              Audit trail
            </Link>
            <button type="button" onClick={() => (dialog.value = 'delete')}>
              Delete
            </button>
          </>
        )}
      </Menu>
      {dialog.value === 'curl' && <CurlDialog job={job} onClose={close} />}
      {dialog.value === 'delete' && <DeleteJob job={job} runCount={runCount} onClose={close} />}
    </div>
  );
}

/** Run, pause and edit, also by `r`, `p` and `e`. */
function Changes({ job, runs }: { job: Job; runs: readonly RunSummary[] }) {
  const { id, paused } = job;
  const isAsking = useSignal(false);
  const waitSeconds = runWait(id);
  const isUnderWay = runs.some(({ status }) => status === 'queued' || status === 'running');
  const isWaiting = isAsking.value || isUnderWay || waitSeconds > 0;
  const run = async (): Promise<void> => {
    if (isWaiting) return;
    isAsking.value = true;
    await runNow(job);
    isAsking.value = false;
  };
  const pause = (): void => void setPaused('job', job, !paused);
  useShortcuts({ r: () => void run(), p: pause, e: () => go(`/jobs/${id}/edit`) });
  return (
    <>
      <button type="button" class="main" aria-disabled={isWaiting} onClick={() => void run()}>
        Run now{waitSeconds > 0 && ` in ${waitSeconds} s`}
      </button>
      <button type="button" onClick={pause}>
        {paused ? 'Resume' : 'Pause'}
      </button>
      <Link to={`/jobs/${id}/edit`} class="button">
        Edit
      </Link>
    </>
  );
}

async function duplicate({ id, name }: Job): Promise<void> {
  const answer = await change<JobResponse>('POST', `/jobs/${id}/copy`, { name: copyName(name) });
  if (!answer.ok) {
    tell({ text: answer.error, isProblem: true });
    return;
  }
  tell({ text: 'This is the copy. It is paused.' });
  go(`/jobs/${answer.body.job.id}/edit`);
}
