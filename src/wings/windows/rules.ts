/** The rules for what people set of a window. */

import { isoTime } from '../../domain/clock.ts';
import { invalidInput } from '../../domain/errors.ts';
import { checkFields, defaultsOf } from '../../domain/fields.ts';
import { readSelector } from '../../domain/labels.ts';
import { writable } from '../../domain/read-only.ts';
import { readMoment } from '../../domain/schedule/local-moments.ts';
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
  const window = withMoments(changed, (fields.until ?? null) === null);
  checkPeriod(window);
  const times = ['from', 'until', 'cronExpr', 'timezone', 'durationSeconds'] as const;
  const isSame = times.every((name) => window[name] === before[name]);
  if (isSame) return window;
  if (window.until !== null && Date.parse(window.until) <= now) {
    throw invalidInput(`until must be later than now, got ${window.until}`);
  }
  return { ...window, endedAt: null };
}

/** With `from` and `until` as instants. Without `cronExpr` a duration is only another way to say `until`. */
function withMoments(given: Window, mayEndBy: boolean): Window {
  const [from, until] = [momentOf('from', given), momentOf('until', given)];
  const { cronExpr, durationSeconds } = given;
  const lastsMs = Number(durationSeconds) * 1_000;
  if (cronExpr !== null) {
    if (from === null && until === null && durationSeconds !== null) return given;
  } else if (from !== null) {
    if (durationSeconds !== null && mayEndBy) {
      const end = isoTime(Date.parse(from) + lastsMs);
      return { ...given, from, until: end, durationSeconds: null };
    }
    if (durationSeconds === null && until !== null) return { ...given, from, until };
  }
  throw invalidInput(
    'give either from, with until or durationSeconds, or cronExpr and durationSeconds; others must be null',
  );
}

function momentOf(field: 'from' | 'until', { timezone, ...window }: Window): string | null {
  const text = window[field];
  return text === null ? null : isoTime(readMoment(field, text, timezone));
}

function checkPeriod({ from, until }: Pick<Window, 'from' | 'until'>): void {
  if (from === null || until === null) return;
  const lastsMs = Date.parse(until) - Date.parse(from);
  if (lastsMs <= 0) throw invalidInput(`until must be after from, ${from}, got ${until}`);
  if (lastsMs > longestSeconds * 1_000) {
    throw invalidInput(`until must be at most 7 days after from, ${from}, got ${until}`);
  }
}
