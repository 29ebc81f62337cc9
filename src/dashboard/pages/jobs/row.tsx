/** A job in the list. */

import type { Signal } from '@preact/signals';
import type { JobSummary } from '../../../api/overview/contract.ts';
import { mayWrite } from '../../client/session/session.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Link } from '../../parts/link.tsx';
import { Outside } from '../../parts/outside.tsx';
import { Strip } from '../../parts/rows/strip.tsx';
import { Until } from '../../parts/time.tsx';
import { duration, span } from '../../view/durations.ts';
import { absolute, browserZone, city, timeIn } from '../../view/times.ts';
import { now } from '../../client/clock.ts';
import { RowActions } from './row-actions.tsx';

/** Below this a due time counts down. */
const soonMs = 3_600_000;

interface JobRowProps {
  job: JobSummary;
  /** The ids that are chosen; null while nobody chooses. */
  chosen: Signal<ReadonlySet<string> | null>;
}

/** The row: state, name and what is wrong; schedule and next due; the newest runs; actions. */
export function JobRow({ job, chosen }: JobRowProps) {
  const { id, name, method, url, status, recent, lastDurationMs } = job;
  return (
    <li class={`row job ${status}`} data-id={id}>
      <span class="state" title={status}>
        {chosen.value !== null && <Choice id={id} name={name} chosen={chosen} />}
        <Glyph status={status === 'running' ? 'running' : job.paused ? 'paused' : job.health} />
        <span class="hidden">{status}</span>
      </span>
      <div class="what">
        <Link to={`/jobs/${id}`} class="name">
          <Outside text={name} />
        </Link>
        {job.downReason !== null ? (
          <p class="reason">
            {job.paused && 'paused while down: '}
            <Outside text={job.downReason} /> <DownFor job={job} />
          </p>
        ) : (
          <p class="quiet line">
            {method} <Outside text={url} />
          </p>
        )}
      </div>
      <p class="when">
        <span class="line">
          {job.after === undefined ? job.scheduleWords : 'After another job'}
        </span>
        <NextDue job={job} />
      </p>
      <div class="past">
        <Strip recent={recent} />
        <span class="quiet figure">{lastDurationMs === null ? '' : duration(lastDurationMs)}</span>
      </div>
      {mayWrite.value && <RowActions job={job} />}
    </li>
  );
}

function DownFor({ job: { failingSince, failures } }: { job: JobSummary }) {
  if (failingSince === null) return null;
  const runs = failures === 1 ? '' : `, ${failures} runs`;
  return (
    <span class="quiet">
      for {span(now.value - Date.parse(failingSince))}
      {runs}
    </span>
  );
}

/** A countdown if it is soon, else a time; the zone is that of the job. */
function NextDue({ job }: { job: JobSummary }) {
  const { nextRunAt, paused, after, timezone, scheduleType } = job;
  if (nextRunAt === null) {
    if (after !== undefined && !paused) return null;
    return <span class="quiet">{paused ? 'paused' : 'no due time'}</span>;
  }
  const zone = scheduleType === 'cron' ? timezone : browserZone();
  const isSoon = Date.parse(nextRunAt) - now.value < soonMs;
  return (
    <span class="quiet">
      {isSoon ? (
        <Until at={nextRunAt} zone={zone} />
      ) : (
        <time dateTime={nextRunAt} title={absolute(nextRunAt, zone)}>
          {timeIn(nextRunAt, now.peek(), zone)}
        </time>
      )}
      {!isSoon && ` ${city(zone)}`}
    </span>
  );
}

function Choice({ id, name, chosen }: { id: string; name: string; chosen: JobRowProps['chosen'] }) {
  const toggle = (): void => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  return (
    <input
      type="checkbox"
      aria-label={`Select ${name}`}
      checked={chosen.value?.has(id) === true}
      onChange={toggle}
    />
  );
}
