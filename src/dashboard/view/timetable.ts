/** The timetable as it is drawn: where moments are on its axis, what is drawn of a job, and the words for it. */

import type { Timetable, TimetableRow } from '../../wings/timetable/contract.ts';
import { duration, figures, span } from './figures.ts';
import { city, clock, dayIn, timeIn } from './times.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** What a window shows at once. */
export const zooms = { '6h': 6 * hour, '24h': 24 * hour, '7d': 7 * day } as const;
export type Zoom = keyof typeof zooms;

/** How far it may be moved from now. */
const furthest = 7 * day;

/** A part of time, in epoch milliseconds. */
export interface Period {
  from: number;
  to: number;
}

/** The part of time that can be scrolled through, around a moment: whole hours, so that it stays the same for one. */
export function periodAround(at: number, zoom: Zoom, nowMs: number): Period {
  const half = Math.max(24 * hour, zooms[zoom] / 2);
  const middle = Math.min(Math.max(at, nowMs - furthest), nowMs + furthest);
  const from = Math.floor((middle - half) / hour) * hour;
  return { from, to: from + 2 * half };
}

/** The axis: a period in pixels. */
export interface Axis extends Period {
  width: number;
  /** Pixels from the left to a moment. */
  xOf: (at: number) => number;
}

/** The axis of a period of which a window of `seen` pixels shows a zoom. */
export function axisOf({ from, to }: Period, zoom: Zoom, seen: number): Axis {
  const width = Math.round((seen * (to - from)) / zooms[zoom]);
  const scale = width / (to - from);
  return { from, to, width, xOf: (at) => Math.round((at - from) * scale) };
}

/** A line of the axis; that of a day has its name, and one that is close to that has no words. */
export interface Tick {
  x: number;
  text: string;
  isDay: boolean;
}

const steps = [15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day];
/** The width of a time in pixels; a day needs more. */
const tickWidth = 58;
const dayWidth = 90;

/** Lines at round times of this browser's clock. */
export function ticksOf({ from, to, width, xOf }: Axis, nowMs: number): Tick[] {
  const step = steps.find((ms) => (ms * width) / (to - from) >= tickWidth) ?? day;
  const first = new Date(from);
  const ticks: Tick[] = [];
  let lastDay = -dayWidth;
  for (let index = 0; ; index += 1) {
    const at = new Date(
      first.getFullYear(),
      first.getMonth(),
      first.getDate(),
      0,
      0,
      0,
      index * step,
    );
    if (at.getTime() >= to) return ticks;
    const x = xOf(at.getTime());
    if (at.getTime() < from || x === ticks.at(-1)?.x) continue;
    const iso = at.toISOString();
    const isDay = at.getHours() === 0 && at.getMinutes() === 0;
    const isHidden = !isDay && x - lastDay < dayWidth;
    if (isDay) lastDay = x;
    ticks.push({ x, text: isDay ? dayIn(iso, nowMs) : isHidden ? '' : clock(iso), isDay });
  }
}

type RunMark = TimetableRow['runs'][number];
type DueMark = TimetableRow['due'][number];
export type Mark = RunMark | DueMark;

/** Path data of a row, by class. */
export type Drawing = Partial<
  Record<RunMark['status'] | 'band' | 'due' | 'due-band' | 'unread', string>
>;

/** The height of a drawing. */
export const tall = 20;
const rectangle = (x: number, y: number, wide: number, high: number): string =>
  `M${x} ${y}h${wide}v${high}h-${wide}z`;
const low = (x: number, wide: number): string => rectangle(x, 4, wide, tall - 8);

/** As in lists, each status has a shape of its own; what did not happen is hollow. */
const shapes: Record<RunMark['status'], (x: number, wide: number) => string> = {
  success: low,
  running: low,
  queued: low,
  failed: (x, wide) => rectangle(x, 0, wide, tall),
  // The inside is cut out, as it turns the other way.
  missed: (x, wide) =>
    `${rectangle(x, 0, wide, tall)}M${x + 1} 1v${tall - 2}h${wide - 2}v${2 - tall}z`,
  interrupted: (x, wide) => rectangle(x, 0, wide, 8) + rectangle(x, 12, wide, 8),
};

