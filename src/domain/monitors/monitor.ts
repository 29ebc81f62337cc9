/**
 * A monitor expects a ping on a schedule. The rule, whole:
 *
 * - Nothing is expected of a `new` monitor until its first ping.
 * - After a ping that ends a run (success or failure) the next one is due: `periodSeconds` after it, or at
 *   the next due time of the cron expression. A ping at most 30 s before a due time is the ping of that due
 *   time, as clocks of two machines differ; unless the monitor is `up` and waits for an earlier one still.
 * - A success makes the monitor `up`, a failure `down`. An `up` monitor is `late` once the ping is due, and
 *   `down` when `graceSeconds` have passed since. A `down` one stays so until a success.
 * - A start changes no due time: the run it begins has to end by then and the grace. The start of a run on
 *   a monitor that expects nothing yet is a due time itself.
 * - While it is paused nothing is expected. Pings are kept and change what it will be when it is resumed.
 * - The grace of a ping that was due while nobody could ping counts from when one could again.
 */

import { nameRule, notesRule } from '../fields.ts';
import { nextDue } from '../schedule/next.ts';
import { scheduleOf, scheduleRules } from '../schedule/schedule.ts';
import type { ScheduleSettings } from '../schedule/schedule.ts';
import type { PingKind } from './ping.ts';

/** The rules of each field by itself. */
export const monitorRules = {
  name: nameRule,
  ...scheduleRules,
  graceSeconds: { type: 'integer', minimum: 0, maximum: 86_400 },
  notes: notesRule,
  paused: { type: 'boolean' },
} as const;

/** The grace where none is given. */
export const defaultGraceSeconds = 300;

/** By the last ping, or by its absence. */
const monitorHealths = ['new', 'up', 'down'] as const;
export type MonitorHealth = (typeof monitorHealths)[number];

export const monitorStatuses = ['new', 'up', 'late', 'down', 'paused'] as const;
export type MonitorStatus = (typeof monitorStatuses)[number];

/** Times are epoch milliseconds. */
export interface Monitor extends ScheduleSettings {
  id: string;
  workspaceId: string;
  name: string;
  /** The secret part of the URL that is pinged. */
  pingId: string;
  graceSeconds: number;
  notes: string;
  paused: boolean;
  health: MonitorHealth;
  /** When the next ping is due; in the past while it is overdue. */
  nextDueAt: number | null;
  /** When to look whether the ping came; null where its absence changes nothing. */
  nextCheckAt: number | null;
  /** When the run began that has not ended yet. */
  startedAt: number | null;
  /** When the last run ended, as its ping said. */
  lastPingAt: number | null;
  lastDurationMs: number | null;
  createdAt: number;
}

/** The one word that says how a monitor is, at `now` in epoch milliseconds. */
export function monitorStatus(monitor: Monitor, now: number): MonitorStatus {
  const { paused, health, nextDueAt } = monitor;
  if (paused) return 'paused';
  return health === 'up' && nextDueAt !== null && now >= nextDueAt ? 'late' : health;
}

/** What can change the state of a monitor besides people; `at` in epoch milliseconds. */
export type MonitorEvent =
  | { type: 'ping'; kind: PingKind; at: number }
  /** Time passed; `reachableSince` is since when pings could come in, in epoch milliseconds. */
  | { type: 'time'; at: number; reachableSince: number }
  /** The wall clock was set back, or jobd starts: what was planned may be of a clock that was wrong. */
  | { type: 'clock'; at: number };

/** The monitor after something happened; the very same object if that changes nothing. */
export function monitorAfter(monitor: Monitor, event: MonitorEvent): Monitor {
  if (event.type === 'time') return afterTime(monitor, event);
  if (event.type === 'clock') return afterClock(monitor, event.at);
  return event.kind === 'start' ? afterStart(monitor, event.at) : afterEnd(monitor, event);
}

/** Milliseconds from the start of the run that ends at `at`; null if it said none, or the clock was set back. */
export function durationUntil({ startedAt }: Monitor, at: number): number | null {
  return startedAt === null || at < startedAt ? null : at - startedAt;
}

function afterStart(monitor: Monitor, at: number): Monitor {
  const started = { ...monitor, startedAt: at };
  return monitor.health === 'new' && monitor.nextDueAt === null ? expecting(started, at) : started;
}

function afterEnd(monitor: Monitor, { kind, at }: { kind: PingKind; at: number }): Monitor {
  const ended: Monitor = {
    ...monitor,
    health: kind === 'fail' ? 'down' : 'up',
    startedAt: null,
    lastPingAt: at,
    lastDurationMs: durationUntil(monitor, at),
  };
  return expecting(ended, dueAfterPing(monitor, at));
}

function afterTime(
  monitor: Monitor,
  { at, reachableSince }: { at: number; reachableSince: number },
): Monitor {
  const { nextDueAt, nextCheckAt, graceSeconds } = monitor;
  if (nextDueAt === null || nextCheckAt === null || at < nextCheckAt) return monitor;
  const deadline = Math.max(nextDueAt, reachableSince) + graceSeconds * 1_000;
  if (at < deadline) return { ...monitor, nextCheckAt: deadline };
  return { ...monitor, health: 'down', nextCheckAt: null };
}

/** No ping that came by now can be expected, or looked for, later than one that comes now. */
function afterClock(monitor: Monitor, at: number): Monitor {
  const { nextDueAt, nextCheckAt, graceSeconds } = monitor;
  if (nextDueAt === null) return monitor;
  const latest = dueAfter(monitor, at + earlyMs) ?? Infinity;
  if (nextDueAt > latest) return expecting(monitor, dueAfter(monitor, at));
  if (nextCheckAt === null || nextCheckAt <= latest + graceSeconds * 1_000) return monitor;
  return expecting(monitor, nextDueAt);
}

/** The monitor as it waits for the ping that is due at `dueAt`. */
export function expecting(monitor: Monitor, dueAt: number | null): Monitor {
  const nextDueAt = monitor.paused ? null : dueAt;
  const isWatched = nextDueAt !== null && monitor.health !== 'down';
  const nextCheckAt = isWatched ? nextDueAt + monitor.graceSeconds * 1_000 : null;
  return { ...monitor, nextDueAt, nextCheckAt };
}

/** A ping that comes so long before a due time is taken for it. */
const earlyMs = 30_000;

function dueAfterPing(monitor: Monitor, at: number): number | null {
  const next = dueAfter(monitor, at);
  if (monitor.scheduleType !== 'cron' || next === null || next - at > earlyMs) return next;
  const { health, nextDueAt } = monitor;
  const isLate = health === 'up' && nextDueAt !== null && nextDueAt < next;
  return isLate ? next : dueAfter(monitor, next);
}

/** When the next ping is due that is expected from `at` on, in epoch milliseconds; null if never again. A period counts from `at`. */
export function dueAfter(settings: ScheduleSettings, at: number): number | null {
  return nextDue(scheduleOf({ ...settings, anchorAt: at }), at);
}

/** A monitor whose health changed; `at` in epoch milliseconds. */
export interface MonitorChange {
  /** As it is now. */
  monitor: Monitor;
  from: MonitorHealth;
  to: MonitorHealth;
  at: number;
}

/** The change of health between two states of a monitor; null if there is none, or if it is paused. */
export function monitorChange(before: Monitor, after: Monitor, at: number): MonitorChange | null {
  if (after.paused || before.health === after.health) return null;
  return { monitor: after, from: before.health, to: after.health, at };
}
