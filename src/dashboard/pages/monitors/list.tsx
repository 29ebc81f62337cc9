/** All monitors: those that are down or late first, then the others. */

import type { MonitorSummary } from '../../../api/overview/contract.ts';
import { useAgainAfter } from '../../client/live/again.ts';
import { usePages } from '../../client/pages.ts';
import { ofMonitors } from '../../client/resource.ts';
import type { Concern } from '../../client/resource.ts';
import { mayWrite } from '../../client/session/session.ts';
import { Filters } from '../../parts/rows/filters.tsx';
import type { Filter } from '../../parts/rows/filters.tsx';
import { useOverview } from '../../parts/frame/frame.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Link } from '../../parts/link.tsx';
import { TroubleFirst } from '../../parts/rows/row-list.tsx';
import { Search } from '../../parts/rows/search.tsx';
import { query } from '../../router.ts';
import { momentsOf } from '../../view/monitors/monitor-state.ts';
import { NoMonitors } from './none.tsx';
import { MonitorRow } from './row.tsx';

/** As many of each status are shown above all others. */
const mostTrouble = 20;

const touches = ({ id }: MonitorSummary, { monitors }: Parameters<Concern>[0]): boolean =>
  monitors.includes(id);

const useMonitors = (path: string | null) =>
  usePages<MonitorSummary>(path, 'monitors', ofMonitors, touches);

/** The page. */
export function MonitorsPage() {
  const counts = useOverview()?.monitors;
  const status = query.value.get('status');
  const text = query.value.get('q') ?? '';
  const isWhole = status === null && text === '';
  const path = listPath(status, text);
  const list = useMonitors(path);
  const down = useMonitors(isWhole ? troublePath('down') : null);
  const late = useMonitors(isWhole ? troublePath('late') : null);
  const lists = isWhole ? [list, down, late] : [list];
  useAgainAfter(
    () => lists.flatMap(({ rows }) => (rows.value ?? []).flatMap(momentsOf)),
    () => lists.forEach(({ reload }) => void reload()),
  );
  if (counts?.total === 0 && isWhole) return <NoMonitors />;
  return (
    <>
      <div class="head">
        <Heading title="Monitors" />
        {mayWrite.value && (
          <p class="actions">
            <Link to="/monitors/new" class="button main">
              New monitor
            </Link>
          </p>
        )}
      </div>
      <div class="tools">
        <Filters
          label="Monitors by status"
          name="status"
          chosen={status}
          filters={filtersOf(counts)}
        />
        <div class="find">
          <Search label="Search names" maxLength={120} />
        </div>
      </div>
      <TroubleFirst
        list={list}
        of={path}
        label="Monitors"
        trouble={isWhole ? [down, late] : []}
        count={counts && counts.down + counts.late}
        links={[
          ['/monitors?status=down', 'All monitors that are down'],
          ['/monitors?status=late', 'All monitors that are late'],
        ]}
        others="Others, newest first"
        none={
          <p>
            {text === '' ? `No monitor is ${status ?? 'here'}.` : 'No name has this text.'}{' '}
            <Link to="/monitors">All monitors</Link>
          </p>
        }
      >
        {(monitor) => <MonitorRow key={monitor.id} monitor={monitor} />}
      </TroubleFirst>
    </>
  );
}

function troublePath(status: 'down' | 'late'): string {
  return `/overview/monitors?limit=${mostTrouble}&status=${status}`;
}

function listPath(status: string | null, text: string): string {
  const asked = new URLSearchParams({ limit: '50' });
  if (status !== null) asked.set('status', status);
  if (text !== '') asked.set('q', text);
  return `/overview/monitors?${asked.toString()}`;
}

const statuses = ['down', 'late', 'up', 'paused', 'new'] as const;

function filtersOf(counts: NonNullable<ReturnType<typeof useOverview>>['monitors'] | undefined) {
  const isPartial = counts?.isPartial ?? false;
  const all: Filter = { value: null, word: 'all', count: counts?.total, isPartial };
  const ofStatuses: Filter[] = statuses.map((status) => ({
    value: status,
    word: status,
    count: counts?.[status],
    isPartial,
    glyph: status,
  }));
  return [all, ...ofStatuses];
}
