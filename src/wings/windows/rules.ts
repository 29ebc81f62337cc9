/** The rules for what people set of a window. */

import { isoTime } from '../../domain/clock.ts';
import { invalidInput, type JobdError } from '../../domain/errors.ts';
import { checkFields, defaultsOf } from '../../domain/fields.ts';
import { readSelector } from '../../domain/labels.ts';
import { writable } from '../../domain/read-only.ts';
import { readMoment } from '../../domain/schedule/local-moments.ts';
import { nextDue } from '../../domain/schedule/next.ts';
import { checkSchedule } from '../../domain/schedule/schedule-input.ts';
import { canonicalZone } from '../../domain/schedule/zone.ts';
import { periodAfter, type Window } from '../../domain/windows.ts';
import { longestSeconds, windowFields, type WindowInput, type WindowUpdate } from './fields.ts';

/** Makes a window. Throws `invalid_input`. */
export function defineWindow(input: WindowInput, id: string, now: number): Window {
  const { name, effect } = input;
  const createdAt = isoTime(now);
  const defaults = { ...defaultsOf(windowFields), name, effect, endedAt: null };
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  return changeWindow({ ...defaults, id, createdAt }, given, now);
}

/**
 * Applies an update at `now`, in epoch milliseconds. A period that was ended early is what it is; a changed one is not ended. One that
 * is to end later without a new `from` begins now if it was over. Throws `invalid_input`.
 */
export function changeWindow(before: Window, update: WindowUpdate, now: number): Window {
  const { id, createdAt } = before;
  const fields = writable(windowFields, update, { id, createdAt });
  checkFields(windowFields, fields);
  checkSchedule(fields);
  const changed = { ...before, ...fields };
  changed.timezone = canonicalZone(changed.timezone);
  const { selector, jobIds, monitorIds } = changed;
  if (selector !== null) readSelector(selector);
  if (selector !== null && (jobIds !== null || monitorIds !== null)) {
    throw invalidInput('selector excludes chosen jobs and monitors: choose by one of them');
  }
  changed.jobIds = jobIds && [...new Set(jobIds)];
  changed.monitorIds = monitorIds && [...new Set(monitorIds)];
  if (changed.cronExpr === null && (fields.from ?? null) === null) {
    const isMoved = (fields.until ?? fields.durationSeconds ?? null) !== null;
    const isOver = isMoved && periodAfter(before, now) === null;
    if (changed.from === null || isOver) changed.from = isoTime(now);
  }
  const window = withMoments(changed, (fields.until ?? null) === null, now);
  checkPeriod(window);
  checkGaps(window, now);
  const times = ['from', 'until', 'cronExpr', 'timezone', 'durationSeconds'] as const;
  const isSame = times.every((name) => window[name] === before[name]);
  if (isSame) return window;
  if (window.until !== null && Date.parse(window.until) <= now) {
    throw invalidInput(`until must be later than now, got ${window.until}`);
  }
  return { ...window, endedAt: null };
}

/** With `from` and `until` as instants. Without `cronExpr` a duration is only another way to say `until`. */
function withMoments(given: Window, mayEndBy: boolean, now: number): Window {
  const { from, until, cronExpr, durationSeconds, timezone } = given;
  if (cronExpr !== null) {
    if (from !== null || until !== null)
      throw notBoth(from === null ? 'until' : 'from', 'cronExpr');
    if (durationSeconds !== null) return given;
    throw invalidInput('durationSeconds is needed with cronExpr: how long each period lasts');
  }
  const fromAt = from === null ? now : readMoment('from', from, timezone, now);
  const isLength = durationSeconds !== null && mayEndBy;
  if (!isLength && until === null) {
    throw invalidInput('until or durationSeconds is needed: when it ends, or how long it lasts');
  }
  if (!isLength && durationSeconds !== null) throw notBoth('until', 'durationSeconds');
  const untilAt = isLength
    ? fromAt + durationSeconds * 1_000
    : readMoment('until', until ?? '', timezone, Math.max(fromAt, now));
  return { ...given, from: isoTime(fromAt), until: isoTime(untilAt), durationSeconds: null };
}

function notBoth(one: string, other: string): JobdError {
  return invalidInput(`${one} and ${other} exclude each other: leave one of them out`);
}

function checkPeriod({ from, until }: Pick<Window, 'from' | 'until'>): void {
  if (from === null || until === null) return;
  const lastsMs = Date.parse(until) - Date.parse(from);
  if (lastsMs <= 0) throw invalidInput(`until must be after from, ${from}, got ${until}`);
  if (lastsMs > longestSeconds * 1_000) {
    throw invalidInput(`until must be at most 7 days after from, ${from}, got ${until}`);
  }
}

/** Refuses periods of a recurring window that overlap or touch: they would have no end. The next ones are looked at. */
function checkGaps({ cronExpr, timezone, durationSeconds }: Window, now: number): void {
  if (cronExpr === null) return;
  const schedule = { scheduleType: 'cron', cronExpr, timezone } as const;
  const startAfter = (at: number): number => nextDue(schedule, at) ?? Infinity;
  for (let from = startAfter(now), looked = 0; looked < 31 && from < Infinity; looked += 1) {
    const next = startAfter(from);
    const gap = (next - from) / 1_000;
    if (Number(durationSeconds) >= gap) {
      const rule = `durationSeconds must be less than ${gap}, got ${durationSeconds}`;
      throw invalidInput(`${rule}: the next period begins then`);
    }
    from = next;
  }
}
