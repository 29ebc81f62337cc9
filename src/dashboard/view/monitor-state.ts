/** How a monitor is, in words: the sentence on top of its page, and the short form in a row. */

import type { Monitor, Ping } from '../../api/monitors/contract.ts';
import { whyDown } from '../../domain/monitors/status.ts';
import { span, until } from './figures.ts';
import { clock, dateIn, dayIn } from './times.ts';

/** The fields of a monitor that tell how it is. */
export type MonitorState = Pick<
  Monitor,
  'status' | 'missedDueAt' | 'nextDueAt' | 'graceSeconds' | 'scheduleType' | 'timezone'
>;

/** What a monitor itself does not say. */
export interface MoreOfMonitor {
  nowMs: number;
  /** Since when it has its status, if that is known. */
  since?: string | null | undefined;
  /** The newest ping that ended a run, if it is known. */
  lastEnd?: Pick<Ping, 'kind' | 'exitCode'> | undefined;
}

/** Says how a monitor is, and what happens next. */
export function monitorSentence(monitor: MonitorState, more: MoreOfMonitor): string {
  return sentences[monitor.status](monitor, more);
}

const sentences: Record<Monitor['status'], typeof monitorSentence> = {
  up: (monitor, more) => `Up${lasting(more)}. ${nextSentence(monitor, more)}`,
  late: (monitor, { nowMs }) => {
    const { nextDueAt } = monitor;
    const due = nextDueAt === null ? '' : `: a ping was due ${momentOf(monitor, nextDueAt, nowMs)}`;
    return `Late${due}. ${turn(monitor, nowMs)}`;
  },
  down: (monitor, more) => `Down${lasting(more)}: ${why(monitor, more)}. ${upAgain}`,
  paused: () => 'Paused. No ping is expected until it is resumed.',
  new: (monitor, { nowMs }) =>
    monitor.nextDueAt === null
      ? 'Waiting for the first ping. Nothing is expected before it.'
      : `A first run has begun. It must end ${momentOf(monitor, deadline(monitor) ?? monitor.nextDueAt, nowMs)} at the latest.`,
};

const upAgain = 'The next ping of a success makes it up again.';

/** When a ping is due, short: `in 4 m`, `12 m late, down in 3 m`; null if none is expected. */
export function dueWords(monitor: MonitorState, nowMs: number): string | null {
  const { nextDueAt, status } = monitor;
  if (nextDueAt === null) return null;
  const due = until(nextDueAt, nowMs);
  const left = (deadline(monitor) ?? 0) - nowMs;
  return status === 'late' && left > 0 && due.endsWith('late')
    ? `${due}, down in ${span(roundUp(left))}`
    : due;
}

/** When the grace of a ping that is due is over, in ISO 8601; null if none is expected. */
export function graceEnd(monitor: Pick<Monitor, 'nextDueAt' | 'graceSeconds'>): string | null {
  const at = deadline(monitor);
  return at === null ? null : new Date(at).toISOString();
}

/** The moments at which time alone changes how a monitor is. */
export function momentsOf(monitor: Pick<Monitor, 'nextDueAt' | 'graceSeconds'>): number[] {
  const { nextDueAt, graceSeconds } = monitor;
  if (nextDueAt === null) return [];
  const due = Date.parse(nextDueAt);
  return graceSeconds === 0 ? [due] : [due, due + graceSeconds * 1000];
}

function deadline({ nextDueAt, graceSeconds }: Pick<Monitor, 'nextDueAt' | 'graceSeconds'>) {
  return nextDueAt === null ? null : Date.parse(nextDueAt) + graceSeconds * 1000;
}

function lasting({ since = null, nowMs }: MoreOfMonitor): string {
  return since === null ? '' : ` for ${span(nowMs - Date.parse(since))}`;
}

function nextSentence(monitor: MonitorState, { nowMs }: MoreOfMonitor): string {
  const { nextDueAt } = monitor;
  if (nextDueAt === null) return 'Its schedule has no further due time.';
  if (Date.parse(nextDueAt) <= nowMs) return 'A ping is due now.';
  return `The next ping is due ${momentOf(monitor, nextDueAt, nowMs)}.`;
}

/** When a late monitor goes down. After an outage of jobd that is later than its grace says. */
function turn(monitor: MonitorState, nowMs: number): string {
  const left = (deadline(monitor) ?? 0) - nowMs;
  return left > 0
    ? `It goes down in ${span(roundUp(left))} if none comes.`
    : 'It goes down soon if none comes.';
}

function why(monitor: MonitorState, { lastEnd, nowMs }: MoreOfMonitor): string {
  const because = whyDown(monitor.missedDueAt, (due) => momentOf(monitor, due, nowMs));
  const isOfFailure = monitor.missedDueAt === null && lastEnd?.kind === 'fail';
  const code = isOfFailure ? lastEnd.exitCode : null;
  return because + (code === null ? '' : ` (exit code ${code})`);
}

/** A time with its day if that is another one, and the zone of the schedule if it has one. */
function momentOf(
  { scheduleType, timezone }: MonitorState,
  at: string | number,
  nowMs: number,
): string {
  const iso = new Date(at).toISOString();
  const zone = scheduleType === 'cron' ? timezone : undefined;
  const isToday = dateIn(Date.parse(iso), zone) === dateIn(nowMs, zone);
  const day = isToday ? '' : `on ${dayIn(iso, nowMs, zone)} `;
  return `${day}at ${clock(iso, zone)}${zone === undefined ? '' : ` (${zone})`}`;
}

/** Countdowns end at 1 s, not at 0. */
function roundUp(ms: number): number {
  return Math.ceil(ms / 1000) * 1000;
}
