/** All jobs: trouble first, then the rest in the order that was asked for. */

import { useSignal } from '@preact/signals';
import type { JobSummary } from '../../../api/overview/contract.ts';
import { useHold, useHeldRows } from '../../client/hold.ts';
import { usePages } from '../../client/pages.ts';
import { ofJobs } from '../../client/resource.ts';
import type { Concern } from '../../client/resource.ts';
import { mayWrite } from '../../client/session.ts';
import { useDrawn } from '../../parts/drawn.ts';
import { Filters } from '../../parts/filters.tsx';
import type { Filter } from '../../parts/filters.tsx';
import { useOverview } from '../../parts/frame.tsx';
import { Heading } from '../../parts/heading.tsx';
import { HeldNote } from '../../parts/held-note.tsx';
import { Link } from '../../parts/link.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Search } from '../../parts/search.tsx';
import { query, setQuery } from '../../router.ts';
import { Bulk } from './bulk.tsx';
import { NoJobs } from './none.tsx';
import { JobRow } from './row.tsx';
import { useRowKeys } from './row-keys.ts';

/** Jobs that are down and shown above all others. */
const mostDown = 20;

const orders = { newest: 'newest first', due: 'next due first', name: 'by name' } as const;

const ofRow = ({ id }: JobSummary, change: Parameters<Concern>[0]): boolean =>
  change.jobs.includes(id) || change.runs.some(({ jobId }) => jobId === id);

/** The page. */
export function JobsPage() {
  const counts = useOverview();
  const status = query.value.get('status');
  const text = query.value.get('q') ?? '';
  const order = query.value.get('order') ?? 'newest';
  const isWhole = status === null && text === '';
  const hold = useHold();
  const chosen = useSignal<ReadonlySet<string> | null>(null);
  const list = usePages<JobSummary>(listPath(status, text, order), 'jobs', ofJobs, ofRow);
  const down = usePages<JobSummary>(
    isWhole ? `/overview/jobs?status=down&limit=${mostDown}` : null,
    'jobs',
    ofJobs,
    ofRow,
  );
  const trouble = useHeldRows(isWhole ? (down.rows.value ?? []) : [], hold, isWhole);
  const shown = useHeldRows(list.rows.value ?? [], hold, listPath(status, text, order));
  const keys = useRowKeys();
  const row = useDrawn<JobSummary>((job) => <JobRow key={job.id} job={job} chosen={chosen} />);
  const rowAbove = useDrawn<JobSummary>((job) => <JobRow key={job.id} job={job} chosen={chosen} />);
  const above = new Set(trouble.rows.map(({ id }) => id));
  const rest = shown.rows.filter(({ id }) => !above.has(id));
  const waiting = trouble.waiting + shown.waiting;
  if (counts?.jobs.total === 0 && isWhole) return <NoJobs />;
  return (
    <>
      <div class="head">
        <Heading title="Jobs" />
        {mayWrite.value && (
          <p class="actions">
            <button
              type="button"
              aria-pressed={chosen.value !== null}
              onClick={() => (chosen.value = chosen.value === null ? new Set() : null)}
            >
              Select
            </button>
            <Link to="/jobs/new" class="button main">
              New job
            </Link>
          </p>
        )}
      </div>
      <div class="tools">
        <Filters label="Jobs by state" name="status" chosen={status} filters={filtersOf(counts)} />
        <div class="find">
          <Search label="Search names and URLs" maxLength={200} />
          <select
            aria-label="Order"
            value={order}
            disabled={status === 'running' || status === 'missed'}
            onChange={({ currentTarget }) => setQuery({ order: currentTarget.value })}
          >
            {Object.entries(orders).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </div>
      </div>
      {chosen.value !== null && <Bulk chosen={chosen} rows={[...trouble.rows, ...rest]} />}
      <div ref={keys} {...hold.props}>
        {trouble.rows.length > 0 && (
          <section class="attention">
            <h2 id="attention">
              Needs attention{' '}
              <span class="figure">({counts?.jobs.down ?? trouble.rows.length})</span>
            </h2>
            <ol class="rows" aria-labelledby="attention">
              {trouble.rows.map(rowAbove)}
            </ol>
            {down.hasMore.value && <Link to="/?status=down">All jobs that are down</Link>}
          </section>
        )}
        <section>
          {trouble.rows.length > 0 && <h2>Others, {orders[order as keyof typeof orders] ?? ''}</h2>}
          {list.failure.value !== null && list.rows.value === null && (
            <Problem text={list.failure.value.error} />
          )}
          {list.rows.value === null && list.failure.value === null && (
            <p class="waiting">Waiting for jobd…</p>
          )}
          {list.rows.value?.length === 0 && !list.hasMore.value && (
            <p class="none">
              {noneWords(status, text)} <Link to="/">All jobs</Link>
            </p>
          )}
          <ol class="rows" aria-label="Jobs">
            {rest.map(row)}
          </ol>
        </section>
      </div>
      <HeldNote waiting={waiting} onShow={hold.release} />
      {list.hasMore.value && (
        <p class="more">
          <button type="button" disabled={list.isBusy.value} onClick={() => void list.more()}>
            {list.rows.value?.length === 0 ? 'Search on' : 'Show more'}
          </button>
        </p>
      )}
    </>
  );
}

function listPath(status: string | null, text: string, order: string): string {
  const asked = new URLSearchParams({ limit: '50' });
  if (status !== null) asked.set('status', status);
  if (text !== '') asked.set('q', text);
  if (order !== 'newest' && status !== 'running' && status !== 'missed') asked.set('order', order);
  return `/overview/jobs?${asked.toString()}`;
}

function filtersOf(counts: ReturnType<typeof useOverview>): Filter[] {
  const { jobs, lastDay } = counts ?? {};
  return [
    { value: null, word: 'all', count: jobs?.total },
    { value: 'down', word: 'down', count: jobs?.down, glyph: 'down' },
    { value: 'running', word: 'running', count: jobs?.running, glyph: 'running' },
    { value: 'up', word: 'up', count: jobs?.up, glyph: 'up' },
    { value: 'paused', word: 'paused', count: jobs?.paused, glyph: 'paused' },
    { value: 'new', word: 'new', count: jobs?.new, glyph: 'new' },
    {
      value: 'missed',
      word: 'missed in 24 h',
      count: lastDay?.missed,
      isPartial: lastDay?.isPartial ?? false,
      glyph: 'missed',
    },
  ];
}

function noneWords(status: string | null, text: string): string {
  if (text !== '') return 'No name or URL has this text.';
  if (status === 'missed') return 'No job missed a due time in the last 24 hours.';
  return status === null ? 'No jobs.' : `No job is ${status}.`;
}
