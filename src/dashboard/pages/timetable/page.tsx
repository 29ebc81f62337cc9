/** The timetable: what ran and what is due, a row for each job, on one axis that can be moved. */

import { computed, useComputed } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { Timetable, TimetableRow } from '../../../wings/timetable/contract.ts';
import { now } from '../../client/clock.ts';
import { usePages, type Pages } from '../../client/pages.ts';
import { ofAll, ofOne } from '../../client/resource.ts';
import { At, Link, Outside } from '../../parts/basic.tsx';
import { Heading } from '../../parts/heading.tsx';
import { HeldList } from '../../parts/rows.tsx';
import { Filters, Search } from '../../parts/tools.tsx';
import { query } from '../../router.ts';
import { figures, span } from '../../view/figures.ts';
import { periodAround, tall, zooms, type Zoom } from '../../view/timetable.ts';
import { Table } from './table.tsx';

const hourMs = 3_600_000;
const rowsAtOnce = 100;
const mostCollisions = 5;
const zoomFilters = Object.keys(zooms).map((value) => ({
  value,
  word: value.replace(/(?=[hd])/, ' '),
}));

/** The page. */
export function TimetablePage() {
  const asked = query.value.get('zoom') ?? '';
  const zoom: Zoom = Object.hasOwn(zooms, asked) ? (asked as Zoom) : '24h';
  const chosen = Date.parse(query.value.get('at') ?? '');
  const at = Number.isNaN(chosen) ? null : chosen;
  const text = query.value.get('q') ?? '';
  const hour = useComputed(() => Math.floor(now.value / hourMs) * hourMs).value;
  const period = useMemo(() => periodAround(at ?? hour, zoom, hour), [at, zoom, hour]);
  const list = useTimetable(period, text);
  const whole = useLast(list.whole.value as Timetable | null);
  return (
    <>
      <div class="head">
        <Heading title="Timetable" />
        <div class="find">
          <Search label="Search names and URLs" maxLength={200} />
        </div>
      </div>
      <HeldList
        list={list}
        of={`timetable ${text}`}
        canAct={false}
        none={text === '' ? 'No job yet.' : 'No name or URL has this text.'}
      >
        {(rows) =>
          whole !== null && (
            <Table rows={rows} whole={whole} period={period} zoom={zoom} at={at}>
              <Filters label="How much is shown" name="zoom" chosen={zoom} filters={zoomFilters} />
            </Table>
          )
        }
      </HeldList>
      {whole !== null && <Legend />}
      {whole !== null && <Collisions of={whole.density} />}
    </>
  );
}

/** The rows of a period. Those that are shown stay until the next ones have come. */
function useTimetable(
  { from, to }: { from: number; to: number },
  text: string,
): Pages<TimetableRow> {
  const path = new URLSearchParams({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    limit: String(rowsAtOnce),
    ...(text !== '' && { q: text }),
  });
  const list = usePages<TimetableRow>(
    `/overview/timetable?${path.toString()}`,
    'jobs',
    ofAll('job'),
    ({ id }, change) => ofOne('job', id)(change),
  );
  const last = useRef<TimetableRow[] | null>(null);
  return useMemo(() => {
    const rows = computed(() => (last.current = list.rows.value ?? last.current));
    return { ...list, rows };
  }, [list]);
}

/** The value, or the last one while there is none. */
function useLast<T>(value: T | null): T | null {
  const last = useRef(value);
  last.current = value ?? last.current;
  return last.current;
}

const legend = [
  ['success', 'success', 'M6 4h4v12h-4z'],
  ['band', 'often', 'M0 4h16v12h-16z'],
  ['failed', 'failed', 'M5 0h6v20h-6z'],
  ['missed', 'missed', 'M5 0h6v20h-6zM6 1v18h4v-18z'],
  ['interrupted', 'interrupted', 'M5 0h6v8h-6zM5 12h6v8h-6z'],
  ['due', 'due', 'M5.5 4.5h4v11h-4z'],
  ['due-band', 'due often', 'M.5 4.5h15v11h-15z'],
] as const;

function Legend() {
  return (
    <p class="legend" aria-hidden="true">
      {legend.map(([name, words, path]) => (
        <span key={name}>
          <svg class="marks" viewBox={`0 0 16 ${tall}`} width="16" height={tall}>
            <path class={name} d={path} />
          </svg>
          {words}
        </span>
      ))}
    </p>
  );
}

/** Minutes to come in which many calls go to one host, and what a spread would make of them. */
function Collisions({ of: { collisions, busiest, isPartial } }: { of: Timetable['density'] }) {
  if (collisions.length === 0 && !isPartial) return null;
  const shown = busiest
    .slice(0, Math.min(mostCollisions, collisions.length))
    .toSorted((one, other) => (one.at < other.at ? -1 : 1));
  return (
    <section class="panel" aria-labelledby="collisions">
      <h2 id="collisions">Many calls of one host in a minute</h2>
      <ul class="stack">
        {shown.map(({ at, hosts: [first], spread }) => (
          <li key={at}>
            <b>
              <At at={at} />
            </b>
            : {figures(first?.count ?? 0)} calls to <Outside text={first?.host ?? ''} />.{' '}
            {spread !== null && (
              <span class="quiet">
                With a spread of {span(spread.seconds * 1_000)} each: {spread.most} a minute at
                most.{' '}
              </span>
            )}
            <Link to={`/timetable?${new URLSearchParams({ q: first?.host ?? '' }).toString()}`}>
              Show its jobs
            </Link>
          </li>
        ))}
      </ul>
      {collisions.length > shown.length && (
        <p class="quiet">And {figures(collisions.length - shown.length)} more minutes.</p>
      )}
      {isPartial && (
        <p class="quiet">
          Not all minutes that are shown were counted: there are too many due times, or they are too
          far away.
        </p>
      )}
    </section>
  );
}
