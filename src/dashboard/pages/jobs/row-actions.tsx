/** What one can do with a job without opening it. */

import type { JobSummary } from '../../../api/overview/contract.ts';
import { runNow, setPaused } from '../../client/job-actions.ts';

/** Two buttons: run now, and pause or resume. */
export function RowActions({ job }: { job: JobSummary }) {
  const { name, paused } = job;
  const word = paused ? 'Resume' : 'Pause';
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
      <button
        type="button"
        class="plain"
        data-key="p"
        title={word}
        aria-label={`${word} ${name}`}
        onClick={() => void setPaused(job, !paused)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          {paused ? (
            <path d="M2.5 2.5v11l7-5.5zM11 2.5h2.5v11H11z" />
          ) : (
            <path d="M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z" />
          )}
        </svg>
      </button>
    </div>
  );
}
