/** The calendar of a job: a sign for each day, with another shape for each thing that went wrong. */

import type { JobDays } from '../../../api/runs/contract.ts';
import { now } from '../../client/clock.ts';
import { ofOne, useResource } from '../../client/resource.ts';
import { Glyph, Link } from '../../parts/basic.tsx';
import { place } from '../../router.ts';
import { calendar, type DayCell, type DayKind, type MonthOfDays } from '../../view/days.ts';
import { daysLater } from '../../view/history.ts';
import { dateIn, dayIn } from '../../view/times.ts';

const count = 90;
/** Fewer days say less than the list of runs. */
const fewest = 3;

const legend: [kind: DayKind, word: string][] = [
  ['good', 'all succeeded'],
  ['failed', 'failed'],
  ['missed', 'missed'],
  ['interrupted', 'interrupted'],
  ['none', 'no runs'],
  ['unknown', 'not kept'],
];

interface DaysProps {
  id: string;
  zone: string;
  /** When the job was created: days before it say nothing. */
  createdAt: string;
  /** The day before which the history begins. */
  before: string | null;
}

/** The days. A link shows the history from the end of its day. */
export function Days({ id, zone, createdAt, before }: DaysProps) {
  const body = useResource<JobDays>(`/jobs/${id}/days?days=${count}`, ofOne('job', id)).body.value;
  if (body === null || body.since === null || body.days.length < fewest) return null;
  const born = dateIn(Date.parse(createdAt), zone);
  const months = calendar(body, { count, zone, nowMs: now.peek() })
    .map(({ month, cells }) => ({ month, cells: cells.filter(({ date }) => date >= born) }))
    .filter(isKnown);
  const kinds = new Set(months.flatMap(({ cells }) => cells.map(({ kind }) => kind)));
  const chosen = before === null ? null : daysLater(before, -1);
  const stop = body.days.find(({ date }) => date === chosen)?.date ?? body.days.at(-1)?.date;
  return (
    <section class="panel" aria-labelledby="days">
      <div class="titled">
        <h2 id="days">Days</h2>
        <p class="quiet">
          {body.isPartial ? 'counted since' : 'kept since'} {dayIn(body.since, now.peek(), zone)}
        </p>
      </div>
      <div
        class="days"
        role="toolbar"
        tabIndex={-1}
        aria-labelledby="days"
        onKeyDown={step}
        onClick={showRuns}
      >
        {months.map(({ month, cells }) => (
          <div key={month} class="month">
            <p class="quiet" aria-hidden="true">
              {month}
            </p>
            <ul aria-label={month}>
              {cells.map((cell, index) => (
                <Day
                  key={cell.date}
                  cell={cell}
                  isFirst={index === 0}
                  isChosen={cell.date === chosen}
                  isStop={cell.date === stop}
                />
              ))}
            </ul>
          </div>
        ))}
      </div>
      <p class="legend" aria-hidden="true">
        {legend.map(
          ([kind, word]) =>
            kinds.has(kind) && (
              <span key={kind}>
                <Sign kind={kind} /> {word}
              </span>
            ),
        )}
      </p>
    </section>
  );
}

/** Months of which nothing is kept say nothing. */
function isKnown({ cells }: MonthOfDays): boolean {
  return cells.some(({ kind }) => kind !== 'unknown');
}

interface DayProps {
  cell: DayCell;
  isFirst: boolean;
  isChosen: boolean;
  isStop: boolean;
}

/** Only the last day, or the chosen one, is a stop of the Tab key: the arrows lead to the others. */
function Day({ cell, isFirst, isChosen, isStop }: DayProps) {
  const { date, kind, label } = cell;
  // The first column is the first day of a month.
  const column = isFirst ? { gridColumn: Number(date.slice(8)) } : undefined;
  if (kind === 'unknown') {
    return (
      <li style={column} aria-hidden="true" title={label}>
        <Sign kind={kind} />
      </li>
    );
  }
  return (
    <li style={column} title={label}>
      <Link
        to={addressBefore(daysLater(date, 1))}
        label={label}
        current={isChosen}
        tabIndex={isStop ? 0 : -1}
      >
        <Sign kind={kind} />
      </Link>
    </li>
  );
}

function Sign({ kind }: { kind: DayKind }) {
  if (kind === 'failed' || kind === 'missed' || kind === 'interrupted') {
    return <Glyph status={kind} />;
  }
  return (
    <svg class={`glyph day ${kind}`} viewBox="0 0 16 16" aria-hidden="true">
      {kind === 'good' && <path d="M3 3h10v10H3z" />}
      {kind === 'none' && <path d="M6 7.2h4v1.6H6z" />}
      {kind === 'unknown' && <path class="line" d="M3 8l5-5M3 13L13 3M8 13l5-5" />}
    </svg>
  );
}

/** The list of runs changes below. */
function showRuns(): void {
  document.querySelector('#runs')?.scrollIntoView({ block: 'nearest' });
}

function step(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
  const days = [...event.currentTarget.querySelectorAll<HTMLElement>('a')];
  const at = days.findIndex((day) => day === document.activeElement);
  const next = by === undefined ? undefined : days[at + by];
  if (next === undefined || at === -1) return;
  event.preventDefault();
  next.focus();
}

/** The address of this page with another beginning of the history. */
function addressBefore(date: string): string {
  const { path, query } = place.value;
  const next = new URLSearchParams(query);
  next.set('before', date);
  return `${path}?${next.toString()}`;
}
