/** A run in the history of its job. */

import type { RunSummary } from '../../../api/runs/contract.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Link } from '../../parts/link.tsx';
import { Outside } from '../../parts/outside.tsx';
import { inBothZones, runLine } from '../../view/jobs/history.ts';

interface RunRowProps {
  jobId: string;
  run: RunSummary;
  zone: string;
  nowMs: number;
}

/** The row: status, when it was due, how long it took, what was answered, and what is out of the ordinary. */
export function RunRow({ jobId, run, zone, nowMs }: RunRowProps) {
  const { id, status, scheduledFor, httpStatus } = run;
  const { glyph, time, remarks, took, error } = runLine(run, zone, nowMs);
  return (
    <li class={`row run ${status}`}>
      <span class="state">
        <Glyph status={glyph} />
        {status}
      </span>
      <Link to={`/jobs/${jobId}/runs/${id}`} class="name">
        <time dateTime={scheduledFor} title={inBothZones(scheduledFor, zone)}>
          {time}
        </time>
      </Link>
      <span class="figure took">{took}</span>
      <span class="figure quiet code">
        {httpStatus !== null && (
          <>
            <span class="hidden">HTTP </span>
            {httpStatus}
          </>
        )}
      </span>
      {(error !== null || remarks.length > 0) && (
        <span class="why line">
          {error !== null && <Outside text={error} />}{' '}
          <span class="quiet">{remarks.join(' · ')}</span>
        </span>
      )}
    </li>
  );
}
