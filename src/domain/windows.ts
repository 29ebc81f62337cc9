/**
 * Windows: times in which nobody is alerted of jobs and monitors (`mute`), or jobs are not called and no ping is expected (`hold`). A
 * workspace has a few, kept as one text of its row; null without any, and then nothing is asked (docs/behavior.md#window-1).
 */

import { fits, readSelector, type Labels } from './labels.ts';
import { nextDue } from './schedule/next.ts';
import { zoneFiles, type ZoneFiles } from './schedule/zone-data.ts';

/** What a window does. */
export type WindowEffect = 'mute' | 'hold';

/** When a window is in effect, and on what: by labels or ids, or all there is. Times are ISO 8601 in UTC. */
export interface Window {
  id: string;
  name: string;
  effect: WindowEffect;
  selector: string | null;
  jobIds: readonly string[] | null;
  monitorIds: readonly string[] | null;
  /** From then up to, not including, `until`; null of one that recurs. */
  from: string | null;
  until: string | null;
  /** It begins with each due time of this, and lasts so long; null of one that does not recur. */
  cronExpr: string | null;
  timezone: string;
  durationSeconds: number | null;
  /** When somebody ended the period that it was in; null if nobody did. */
  endedAt: string | null;
  createdAt: string;
}

/** A part of time, up to, not including, `until`. Epoch milliseconds. */
export interface Period {
  from: number;
  until: number;
}

/** The first period of a window that ends after an instant; null if none does. It may have begun. */
export function periodAfter(window: Window, at: number): Period | null {
  const { cronExpr } = window;
  const endedAt = window.endedAt === null ? -Infinity : Date.parse(window.endedAt);
  const cut = (from: number, until: number): Period => {
    return { from, until: from <= endedAt ? Math.min(until, endedAt) : until };
  };
  if (cronExpr === null) {
    const period = cut(Date.parse(window.from ?? ''), Date.parse(window.until ?? ''));
    return period.until > at ? period : null;
  }
  const lastsMs = Number(window.durationSeconds) * 1_000;
  const ended = endedAt <= at ? endedAt : -Infinity;
  const from = nextBegin(window, cronExpr, Math.max(at - lastsMs, ended));
  return from === null ? null : cut(from, from + lastsMs);
}

