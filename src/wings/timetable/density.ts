/** How many due times of a workspace each minute to come has, and where many calls go to one host at once. */

import { spreadOffset } from '../../domain/schedule/adjustment-input.ts';
import { nextDue } from '../../domain/schedule/next.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';

/** As many calls of one host in a minute are a collision. */
export const collisionCalls = 10;
const minuteMs = 60_000;
/** Jobs are looked at for this long, one after the other, so that all of them are counted up to the same time. */
const windowMs = 5 * minuteMs;
/** A due time may need its expression parsed, for 125 µs: a step takes 25 ms at most. */
const dueInStep = 200;
/** Minutes, or jobs of a collision, that are looked at in a step. */
const lookedInStep = 500;
const mostBusy = 100;
const hostsOfMinute = 3;
const spreads = [300, 600, 900, 1_800, 3_600];

/** A job that is due at `first`, in epoch milliseconds. */
export interface DueJob {
  id: string;
  host: string;
  schedule: Schedule;
  first: number;
}

/** One of the busiest minutes. */
export interface BusyMinute {
  at: number;
  count: number;
  /** The busiest three, with their calls. */
  hosts: { host: string; count: number }[];
  /** Of a collision: how many calls a minute would have at most, if its jobs had this `spreadSeconds`. */
  spread: { seconds: number; most: number } | null;
}

/** The due times in [from, until), which are whole minutes; epoch milliseconds. */
export interface Density {
  from: number;
  until: number;
  /** For each minute. */
  counts: number[];
  /** The minutes with collisions, then the others with more than one call; the busiest first. */
  busiest: BusyMinute[];
}

/**
 * Counts up to `until`, or to the time at which `most` due times are counted. It is done in steps of some milliseconds: others may have their
 * turn at each `yield`.
 */
export function* countDensity(
  jobs: readonly DueJob[],
  { from: now, until, most }: { from: number; until: number; most: number },
): Generator<void, Density> {
  const from = Math.floor(now / minuteMs) * minuteMs;
  const next = jobs.map(({ first }) => first);
  const minutes: DueJob[][] = [];
  let [end, counted] = [from, 0];
  while (end < until) {
    const windowEnd = Math.min(end + windowMs, until);
    let soonest = until;
    for (const [index, job] of jobs.entries()) {
      let at = next[index] ?? Infinity;
      while (at < windowEnd) {
        (minutes[Math.max(0, Math.floor((at - from) / minuteMs))] ??= []).push(job);
        at = nextDue(job.schedule, at) ?? Infinity;
        counted += 1;
        if (counted % dueInStep === 0) yield;
      }
      next[index] = at;
      soonest = Math.min(soonest, at);
    }
    yield;
    if (counted > most) break;
    end = Math.max(windowEnd, Math.floor(soonest / minuteMs) * minuteMs);
  }
  minutes.length = Math.ceil((end - from) / minuteMs);
  const counts = Array.from(minutes, (due) => due?.length ?? 0);
  return { from, until: end, counts, busiest: yield* busiestOf(minutes, from) };
}

function* busiestOf(minutes: readonly DueJob[][], from: number): Generator<void, BusyMinute[]> {
  const busy: (Omit<BusyMinute, 'spread'> & { collision: DueJob[] })[] = [];
  for (const [minute, jobs = []] of minutes.entries()) {
    if (minute % lookedInStep === 0) yield;
    if (jobs.length < 2) continue;
    const byHost = [...Map.groupBy(jobs, ({ host }) => host)].toSorted(
      ([, one], [, other]) => other.length - one.length,
    );
    const hosts = byHost.map(([host, { length }]) => ({ host, count: length }));
    const collision = (hosts[0]?.count ?? 0) < collisionCalls ? [] : (byHost[0]?.[1] ?? []);
    const at = from + minute * minuteMs;
    busy.push({ at, count: jobs.length, hosts: hosts.slice(0, hostsOfMinute), collision });
  }
  const order = busy.toSorted(
    (one, other) =>
      Number(other.collision.length > 0) - Number(one.collision.length > 0) ||
      other.count - one.count ||
      one.at - other.at,
  );
  const busiest: BusyMinute[] = [];
  for (const { collision, ...minute } of order.slice(0, mostBusy)) {
    busiest.push({ ...minute, spread: yield* spreadOf(collision) });
  }
  return busiest;
}

/** The smallest spread with which half as many calls as a collision has are not reached any more, or the largest. */
function* spreadOf(jobs: readonly DueJob[]): Generator<void, BusyMinute['spread']> {
  let spread: BusyMinute['spread'] = null;
  for (const seconds of jobs.length === 0 ? [] : spreads) {
    const calls = Array.from({ length: seconds / 60 + 1 }, () => 0);
    for (const [index, { id, schedule }] of jobs.entries()) {
      if (index % lookedInStep === 0) yield;
      // What is adjusted stays where it is.
      const minute = schedule.adjusted ? 0 : Math.floor(spreadOffset(id, seconds) / 60);
      calls[minute] = (calls[minute] ?? 0) + 1;
    }
    spread = { seconds, most: Math.max(...calls) };
    if (spread.most < collisionCalls / 2) break;
  }
  return spread;
}
