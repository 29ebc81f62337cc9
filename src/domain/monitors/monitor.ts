/**
 * A monitor expects a ping on a schedule. The whole rule:
 *
 * - A `new` monitor expects nothing until its first ping.
 * - A ping that ends a run (success or failure) sets the next due time: `periodSeconds` later, or the next time
 *   of the cron expression. A ping up to 30 s early counts for that due time, because the clocks of two
 *   machines differ; unless the monitor is `up` and still waits for an earlier one.
 * - A success makes the monitor `up`, a failure `down`. An `up` monitor is `late` once the ping is due, and
 *   `down` when `graceSeconds` have passed since. It stays `down` until a success.
 * - A start changes no due time: its run must end by then, plus the grace. On a monitor that expects nothing
 *   yet, the start itself is a due time.
 * - A paused monitor expects nothing. Pings are kept and decide its health when it is resumed.
 * - If a ping was due while jobd could not be reached, its grace counts from when it could again.
 */

import { defaultsOf, type ValuesOf } from '../fields.ts';
import { dueBetween, nextDue } from '../schedule/next.ts';
import { defaultSchedule, ruleOf, type ScheduleSettings } from '../schedule/schedule.ts';
import { monitorFields } from './fields.ts';
import type { PingKind } from './ping.ts';
import type { DownReason, MonitorStatus } from './status.ts';

export const monitorDefaults = { ...defaultsOf(monitorFields), ...defaultSchedule };

/** What people set of a monitor, whole, as its table says (`fields.ts`). */
export type MonitorSettings = ValuesOf<typeof monitorFields>;

/** Decided by the last ping, or by its absence. */
const monitorHealths = ['new', 'up', 'down'] as const;
export type MonitorHealth = (typeof monitorHealths)[number];

/** Times are epoch milliseconds. */
export interface Monitor extends MonitorSettings {
  id: string;
  workspaceId: string;
  /** The secret part of the ping URL. */
  pingId: string;
  health: MonitorHealth;
  /** When a ping or its absence last changed the health; null while it is `new`. */
  healthSince: number | null;
  /** The due time whose ping did not come, while that is why it is down. */
  missedDueAt: number | null;
  /** When the next ping is due; in the past while it is overdue. */
  nextDueAt: number | null;
  /** When to check for the ping; null if its absence changes nothing. */
  nextCheckAt: number | null;
  /** When the unfinished run began. */
  startedAt: number | null;
  /** When the last run ended, by its ping. */
  lastPingAt: number | null;
  lastDurationMs: number | null;
  createdAt: number;
}

/** The status of a monitor in one word, at `now` in epoch milliseconds. */
export function monitorStatus(monitor: Monitor, now: number): MonitorStatus {
  const { paused, health, nextDueAt } = monitor;
  if (paused) return 'paused';
  return health === 'up' && nextDueAt !== null && now >= nextDueAt ? 'late' : health;
}

/** Since when a monitor has its status, in epoch milliseconds; null if it is paused or `new`. */
export function statusSince(monitor: Monitor, now: number): number | null {
  if (monitor.paused) return null;
  return monitorStatus(monitor, now) === 'late' ? monitor.nextDueAt : monitor.healthSince;
}

/** Why a monitor is down; null if it is not. */
export function downReason({ paused, health, missedDueAt }: Monitor): DownReason | null {
  if (paused || health !== 'down') return null;
  return missedDueAt === null ? 'fail' : 'missed';
}

/** How many due times have passed without a ping, with their grace, since a monitor is down. */
export function missedPings(monitor: Monitor, now: number): number {
  const { health, nextDueAt, graceSeconds } = monitor;
  if (health !== 'down' || nextDueAt === null) return 0;
  const rule = ruleOf({ ...monitor, anchorAt: nextDueAt });
  return dueBetween(rule, nextDueAt - 1, now - graceSeconds * 1_000)?.count ?? 0;
}

/** What changes the state of a monitor, apart from people; `at` in epoch milliseconds. */
export type MonitorEvent =
  | { type: 'ping'; kind: PingKind; at: number }
  /** Time passed. Pings can arrive since `reachableSince`, in epoch milliseconds. */
  | { type: 'time'; at: number; reachableSince: number }
  /** The wall clock was set back, or jobd starts: the plan may come from a wrong clock. */
  | { type: 'clock'; at: number };

/** The monitor after an event; the same object if nothing changed. */
export function monitorAfter(monitor: Monitor, event: MonitorEvent): Monitor {
  const after = stateAfter(monitor, event);
  return after.health === monitor.health ? after : { ...after, healthSince: event.at };
}

function stateAfter(monitor: Monitor, event: MonitorEvent): Monitor {
  if (event.type === 'time') return afterTime(monitor, event);
  if (event.type === 'clock') return afterClock(monitor, event.at);
  return event.kind === 'start' ? afterStart(monitor, event.at) : afterEnd(monitor, event);
}

/** Milliseconds from the start of the run that ends at `at`; null without a start ping, or if the clock was set back. */
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
    missedDueAt: null,
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
  const { nextDueAt, nextCheckAt, graceSeconds, lastPingAt } = monitor;
  if (nextDueAt === null || nextCheckAt === null || at < nextCheckAt) return monitor;
  // It was planned by a clock that was behind: the last ping came after that.
  if (lastPingAt !== null && nextDueAt <= lastPingAt && lastPingAt <= at)
    return expecting(monitor, dueAfterPing({ ...monitor, nextDueAt: null }, lastPingAt));
  const deadline = Math.max(nextDueAt, reachableSince) + graceSeconds * 1_000;
  if (at < deadline) return { ...monitor, nextCheckAt: deadline };
  return { ...monitor, health: 'down', missedDueAt: nextDueAt, nextCheckAt: null };
}

/** No expected ping can be due, or checked, later than after a ping that arrived now. */
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

/** A ping this early counts for the due time. */
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
  return nextDue(ruleOf({ ...settings, anchorAt: at }), at);
}

/** A monitor whose health changed. */
export interface MonitorChange {
  /** As it is now. */
  monitor: Monitor;
  from: MonitorHealth;
  to: MonitorHealth;
  /** When, in epoch milliseconds: before the resume, for one that changed while it was paused. */
  at: number;
}

/** The change of health between two states; null if there is none, or if it is paused. A resumed one has changed: who was told is not told again. */
export function monitorChange(before: Monitor, after: Monitor): MonitorChange | null {
  const { paused, health: to, healthSince: at } = after;
  if (paused || at === null || (before.health === to && !before.paused)) return null;
  return { monitor: after, from: before.paused ? 'down' : before.health, to, at };
}
