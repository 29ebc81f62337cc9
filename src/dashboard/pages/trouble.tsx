/** What went wrong, once each: a row for each outage of jobd, and for what one job had otherwise. */

import { useMemo, useState } from 'preact/hooks';
import type { TroubleRow } from '../../api/overview/contract.ts';
import { outageReason, troubleText } from '../../domain/runs/trouble.ts';
import { runNow, runWait } from '../client/actions.ts';
import { now } from '../client/clock.ts';
import { usePages, type Pages } from '../client/pages.ts';
import type { Change } from '../client/live.ts';
import { mayWrite } from '../client/session.ts';
import { Button, Glyph, Link, Outside } from '../parts/basic.tsx';
import { Heading } from '../parts/heading.tsx';
import { OutageJobs, ReplayOutage } from '../parts/replay-outage.tsx';
import { DayList } from '../parts/rows.tsx';
import { Filters } from '../parts/tools.tsx';
import { Why } from '../parts/why.tsx';
import { query } from '../router.ts';
import { span } from '../view/figures.ts';
import { absolute, clock, timeIn } from '../view/times.ts';

const kinds = [
  { value: null, word: 'All' },
  { value: 'outage', word: 'Outages of jobd' },
  { value: 'job', word: 'Jobs' },
];
const ages = [
  { value: null, word: '24 hours', ms: 24 * 3_600_000 },
  { value: '7d', word: '7 days', ms: 7 * 24 * 3_600_000 },
  { value: 'all', word: 'All that is kept', ms: Infinity },
];

/** The page. */
export function TroublePage() {
  const kind = query.value.get('kind');
  const age = query.value.get('since');
  const path = useMemo(() => pathOf(kind, age), [kind, age]);
  const list: Pages<TroubleRow> = usePages<TroubleRow>(
    path,
    'trouble',
    // A run that succeeds changes what a job is that is shown as down; a job may get another name, or be deleted.
    ({ jobs, runs }) =>
      jobs.length > 0 ||
      runs.some(({ status, jobId }) => isTrouble(status) || isShownDown(list, jobId)),
    ({ last: { job } }, change) => isOfJob(job.id, change),
  );
  return (
    <>
      <div class="head">
        <Heading title="Trouble" />
      </div>
      <div class="tools">
        <Filters label="Trouble by kind" name="kind" chosen={kind} filters={kinds} />
        <Filters label="Trouble by age" name="since" chosen={age} filters={ages} />
      </div>
      <DayList
        list={list}
        of={path}
        none="Nothing went wrong: no run failed, was missed or interrupted."
        timeOf={({ until }) => until}
      >
        {(row) => <Row key={row.id} row={row} />}
      </DayList>
    </>
  );
}

function pathOf(kind: string | null, age: string | null): string {
  const { ms = Infinity } = ages.find(({ value }) => value === age) ?? {};
  const since = ms === Infinity ? '' : `&since=${new Date(now.peek() - ms).toISOString()}`;
  return `/overview/trouble?limit=50${kind === null ? '' : `&kind=${kind}`}${since}`;
}

function isTrouble(status: string): boolean {
  return status === 'failed' || status === 'missed' || status === 'interrupted';
}

function isShownDown({ rows }: Pages<TroubleRow>, jobId: string): boolean {
  return rows.peek()?.some((row) => row.now === 'down' && row.last.job.id === jobId) === true;
}

function isOfJob(id: string, { jobs, runs }: Change): boolean {
  return jobs.includes(id) || runs.some(({ jobId }) => jobId === id);
}

function Row({ row }: { row: TroubleRow }) {
  const { last, kind, from, until } = row;
  const isOutage = kind === 'outage';
  return (
    <li class="row trouble">
      <span class="figure" title={`${absolute(from)} – ${absolute(until)}`}>
        <time dateTime={from}>{timesText(row)}</time>
      </span>
      <span class="state">
        <Glyph status={last.status} />
        <span class="hidden">{last.status}</span>
      </span>
      {isOutage ? (
        <span class="of">jobd</span>
      ) : (
        <Link to={`/jobs/${last.job.id}`} class="of">
          <Outside text={last.job.name} />
        </Link>
      )}
      <div class="what">
        {isOutage ? (
          <OutageWhy row={row} />
        ) : (
          <>
            <Link to={`/jobs/${last.job.id}/runs/${last.id}`} class="name why">
              <Outside text={troubleText(row)} />
            </Link>{' '}
            <Now row={row} />
            <Why jobId={last.job.id} runId={last.id} />
          </>
        )}
      </div>
      {mayWrite.value && (
        <div class="acts">{isOutage ? <Replay row={row} /> : <Run row={row} />}</div>
      )}
    </li>
  );
}

/** What jobd was doing, for how long, and which jobs that concerned. */
function OutageWhy({ row }: { row: TroubleRow }) {
  const [isOpen, setOpen] = useState(false);
  const { from, until } = row;
  const length = span(Date.parse(until) - Date.parse(from));
  const when =
    from === until
      ? `At ${absolute(from)}`
      : `From ${absolute(from)} to ${absolute(until)}, for ${length}`;
  return (
    <>
      <span class="name">
        <Outside text={troubleText(row)} />
      </span>
      <details class="why" onToggle={({ currentTarget: { open } }) => setOpen(open)}>
        <summary>Why?</summary>
        {isOpen && (
          <>
            <p>
              {when}, <Outside text={outageReason(row)} />.
              {row.interrupted > 0 && ' The targets of interrupted runs may have done the work.'}
            </p>
            <OutageJobs row={row} />
          </>
        )}
      </details>
    </>
  );
}

/** From when to when, in the zone of this browser; with its day where the row is below the heading of another one. */
function timesText({ from, until }: TroubleRow): string {
  const [begin, end] = [clock(from), clock(until)];
  const isOneDay = Date.parse(until) - Date.parse(from) < 24 * 3_600_000 && begin <= end;
  const first = isOneDay ? begin : timeIn(from, now.peek());
  return first === end ? first : `${first}–${end}`;
}

function Now({ row: { now: state, since } }: { row: TroubleRow }) {
  if (state === null) return null;
  if (since === null) return <span class="quiet">{state} now</span>;
  return (
    <span class="reason" title={absolute(since)}>
      down for {span(now.value - Date.parse(since))}
    </span>
  );
}

function Run({ row: { last } }: { row: TroubleRow }) {
  const wait = runWait(last.job.id);
  const words = `Run now${wait > 0 ? ` in ${wait} s` : ''}`;
  return (
    <Button
      data-key="r"
      aria-label={`${words}: ${last.job.name}`}
      aria-disabled={wait > 0}
      onClick={() => void (wait === 0 && runNow(last.job))}
    >
      {words}
    </Button>
  );
}

function Replay({ row }: { row: TroubleRow }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button data-key="r" onClick={() => setOpen(true)}>
        Replay…
      </Button>
      {isOpen && <ReplayOutage row={row} onClose={() => setOpen(false)} />}
    </>
  );
}
