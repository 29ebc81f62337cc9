/** What was no success: runs of all jobs that failed, were missed or interrupted, newest first. */

import type { TroubleRun } from '../../api/overview/contract.ts';
import { now } from '../client/clock.ts';
import { useHeldRows, useHold } from '../client/hold.ts';
import { usePages } from '../client/pages.ts';
import type { Concern } from '../client/resource.ts';
import { Glyph } from '../parts/glyph.tsx';
import { Heading } from '../parts/heading.tsx';
import { HeldNote } from '../parts/held-note.tsx';
import { Link } from '../parts/link.tsx';
import { Outside } from '../parts/outside.tsx';
import { Problem } from '../parts/problem.tsx';
import { byDay } from '../view/grouped.ts';
import { shortError } from '../view/run.ts';
import { absolute, clock } from '../view/times.ts';
import { useRowKeys } from '../parts/row-keys.ts';

/** A run that succeeds changes nothing here; a job may get another name, or be deleted. */
const ofTrouble: Concern = ({ jobs, runs }) =>
  jobs.length > 0 || runs.some(({ status }) => isTrouble(status));

const isTrouble = (status: string): boolean =>
  status === 'failed' || status === 'missed' || status === 'interrupted';

const ofRow = ({ id, job }: TroubleRun, change: Parameters<Concern>[0]): boolean =>
  change.jobs.includes(job.id) || change.runs.some((run) => run.id === id);

/** The page. */
export function TroublePage() {
  const list = usePages<TroubleRun>('/overview/trouble?limit=50', 'runs', ofTrouble, ofRow);
  const hold = useHold();
  const shown = useHeldRows(list.rows.value ?? [], hold, null);
  const keys = useRowKeys();
  const { failure, hasMore, isBusy, more } = list;
  const isEmpty = list.rows.value?.length === 0;
  return (
    <>
      <div class="head">
        <Heading title="Trouble" />
      </div>
      {list.rows.value === null &&
        (failure.value === null ? (
          <p class="waiting">Waiting for jobd…</p>
        ) : (
          <Problem text={failure.value.error} />
        ))}
      {isEmpty && !hasMore.value && (
        <p class="none">No run failed, was missed or interrupted, of all runs that are kept.</p>
      )}
      {isEmpty && hasMore.value && <p class="none">Nothing found yet.</p>}
      <div ref={keys} class="days-of-rows" {...hold.props}>
        {byDay(shown.rows, ({ scheduledFor }) => scheduledFor, now.peek()).map(
          ({ date, title, rows }) => (
            <section key={date}>
              <h2 id={`day-${date}`}>{title}</h2>
              <ol class="rows" aria-labelledby={`day-${date}`}>
                {rows.map((run) => (
                  <TroubleRow key={run.id} run={run} />
                ))}
              </ol>
            </section>
          ),
        )}
        <HeldNote waiting={shown.waiting} onShow={hold.release} />
      </div>
      {hasMore.value && (
        <p class="more">
          <button type="button" disabled={isBusy.value} onClick={() => void more()}>
            {isEmpty ? 'Search on' : 'Show more'}
          </button>
        </p>
      )}
    </>
  );
}

function TroubleRow({ run }: { run: TroubleRun }) {
  const { id, job, status, scheduledFor } = run;
  return (
    <li class="row trouble">
      <time class="figure" dateTime={scheduledFor} title={absolute(scheduledFor)}>
        {clock(scheduledFor, undefined, { withSeconds: true })}
      </time>
      <span class="state">
        <Glyph status={status === 'queued' ? 'new' : status} />
        <span class="hidden">{status}</span>
      </span>
      <Link to={`/jobs/${job.id}`} class="of">
        <Outside text={job.name} />
      </Link>
      <Link to={`/jobs/${job.id}/runs/${id}`} class="name why">
        <Outside text={shortError(run)} />
      </Link>
    </li>
  );
}
