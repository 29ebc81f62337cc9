/** What the target of a run reports after an answer of 202, and how a person ends the wait for it. */

import { useState } from 'preact/hooks';
import { useBusy } from '../../client/busy.ts';
import type { Run } from '../../../api/runs/contract.ts';
import { change, mayWrite } from '../../client/session.ts';
import { showToast } from '../../client/toasts.ts';
import { TextField } from '../../parts/forms/field.tsx';
import { Button, Outside, Problem, At, Until } from '../../parts/basic.tsx';
import { Progress } from '../../parts/progress.tsx';

interface ReportProps {
  run: Run;
  report: NonNullable<Run['report']>;
  zone: string | undefined;
}

/** Progress while it waits; what was reported afterwards. */
export function Report({ run, report, zone }: ReportProps) {
  const isWaiting = run.status === 'running' && report.outcome === null;
  return (
    <section class="panel stack" aria-labelledby="report">
      <h2 id="report">Report</h2>
      {isWaiting ? (
        <p>
          The target answered 202 and will report by <At at={report.expiresAt} zone={zone} /> (
          <Until at={report.expiresAt} />
          ).
        </p>
      ) : (
        <Reported report={report} zone={zone} />
      )}
      <Progress {...report} />
      {isWaiting && mayWrite.value && <EndWait run={run} />}
    </section>
  );
}

function Reported({ report, zone }: Omit<ReportProps, 'run'>) {
  const { outcome, reportedAt, reportedBy, message, expiresAt } = report;
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
  const [isBusy, begin] = useBusy();
  const end = (status: 'success' | 'failed'): Promise<void> =>
    begin(async () => {
      const said = message.trim() !== '' && { message };
      const path = `/jobs/${run.jobId}/runs/${run.id}/report`;
      const answer = await change('POST', path, { status, ...said });
      setError(answer.ok ? null : answer.error);
      if (answer.ok) showToast({ text: 'The wait is over.' });
    });
  return (
    <details>
      <summary>End the wait by hand</summary>
      <div class="stack">
        <TextField
          label="Message"
          hint="Kept with the run. May be empty."
          name="message"
          value={message}
          onChange={setMessage}
        />
        <p class="actions">
          <Button aria-disabled={isBusy} onClick={() => void end('success')}>
            End as a success
          </Button>
          <Button aria-disabled={isBusy} onClick={() => void end('failed')}>
            End as failed
          </Button>
        </p>
        {error !== null && <Problem text={error} />}
      </div>
    </details>
  );
}