/** Where a mark begins and ends. One that runs goes on until now; one that took long is as long. */
function extentOf(mark: Mark, { xOf }: Axis, nowMs: number): [x: number, wide: number] {
  const at = Date.parse(mark.at);
  const last = Date.parse(mark.until ?? mark.at);
  const isRun = 'status' in mark;
  const end = isRun && mark.status === 'running' ? nowMs : last + ((isRun && mark.durationMs) || 0);
  const x = xOf(at);
  return [x - 1, Math.max(xOf(end) - x + 1, isRun && mark.status !== 'success' ? 5 : 4)];
}

/** Draws a row. */
export function drawingOf(row: TimetableRow, axis: Axis, nowMs: number): Drawing {
  // What went wrong is above what went well.
  const drawing: Drawing = { unread: '', band: '', success: '' };
  const add = (name: keyof Drawing, path: string): void => {
    drawing[name] = (drawing[name] ?? '') + path;
  };
  for (const mark of row.runs) {
    const [x, wide] = extentOf(mark, axis, nowMs);
    const isBand = mark.status === 'success' && mark.count !== undefined;
    add(isBand ? 'band' : mark.status, shapes[mark.status](x, wide));
  }
  for (const mark of row.due) {
    const [x, wide] = extentOf(mark, axis, nowMs);
    add(
      mark.count === undefined ? 'due' : 'due-band',
      `M${x + 0.5} 4.5h${wide - 1}v11h-${wide - 1}z`,
    );
  }
  if (row.runsFrom !== null) add('unread', `M0 ${tall / 2}H${axis.xOf(Date.parse(row.runsFrom))}`);
  return drawing;
}

/** A pointer is on a mark that is no further away. */
const reach = 8;