/** When the next period begins after an instant. A search of a rare expression costs up to a millisecond, and many jobs ask the same. */
function nextBegin(window: Window, cronExpr: string, after: number): number | null {
  const { gaps } = foundOf(window);
  let low = 0;
  for (let high = gaps.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((gaps[middle]?.until ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  const gap = gaps[low];
  if (gap !== undefined && gap.from <= after) return gap.until;
  const next = nextDue({ scheduleType: 'cron', cronExpr, timezone: window.timezone }, after);
  if (next !== null && next === gap?.until) gap.from = after;
  else if (next !== null) {
    gaps.splice(low, 0, { from: after, until: next });
    kept.gapCount += 1;
  }
  return next;
}

/** The period of a window that an instant is in, or null. */
export function periodAt(window: Window, at: number): Period | null {
  const period = periodAfter(window, at);
  return period !== null && period.from <= at ? period : null;
}

/** Which part of a time one of these windows at least is in effect, from 0 to 1. */
export function shareOf(windows: readonly Window[], { from, until }: Period): number {
  const next = windows.map((window) => ({ window, period: periodAfter(window, from) }));
  let ms = 0;
  for (let at = from; at < until;) {
    const [first] = next
      .flatMap(({ period }) => period ?? [])
      .toSorted((one, other) => one.from - other.from);
    if (first === undefined) break;
    ms += Math.max(0, Math.min(first.until, until) - Math.max(first.from, at));
    at = Math.max(at, first.until);
    for (const one of next) {
      if (one.period !== null && one.period.until <= at) one.period = periodAfter(one.window, at);
    }
  }
  return ms / (until - from);
}

/** How often windows are looked at to find periods that follow each other: each look takes a microsecond, and many jobs need theirs. */
const mostLooks = 200;

/** A part of time in which windows are in effect without a gap, or none is. */
interface Stretch extends Period {
  isCovered: boolean;
  /** How often windows were looked at to find it. */
  looks: number;
}

/** With the zone data in use, for as long as windows are kept: where no period of one begins, up to a beginning, in order; and of several. */
const nothingFound = (zones: ZoneFiles | null) => ({
  zones,
  windows: new WeakMap<Window, { number: number; gaps: Period[] }>(),
  windowCount: 0,
  gapCount: 0,
  stretches: new Map<string, Stretch[]>(),
});
let kept = nothingFound(null);
const mostGaps = 200_000;
const mostSets = 2_000;
const mostStretches = 200;

function findings(): typeof kept {
  const zones = zoneFiles();
  if (kept.gapCount > mostGaps || kept.zones !== zones) kept = nothingFound(zones);
  return kept;
}

function foundOf(window: Window) {
  const { windows } = findings();
  const found = windows.get(window) ?? { number: ++kept.windowCount, gaps: [] };
  windows.set(window, found);
  return found;
}

function stretchesOf(windows: readonly Window[]): Stretch[] {
  const { stretches } = findings();
  if (stretches.size > mostSets) stretches.clear();
  const name = windows.map((one) => foundOf(one).number).join();
  const known = stretches.get(name) ?? [];
  if (known.length >= mostStretches) known.length = 0;
  stretches.set(name, known);
  return known;
}

/**
 * When the last of the periods ends that an instant is in, with periods that follow without a gap: of two windows a hundred at least,
 * of a hundred windows two (docs/behavior.md#window-2); null if it is in none. Of many jobs, asked one after the other, what one finds
 * counts for others. `spent` counts looks, also those that were made before.
 */
export function coveredUntil(
  windows: readonly Window[],
  at: number,
  spent = { looks: 0 },
): number | null {
  if (windows.length === 0) return null;
  const known = stretchesOf(windows);
  const { isCovered, until, looks } = stretchAt(known, at) ?? findStretch(windows, at, known);
  spent.looks += looks;
  return isCovered ? until : null;
}

function stretchAt(known: readonly Stretch[], at: number): Stretch | undefined {
  return known.find(({ from, until }) => from <= at && at < until);
}

function findStretch(windows: readonly Window[], at: number, known: Stretch[]): Stretch {
  const stretch = lookAt(windows, at);
  while (stretch.isCovered && stretch.looks < mostLooks) {
    const { until, looks } = stretch;
    const follows = stretchAt(known, until);
    if (follows?.isCovered === true) {
      return Object.assign(follows, { from: at, looks: Math.max(looks, follows.looks) });
    }
    const next = follows ?? lookAt(windows, until);
    stretch.looks += windows.length;
    if (!next.isCovered) break;
    stretch.until = next.until;
  }
  known.push(stretch);
  return stretch;
}

/** What one look at each of the windows finds at an instant. */
function lookAt(windows: readonly Window[], at: number): Stretch {
  let [end, begin] = [-Infinity, Infinity];
  for (const window of windows) {
    const { from, until } = periodAfter(window, at) ?? { from: Infinity, until: Infinity };
    if (from <= at) end = Math.max(end, until);
    else begin = Math.min(begin, from);
  }
  const isCovered = end > at;
  return { from: at, until: isCovered ? end : begin, isCovered, looks: windows.length };
}

/** Whether a window is about a job or monitor, by its id and its labels. */
export type Cover = (id: string, labels: Labels | null) => boolean;

const covers = new WeakMap<Window, Cover>();

/** What a window is about, read once for as long as it is kept. */
export function coverOf(window: Window): Cover {
  const cover = covers.get(window) ?? readCover(window);
  covers.set(window, cover);
  return cover;
}

function readCover({ selector, jobIds, monitorIds }: Window): Cover {
  if (selector !== null) {
    const terms = readSelector(selector);
    return (_, labels) => fits(labels, terms);
  }
  if (jobIds === null && monitorIds === null) return () => true;
  const ids = new Set([...(jobIds ?? []), ...(monitorIds ?? [])]);
  return (id) => ids.has(id);
}

/** What a window does to what: windows that have it in common are as one. */
export function whatIsDone({ effect, selector, jobIds, monitorIds }: Window): string {
  return JSON.stringify([effect, selector, jobIds, monitorIds]);
}

/** A period in which a window mutes what it is about. */
export interface Mute extends Period {
  window: Window;
}

/** Until when at least windows mute and hold a job or monitor, in epoch milliseconds; absent where they do not. */
export interface Covered {
  mutedUntil?: number;
  heldUntil?: number;
}

/** Those of them that hold. */
export function holdsAmong(windows: readonly Window[]): readonly Window[] {
  return windows.filter(({ effect }) => effect === 'hold');
}

/** What windows about something do to it now. */
export function coveredAt(
  mutes: readonly Window[],
  holds: readonly Window[],
  now: number,
): Covered {
  const ends = mutesAt(mutes, [now]).map(({ until }) => until);
  const heldUntil = coveredUntil(holds, now);
  return {
    ...(ends.length > 0 && { mutedUntil: Math.max(...ends) }),
    ...(heldUntil !== null && { heldUntil }),
  };
}

/** What mutes at one of some instants, each period once. A window mutes nothing before it was made. */
export function mutesAt(windows: readonly Window[], instants: readonly number[]): Mute[] {
  return windows.flatMap((window) => {
    const since = window.effect === 'mute' ? Date.parse(window.createdAt) : Infinity;
    const found = instants.flatMap((at) => (at < since ? [] : (periodAt(window, at) ?? [])));
    const periods = new Map(found.map((period) => [period.until, period]));
    return [...periods.values()].map((period) => ({ window, ...period }));
  });
}
