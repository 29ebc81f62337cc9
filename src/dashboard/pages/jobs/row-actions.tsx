/** What one can do with a job without opening it. */

import type { JobSummary } from '../../../api/overview/contract.ts';
import { runNow } from '../../client/actions/job-actions.ts';
import { setPaused } from '../../client/actions/update.ts';
import { PauseButton } from '../../parts/pause-button.tsx';

/** Two buttons: run now, and pause or resume. */
export function RowActions({ job }: { job: JobSummary }) {
  const { name, paused } = job;
  return (
    <div class="acts">
      <button
        type="button"
        class="plain"
        data-key="r"
        title="Run now"
        aria-label={`Run ${name} now`}
        onClick={() => void runNow(job)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M4 2.5v11l9-5.5z" />
        </svg>
      </button>
      <PauseButton
        name={name}
        paused={paused}
        onPress={() => void setPaused('job', job, !paused)}
      />
    </div>
  );
}
