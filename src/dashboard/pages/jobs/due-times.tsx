/** When a job is due next. */

import type { DueTimes } from '../../../api/jobs/extension-contract.ts';
import type { Job } from '../../../api/jobs/contract.ts';
import { now } from '../../client/clock.ts';
import type { Resource } from '../../client/resource.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Outside } from '../../parts/outside.tsx';
import { At, Until } from '../../parts/time.tsx';
import { absolute, browserZone, timeBeside, timeIn } from '../../view/times.ts';

/** The schedule in words, and the due times in the zone of the job and in this browser's. */
export function NextDue({ job, due }: { job: Job; due: Resource<DueTimes> }) {
  const { cronExpr, timezone } = job;
  return (
    <section class="panel stack" aria-labelledby="next-due">
      <h2 id="next-due">Next due</h2>
      <Loaded from={due}>
        {({ words, next, notes }) => (
          <>
            {job.after === undefined && (
              <p>
                {words}
                {cronExpr !== null && words !== cronExpr && (
                  <>
                    {' '}
                    <code class="quiet">{cronExpr}</code>
                  </>
                )}
              </p>
            )}
            {next.length > 0 && <Times next={next} zone={timezone} />}
            {notes.map((note) => (
              <p key={note} class="note">
                <Glyph status={next.length > 0 ? 'late' : job.paused ? 'paused' : 'new'} />
                <span>
                  <Outside text={note} />
                </span>
              </p>
            ))}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Times({ next, zone }: { next: readonly string[]; zone: string }) {
  const here = browserZone();
  // Other zones may have the same time: Europe/Berlin and Europe/Paris.
  const isElsewhere = next.some((at) => timeIn(at, 0, zone) !== timeIn(at, 0));
  return (
    <table class="times">
      <thead>
        <tr>
          <th scope="col">{zone}</th>
          {isElsewhere && <th scope="col">here ({here})</th>}
          <th scope="col">
            <span class="hidden">how long until then</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {next.map((at) => (
          <tr key={at}>
            <td>
              <At at={at} zone={zone} />
            </td>
            {isElsewhere && (
              <td>
                <time dateTime={at} title={absolute(at)}>
                  {timeBeside(at, zone, now.peek())}
                </time>
              </td>
            )}
            <td class="quiet">
              <Until at={at} zone={zone} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
