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
  /** Of a collision: how many calls a minute would have at most, if its jobs had this `spreadSeconds`; null if none helps. */
  spread: { seconds: number; most: number } | null;
}

/** The due times in [from, until), which are whole minutes; epoch milliseconds. */
export interface Density {
  from: number;
  until: number;
  /** For each minute. */
  counts: number[];
  /** Which of them are collisions. */
  collisions: number[];
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
  /** How soon each job that is not adjusted is due again, at the soonest. */
  const gaps = new Map<DueJob, number>();
  let [end, counted] = [from, 0];
  while (end < until) {
    const windowEnd = Math.min(end + windowMs, until);
    let soonest = until;
    for (const [index, job] of jobs.entries()) {
      let at = next[index] ?? Infinity;
      while (at < windowEnd) {
        (minutes[Math.max(0, Math.floor((at - from) / minuteMs))] ??= []).push(job);
        const dueAt = at;
        at = nextDue(job.schedule, dueAt) ?? Infinity;
        if (!job.schedule.adjusted) {
          gaps.set(job, Math.min(gaps.get(job) ?? Infinity, at - dueAt));
        }
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
  return { from, until: end, counts, ...(yield* busiestOf(minutes, { from, gaps })) };
}

type Gaps = ReadonlyMap<DueJob, number>;

function* busiestOf(
  minutes: readonly DueJob[][],
  { from, gaps }: { from: number; gaps: Gaps },
): Generator<void, Pick<Density, 'collisions' | 'busiest'>> {
  const collisions: number[] = [];
  const busy: (Omit<BusyMinute, 'spread'> & { collision: DueJob[] })[] = [];
  for (const [minute, jobs = []] of minutes.entries()) {
    if (minute % lookedInStep === 0) yield;
    if (jobs.length < 2) continue;
    const byHost = [...Map.groupBy(jobs, ({ host }) => host)].toSorted(
      ([, one], [, other]) => other.length - one.length,
    );
    const hosts = byHost.map(([host, { length }]) => ({ host, count: length }));
    const isCollision = (hosts[0]?.count ?? 0) >= collisionCalls;
    if (isCollision) collisions.push(minute);
    const collision = isCollision ? (byHost[0]?.[1] ?? []) : [];
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
    busiest.push({ ...minute, spread: yield* spreadOf(collision, gaps) });
  }
  return { collisions, busiest };
}

/**
 * The smallest spread with which half as many calls as a collision has are not reached any more, or the largest. None is longer
 * than a job takes to be due again: the calls of the next due time would come, and no period may have it.
 */
function* spreadOf(jobs: readonly DueJob[], gaps: Gaps): Generator<void, BusyMinute['spread']> {
  let spread: BusyMinute['spread'] = null;
  const longest = Math.min(...jobs.map((job) => gaps.get(job) ?? Infinity));
  for (const seconds of spreads.filter((one) => one * 1_000 <= longest)) {
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
  return spread !== null && spread.most < jobs.length ? spread : null;
}
