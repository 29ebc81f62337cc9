/** All jobs: trouble first, then the rest in the order that was asked for. */

import { useSignal } from '@preact/signals';
import type { JobSummary } from '../../../api/overview/contract.ts';
import { usePages } from '../../client/pages.ts';
import { ofJobs } from '../../client/resource.ts';
import type { Concern } from '../../client/resource.ts';
import { mayWrite } from '../../client/session/session.ts';
import { Filters } from '../../parts/rows/filters.tsx';
import type { Filter } from '../../parts/rows/filters.tsx';
import { useOverview } from '../../parts/frame/frame.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Link } from '../../parts/link.tsx';
import { TroubleFirst } from '../../parts/rows/row-list.tsx';
import { Search } from '../../parts/rows/search.tsx';
import { query, setQuery } from '../../router.ts';
import { Bulk } from './bulk.tsx';
import { NoJobs } from './none.tsx';
import { JobRow } from './row.tsx';

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
  const path = listPath(status, text, order);
  const chosen = useSignal<ReadonlySet<string> | null>(null);
  const list = usePages<JobSummary>(path, 'jobs', ofJobs, ofRow);
  const down = usePages<JobSummary>(
    isWhole ? `/overview/jobs?status=down&limit=${mostDown}` : null,
    'jobs',
    ofJobs,
    ofRow,
  );
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
      {chosen.value !== null && (
        <Bulk chosen={chosen} rows={[...(down.rows.value ?? []), ...(list.rows.value ?? [])]} />
      )}
      <TroubleFirst
        list={list}
        of={path}
        label="Jobs"
        trouble={isWhole ? [down] : []}
        count={counts?.jobs.down}
        links={[['/?status=down', 'All jobs that are down']]}
        others={`Others, ${orders[order as keyof typeof orders] ?? ''}`}
        none={
          <p>
            {noneWords(status, text)} <Link to="/">All jobs</Link>
          </p>
        }
      >
        {(job) => <JobRow key={job.id} job={job} chosen={chosen} />}
      </TroubleFirst>
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
