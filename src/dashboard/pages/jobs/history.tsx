/** The runs of a job, newest first, by status and from a day on. */

import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { RunList, RunSummary } from '../../../api/runs/contract.ts';
import { now } from '../../client/clock.ts';
import type { Pages } from '../../client/pages.ts';
import { Filters } from '../../parts/rows/filters.tsx';
import type { Filter } from '../../parts/rows/filters.tsx';
import { Link } from '../../parts/link.tsx';
import { HeldList } from '../../parts/rows/row-list.tsx';
import { path as address, setQuery } from '../../router.ts';
import { daysLater, pageOfRuns } from '../../view/jobs/history.ts';
import type { HistoryChoice } from '../../view/jobs/history.ts';
import { dateIn } from '../../view/times.ts';
import { RunRow } from './run-row.tsx';

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
  const draw = useRows(jobId, zone);
  const isFiltered = choice.status !== null || choice.before !== null;
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
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

/** A row that was drawn is drawn again only if its run has changed: there may be thousands. */
function useRows(jobId: string, zone: string): (run: RunSummary) => VNode {
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the rows of another job or zone are other ones
  const drawn = useMemo(() => new WeakMap<RunSummary, VNode>(), [jobId, zone]);
  return (run) => {
    const known = drawn.get(run);
    if (known !== undefined) return known;
    const row = <RunRow key={run.id} jobId={jobId} run={run} zone={zone} nowMs={now.peek()} />;
    drawn.set(run, row);
    return row;
  };
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
    { value: 'failed', word: 'failed', count: totals?.failed, glyph: 'failed' },
    { value: 'missed', word: 'missed', count: totals?.missed, glyph: 'missed' },
    { value: 'interrupted', word: 'interrupted', count: totals?.interrupted, glyph: 'interrupted' },
    { value: 'success', word: 'success', count: totals?.success, glyph: 'success' },
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