/** All that is drawn of a row, in the order of time. */
export function marksOf({ runs, due }: TimetableRow): Mark[] {
  return [...runs, ...due].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** The mark at a place of the axis; undefined if none is near. */
export function markAt(row: TimetableRow, x: number, axis: Axis, nowMs: number): Mark | undefined {
  const near = marksOf(row).map((mark) => {
    const [start, wide] = extentOf(mark, axis, nowMs);
    return { mark, away: Math.max(start - x, x - start - wide, 0) };
  });
  const [nearest] = near.toSorted((one, other) => one.away - other.away);
  return nearest !== undefined && nearest.away <= reach ? nearest.mark : undefined;
}

/** The mark before or after one, or beside now. */
export function stepFrom(
  row: TimetableRow,
  mark: Mark | null,
  by: number,
  nowMs: number,
): Mark | undefined {
  const marks = marksOf(row);
  if (mark !== null) return marks[marks.findIndex(({ at }) => at === mark.at) + by];
  const ahead = marks.filter(({ at }) => Date.parse(at) <= nowMs).length;
  return marks[by > 0 ? ahead : ahead - 1];
}

/** The middle of a mark. */
export function middleOf(mark: Mark, axis: Axis, nowMs: number): number {
  const [x, wide] = extentOf(mark, axis, nowMs);
  return x + wide / 2;
}

/** `03:00`, or `Mon 23 Nov 03:00 to 04:00`. */
function when({ at, until }: Mark, nowMs: number): string {
  const seconds = { withSeconds: Date.parse(at) % minute !== 0 };
  const first = `${dayIn(at, nowMs)} ${clock(at, undefined, seconds)}`;
  if (until === undefined) return first;
  return `${first} to ${dayIn(at, nowMs) === dayIn(until, nowMs) ? clock(until) : timeIn(until, nowMs)}`;
}

/** What a mark stands for. */
export function markWords(mark: Mark, nowMs: number): string {
  const { count = 1, at, until = at } = mark;
  const many = count > 1 ? ` ${figures(count)} times` : '';
  if ('status' in mark) {
    const took =
      count === 1 && mark.durationMs !== null ? `, took ${duration(mark.durationMs)}` : '';
    return `${mark.status}${many}, ${when(mark, nowMs)}${took}`;
  }
  const gap = (Date.parse(until) - Date.parse(at)) / Math.max(1, count - 1);
  return `due${many}, ${when(mark, nowMs)}${count > 1 ? `, every ${span(Math.round(gap / minute) * minute)}` : ''}`;
}

/** Where a mark leads: to its run; to the job if it stands for successes, or has yet to come. */
export function placeOf({ id }: Pick<TimetableRow, 'id'>, mark: Mark): string {
  const isRun = 'status' in mark && !(mark.status === 'success' && mark.count !== undefined);
  return isRun ? `/jobs/${id}/runs/${mark.id}` : `/jobs/${id}`;
}

const statuses = ['success', 'failed', 'interrupted', 'missed', 'running', 'queued'] as const;

/** A row for readers: `26 success, 1 failed; due 24 times, first Mon 23 Nov 03:00`. */
export function rowWords({ runs, runsFrom, due }: TimetableRow, nowMs: number): string {
  const sum = (marks: readonly Mark[]): number =>
    marks.reduce((total, { count = 1 }) => total + count, 0);
  const ran = statuses.flatMap((status) => {
    const count = sum(runs.filter((run) => run.status === status));
    return count === 0 ? [] : [`${figures(count)} ${status}`];
  });
  const some = runsFrom === null ? '' : `since ${timeIn(runsFrom, nowMs)} `;
  const past = ran.length === 0 ? 'no runs' : some + ran.join(', ');
  const [first] = due;
  if (first === undefined) return `${past}; not due`;
  const times = sum(due);
  return `${past}; due ${times === 1 ? timeIn(first.at, nowMs) : `${figures(times)} times, first ${timeIn(first.at, nowMs)}`}`;
}

/** Changes of the clocks that come together: `Paris −1 h`, `Berlin and 3 zones more −1 h`. */
export function changesOf(changes: Timetable['clockChanges']): { at: number; words: string }[] {
  const together = Map.groupBy(changes, ({ at, minutes }) => `${at} ${minutes}`);
  return Array.from(together.values(), ([{ at, timezone, minutes } = noChange, ...others]) => {
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    const by = `${minutes > 0 ? '+' : '−'}${Math.abs(minutes) / 60} h`;
    return { at: Date.parse(at), words: `${city(timezone)}${more} ${by}` };
  });
}
const noChange = { at: '', timezone: '', minutes: 0 };

type Density = Timetable['density'];

/** The strip of the minutes to come: path data of calm columns and of those with a collision, and the most calls of a minute. */
export interface Columns {
  calm: string;
  collisions: string;
  most: number;
}

const columnWidth = 2;
/** The height of the strip. */
export const stripTall = 36;

/** Draws the minutes, of which several may share a column: it is as high as the busiest. */
export function columnsOf({ from, counts, collisions }: Density, axis: Axis): Columns {
  const most = Math.max(1, ...counts);
  const start = Date.parse(from);
  const collided = new Set(collisions);
  const columns = new Map<number, { count: number; isCollision: boolean }>();
  for (const [index, count] of counts.entries()) {
    if (count === 0) continue;
    const at = start + index * minute;
    const x = Math.floor(axis.xOf(at) / columnWidth) * columnWidth;
    const before = columns.get(x);
    columns.set(x, {
      count: Math.max(count, before?.count ?? 0),
      isCollision: before?.isCollision === true || collided.has(index),
    });
  }
  const wide = Math.max(columnWidth, axis.xOf(axis.from + minute) - 1);
  const draw = (of: boolean): string =>
    [...columns]
      .filter(([, { isCollision }]) => isCollision === of)
      .map(([x, { count }]) => {
        const high = Math.max(2, Math.round((stripTall * count) / most));
        return rectangle(x, stripTall - high, wide, high);
      })
      .join('');
  return { calm: draw(false), collisions: draw(true), most };
}

/** The minute of the strip at a place: the busiest one that is near; null if nothing is due there. */
export function minuteAt({ from, counts }: Density, x: number, axis: Axis): string | null {
  const start = Date.parse(from);
  let best: { at: number; count: number } | null = null;
  for (const [index, count] of counts.entries()) {
    const at = start + index * minute;
    if (count > (best?.count ?? 0) && Math.abs(axis.xOf(at) - x) <= 3) best = { at, count };
  }
  return best && new Date(best.at).toISOString();
}

/** `03:00: 61 calls, 24 to db.example.com`. */
export function minuteWords(at: string, { from, counts, busiest }: Density, nowMs: number): string {
  const count = counts[(Date.parse(at) - Date.parse(from)) / minute] ?? 0;
  const { hosts = [] } = busiest.find((one) => one.at === at) ?? {};
  const to = hosts.map((one) => `${figures(one.count)} to ${one.host}`).join(', ');
  return `${timeIn(at, nowMs)}: ${figures(count)} ${count === 1 ? 'call' : 'calls'}${to && `: ${to}`}`;
}
