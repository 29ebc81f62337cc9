/** What the target of a run reports after an answer of 202, and how a person ends the wait for it. */

import { useState } from 'preact/hooks';
import type { Run } from '../../../api/runs/contract.ts';
import { change, mayWrite } from '../../client/session/session.ts';
import { tell } from '../../client/told.ts';
import { TextField } from '../../parts/forms/field.tsx';
import { Outside } from '../../parts/outside.tsx';
import { Problem } from '../../parts/problem.tsx';
import { At, Until } from '../../parts/time.tsx';
import { progressWords } from '../../../domain/runs/completion.ts';

interface ReportProps {
  run: Run;
  completion: NonNullable<Run['completion']>;
  zone: string | undefined;
}

/** Progress while it waits; what was reported afterwards. */
export function Report({ run, completion, zone }: ReportProps) {
  const { percent, outcome } = completion;
  const isWaiting = run.status === 'running' && outcome === null;
  const progress = progressWords(completion);
  return (
    <section class="panel stack" aria-labelledby="report">
      <h2 id="report">Report</h2>
      {isWaiting ? (
        <p>
          The target answered 202 and reports later: awaited until{' '}
          <At at={completion.expiresAt} zone={zone} /> (<Until at={completion.expiresAt} />
          ).
        </p>
      ) : (
        <Reported completion={completion} zone={zone} />
      )}
      {progress !== null && (
        <p class="progress">
          {percent !== null && <progress max={100} value={percent} aria-label="Progress" />}
          <span>
            {isWaiting ? '' : 'Last progress: '}
            <Outside text={progress} />
          </span>
          {completion.progressAt !== null && (
            <span class="quiet">
              <At at={completion.progressAt} zone={zone} />
            </span>
          )}
        </p>
      )}
      {isWaiting && mayWrite.value && <EndWait run={run} />}
    </section>
  );
}

function Reported({ completion, zone }: Omit<ReportProps, 'run'>) {
  const { outcome, reportedAt, reportedBy, message, expiresAt } = completion;
  if (reportedAt === null) {
    return (
      <p>
        {outcome === 'expired' ? 'No report came' : 'The wait ended before its time'} (
        <At at={expiresAt} zone={zone} />
        ).
      </p>
    );
  }
  return (
    <p>
      {reportedBy === 'person' ? 'A person' : 'The target'} reported{' '}
      {outcome === 'success' ? 'a success' : 'a failure'} at <At at={reportedAt} zone={zone} />
      {message !== null && (
        <>
          : <Outside text={message} />
        </>
      )}
    </p>
  );
}

function EndWait({ run }: { run: Run }) {
  const [message, setMessage] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const end = async (status: 'success' | 'failed'): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    const said = message.trim() !== '' && { message };
    const path = `/jobs/${run.jobId}/runs/${run.id}/completion`;
    const answer = await change('POST', path, { status, ...said });
    setBusy(false);
    setError(answer.ok ? null : answer.error);
    if (answer.ok) tell({ text: 'The wait is over.' });
  };
  return (
    <details>
      <summary>End the wait by hand</summary>
      <div class="stack">
        <TextField
          label="Message"
          hint="Kept with the run. May be empty."
          name="message"
          value={message}
          onInput={setMessage}
        />
        <p class="actions">
          <button type="button" aria-disabled={isBusy} onClick={() => void end('success')}>
            End as a success
          </button>
          <button type="button" aria-disabled={isBusy} onClick={() => void end('failed')}>
            End as failed
          </button>
        </p>
        {error !== null && <Problem text={error} />}
      </div>
    </details>
  );
}
