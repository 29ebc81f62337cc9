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
/** To look at the next due time of so many jobs costs as much as one due time. */
const jobsInTurn = 100;
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
  const next: (number | null)[] = jobs.map(({ first }) => first);
  const minutes: DueJob[][] = [];
  let [end, counted, inStep] = [from, 0, 0];
  for (let isOver = false; !isOver && end < until;) {
    const windowEnd = Math.min(end + windowMs, until);
    inStep += jobs.length / jobsInTurn;
    for (const [index, job] of jobs.entries()) {
      for (let at = next[index] ?? null; at !== null && at < windowEnd; next[index] = at) {
        (minutes[Math.max(0, Math.floor((at - from) / minuteMs))] ??= []).push(job);
        at = nextDue(job.schedule, at);
        counted += 1;
        inStep += 1;
        if (inStep >= dueInStep) {
          inStep = 0;
          yield;
        }
      }
    }
    isOver = counted > most;
    if (!isOver) end = windowEnd;
  }
  minutes.length = Math.ceil((end - from) / minuteMs);
  const counts = Array.from(minutes, (due) => due?.length ?? 0);
  yield;
  const busiest = busiestOf(minutes, from);
  return { from, until: end, counts, busiest };
}

function busiestOf(minutes: readonly DueJob[][], from: number): BusyMinute[] {
  const busy = minutes.flatMap((jobs, minute) => {
    if (jobs === undefined || jobs.length < 2) return [];
    const byHost = [...Map.groupBy(jobs, ({ host }) => host).values()].toSorted(
      (one, other) => other.length - one.length,
    );
    return [{ at: from + minute * minuteMs, count: jobs.length, byHost }];
  });
  const isCollision = ({ byHost: [first = []] }: (typeof busy)[number]): boolean =>
    first.length >= collisionCalls;
  const order = busy.toSorted(
    (one, other) =>
      Number(isCollision(other)) - Number(isCollision(one)) ||
      other.count - one.count ||
      one.at - other.at,
  );
  return order.slice(0, mostBusy).map((minute) => {
    const { at, count, byHost } = minute;
    const hosts = byHost.slice(0, hostsOfMinute).map((jobs) => {
      return { host: jobs[0]?.host ?? '', count: jobs.length };
    });
    return { at, count, hosts, spread: isCollision(minute) ? spreadOf(byHost[0] ?? []) : null };
  });
}

/** The smallest spread with which half as many calls as a collision has are not reached any more, or the largest. */
function spreadOf(jobs: readonly DueJob[]): BusyMinute['spread'] {
  const tried = spreads.map((seconds) => {
    const minutes = jobs.map(({ id, schedule: { adjusted } }) =>
      // What is adjusted stays where it is.
      adjusted === undefined ? Math.floor(spreadOffset(id, seconds) / 60) : 0,
    );
    const most = Math.max(
      ...Map.groupBy(minutes, (minute) => minute)
        .values()
        .map(({ length }) => length),
    );
    return { seconds, most };
  });
  return tried.find(({ most }) => most < collisionCalls / 2) ?? tried.at(-1) ?? null;
}
