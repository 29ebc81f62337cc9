/** The runs of a job, newest first, by status and from a day on. */

import { useEffect, useRef } from 'preact/hooks';
import type { RunList, RunSummary } from '../../../api/runs/contract.ts';
import { now } from '../../client/clock.ts';
import type { Pages } from '../../client/pages.ts';
import { Filters, type Filter } from '../../parts/tools.tsx';
import { Link, Glyph, Outside } from '../../parts/basic.tsx';
import { HeldList, useDrawn } from '../../parts/rows.tsx';
import { path as address, setQuery } from '../../router.ts';
import { daysLater, inBothZones, pageOfRuns, runLine, successRate } from '../../view/history.ts';
import type { HistoryChoice } from '../../view/history.ts';
import { browserZone, city, dateIn, sameZone } from '../../view/times.ts';

interface HistoryProps {
  jobId: string;
  list: Pages<RunSummary>;
  /** What is asked for: rows of something else are not held. */
  path: string;
  choice: HistoryChoice;
  zone: string;
  totals: RunList['totals'] | null;
}

/** The list with its filters. */
export function History({ jobId, list, path, choice, zone, totals }: HistoryProps) {
  const draw = useDrawn(
    (run: RunSummary) => (
      <RunRow key={run.id} jobId={jobId} run={run} zone={zone} nowMs={now.peek()} />
    ),
    [jobId, zone],
  );
  const isFiltered = choice.status !== null || choice.before !== null;
  const rate = totals && successRate(totals);
  return (
    <section aria-labelledby="runs">
      <div class="titled">
        <h2 id="runs">Runs</h2>
        {!sameZone(zone, browserZone()) && <p class="quiet">times of {city(zone)}</p>}
        {rate !== null && <p class="quiet">{rate}</p>}
      </div>
      <div class="tools">
        <Filters
          label="Runs by status"
          name="status"
          chosen={choice.status}
          filters={filtersOf(totals)}
        />
        <UpTo before={choice.before} zone={zone} />
      </div>
      <HeldList
        list={list}
        of={path}
        canAct={false}
        none={
          isFiltered ? (
            <>
              No kept run is like that. <Link to={address.value}>All runs</Link>
            </>
          ) : (
            'No runs yet.'
          )
        }
      >
        {(rows) =>
          hundreds(rows).map(({ first, some }) => (
            <ol
              key={first}
              class="rows runs"
              aria-label={first === 1 ? 'Runs' : `Runs from ${first}`}
            >
              {some.map(draw)}
            </ol>
          ))
        }
      </HeldList>
    </section>
  );
}

/** Lists of a hundred: a browser lays out ten thousand rows one by one too slowly to scroll. */
function hundreds<T>(rows: readonly T[]): { first: number; some: T[] }[] {
  const count = Math.ceil(rows.length / pageOfRuns);
  return Array.from({ length: count }, (_, index) => {
    const start = index * pageOfRuns;
    return { first: start + 1, some: rows.slice(start, start + pageOfRuns) };
  });
}

function filtersOf(totals: RunList['totals'] | null): Filter[] {
  const all = totals && Object.values(totals).reduce((sum, count) => sum + count, 0);
  return [
    { value: null, word: 'all', count: all ?? undefined },
    ...(['failed', 'missed', 'interrupted', 'success'] as const).map((status) => {
      return { value: status, word: status, count: totals?.[status], glyph: status };
    }),
  ];
}

/** The last day that is shown. */
function UpTo({ before, zone }: { before: string | null; zone: string }) {
  const input = useRef<HTMLInputElement>(null);
  const last = before === null ? '' : daysLater(before, -1);
  // What somebody types is never overwritten.
  useEffect(() => {
    const field = input.current;
    if (field !== null && document.activeElement !== field) field.value = last;
  }, [last]);
  const show = (date: string): void => {
    // While a year is typed, its first digits are years, too.
    if (date === '') setQuery({ before: null });
    else if (date > '2000') setQuery({ before: daysLater(date, 1) });
  };
  return (
    <label class="up-to">
      up to
      <input
        ref={input}
        type="date"
        max={dateIn(now.peek(), zone)}
        defaultValue={last}
        onChange={({ currentTarget }) => show(currentTarget.value)}
      />
    </label>
  );
}

interface RunRowProps {
  jobId: string;
  run: RunSummary;
  zone: string;
  nowMs: number;
}

/** The row: status, when it was due, how long it took, what was answered, and what is out of the ordinary. */
function RunRow({ jobId, run, zone, nowMs }: RunRowProps) {
  const { id, status, scheduledFor, httpStatus } = run;
  const { glyph, time, remarks, took, error } = runLine(run, jobId, zone, nowMs);
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
