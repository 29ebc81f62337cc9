/** A part of the timetable: jobs with their runs and due times in a period, and how dense the minutes of it are. */

import { setImmediate } from 'node:timers/promises';
import { invalidInput } from '../../domain/errors.ts';
import { hasExpired } from '../../domain/accounts/account.ts';
import { isoTime, msPerDay } from '../../domain/clock.ts';
import { upcomingDueTime } from '../../domain/runs/due.ts';
import type { Search } from '../../domain/search.ts';
import { nextDue } from '../../domain/schedule/next.ts';
import { spanAt } from '../../domain/schedule/offset.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import type { JobsApp, Principal } from '../../app/app.ts';
import { keptIn, type Kept } from '../../app/overview/kept.ts';
import { jobCursor, listJobs, type JobWithRecent } from '../../app/overview/jobs.ts';
import type { PageRequest } from '../../app/page.ts';
import { countDensity, type Density, type DueJob } from './density.ts';
import { addRuns, dueMarks, type DueMark, type RunMark } from './marks.ts';
import { listMarkedRuns, listPlannedCalls } from './query.ts';

/** The longest period, and how far ahead minutes are counted. */
const longestMs = 7 * msPerDay;
const mostJobs = 5_000;
const jobsAtOnce = 500;
const mostDue = 50_000;
const mostRuns = 20_000;
/** Runs that one statement reads. */
const runsAtOnce = 2_000;
/** To write down a mark takes 8 µs. A page ends before the job with which it has more. */
const mostMarks = 5_000;
const mostBad = 200;
const densityGoodForMs = 60_000;

/** In epoch milliseconds. */
export interface Period {
  from: number;
  to: number;
}

export interface TimetableRequest extends PageRequest, Period {
  /** What each job must have; null for nothing. */
  search: Search | null;
}

/** A job with what is drawn of it. */
export interface TimetableJob {
  job: JobWithRecent;
  /** The oldest first. */
  runs: RunMark[];
  /** Before it, only runs that were no success are among them, the newest 200; null if all are. */
  runsFrom: number | null;
  due: DueMark[];
  /** Whether it is due more often until the end of the period. */
  isDuePartial: boolean;
}

/** A change of the clocks in a zone. */
export interface ClockChange {
  at: number;
  timezone: string;
  /** Minutes by which they are set forward; negative if back. */
  minutes: number;
}

/** The density of a period, and whether not all was counted. */
type PartialDensity = Density & { isPartial: boolean };

/** Makes a function that returns a page of the timetable, and how many runs and due times were `read` for it. It throws `invalid_input`. */
export function createTimetable(app: JobsApp) {
  const densities = new Map<string, Kept<Promise<PartialDensity>>>();

  const densityOf = async (principal: Principal, to: number): Promise<PartialDensity> => {
    const now = app.clock.now();
    const days = to <= now + msPerDay ? 1 : longestMs / msPerDay;
    const name = `${principal.workspaceId} ${days}`;
    const at = app.clock.monotonicMs();
    const until = now + days * msPerDay + densityGoodForMs;
    return await keptIn(densities, name, at, densityGoodForMs, () =>
      countIn(app, principal, { now, until }),
    );
  };

  return async (principal: Principal, request: TimetableRequest) => {
    const { from, to } = request;
    if (to <= from || to - from > longestMs) {
      const got = `${isoTime(from)} to ${isoTime(to)}`;
      throw invalidInput(`to must be after from, by 7 days at most, got ${got}`);
    }
    const page = await listJobs(app, principal, { ...request, filter: null, order: 'name' });
    const { items, read } = await drawAll(app, page.items, request);
    const last = items.at(-1)?.job;
    const isCut = last !== undefined && items.length < page.items.length;
    const cut = isCut && { nextCursor: jobCursor('name', last), isPartial: true };
    const density = densityIn(await densityOf(principal, to), request);
    const clockChanges = clockChangesOf(items, request);
    return { ...page, ...cut, items, density, clockChanges, read };
  };
}

/** Each job gets an equal share of what is left of runs and due times. */
async function drawAll(
  { store, clock }: JobsApp,
  jobs: readonly JobWithRecent[],
  { from, to }: Period,
): Promise<{ items: TimetableJob[]; read: number }> {
  const now = clock.now();
  const items: TimetableJob[] = [];
  let [runsLeft, dueLeft, marks, read] = [mostRuns, mostDue, 0, 0];
  for (const [index, job] of jobs.entries()) {
    const share = (left: number): number => Math.ceil(left / (jobs.length - index));
    const limit = share(runsLeft);
    const { runs, found, runsFrom } = await runsOf(store, job.id, { from, to, limit });
    const { due, computed, isPartial } = dueOf(job, { from, to, now, most: share(dueLeft) });
    read += found + computed;
    marks += runs.length + due.length;
    if (index > 0 && marks > mostMarks) break;
    items.push({ job, runs, runsFrom, due, isDuePartial: isPartial });
    runsLeft -= Math.min(found, limit);
    dueLeft -= Math.min(computed, share(dueLeft));
    await setImmediate();
  }
  return { items, read };
}

/** The newest runs of a job, as long as their marks surely fit on a page; before `runsFrom`, those that were no success. */
async function runsOf(
  { db }: JobsApp['store'],
  jobId: string,
  { from, to, limit }: Period & { limit: number },
): Promise<{ runs: RunMark[]; found: number; runsFrom: number | null }> {
  const runs: RunMark[] = [];
  let before = { scheduledFor: to, source: '' };
  let found = 0;
  for (; found < limit && runs.length + runsAtOnce <= mostMarks; await setImmediate()) {
    const count = Math.min(limit - found, runsAtOnce);
    const next = await listMarkedRuns(db, jobId, { from, before, limit: count });
    addRuns(runs, next);
    found += next.length;
    if (next.length < count) return { runs: runs.toReversed(), found, runsFrom: null };
    before = next.at(-1) ?? before;
  }
  const bad = await listMarkedRuns(db, jobId, { from, before, limit: mostBad, isOnlyBad: true });
  addRuns(runs, bad);
  found += bad.length;
  return { runs: runs.toReversed(), found, runsFrom: before.scheduledFor };
}

/** The due times to come; none of a job that is not called on schedule. */
function dueOf(
  job: JobWithRecent,
  { from, to, now, most }: Period & { now: number; most: number },
): ReturnType<typeof dueMarks> {
  const none = { due: [], computed: 0, isPartial: false };
  const upcoming = job.nextRunAt === null ? null : upcomingDueTime(job, now);
  if (upcoming === null || upcoming >= to) return none;
  const schedule = scheduleOf(job);
  const first = upcoming >= from ? upcoming : nextDue(schedule, from - 1);
  return first === null ? none : dueMarks(schedule, first, { until: to - 1, most });
}

async function countIn(
  { store }: JobsApp,
  { workspaceId, accountExpiresAt }: Principal,
  { now, until }: { now: number; until: number },
): Promise<PartialDensity> {
  const jobs: DueJob[] = [];
  // No job of an expired account is due.
  const most = hasExpired({ expiresAt: accountExpiresAt }, now) ? 0 : mostJobs;
  for (let afterId = ''; jobs.length < most; await setImmediate()) {
    const found = await listPlannedCalls(store.db, workspaceId, { afterId, limit: jobsAtOnce });
    for (const job of found) {
      const first = upcomingDueTime(job, now) ?? Infinity;
      jobs.push({ id: job.id, host: job.host, schedule: scheduleOf(job), first });
    }
    afterId = found.at(-1)?.id ?? '';
    if (found.length < jobsAtOnce) break;
  }
  const steps = countDensity(jobs, { from: now, until, most: mostDue });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return { ...value, isPartial: jobs.length >= mostJobs };
    await setImmediate();
  }
}

const minuteMs = 60_000;

/** The part of it that is in a period. */
function densityIn(density: PartialDensity, { from, to }: Period): PartialDensity {
  const begin = Math.min(Math.max(from, density.from), density.until);
  const first = Math.floor((begin - density.from) / minuteMs);
  const counts = density.counts.slice(
    first,
    Math.max(0, Math.ceil((to - density.from) / minuteMs)),
  );
  const start = density.from + first * minuteMs;
  const until = start + counts.length * minuteMs;
  return {
    from: start,
    until,
    counts,
    collisions: density.collisions
      .map((index) => index - first)
      .filter((index) => index >= 0 && index < counts.length),
    busiest: density.busiest.filter(({ at }) => at >= start && at < until),
    isPartial: density.isPartial || density.until < to,
  };
}

/** What the clocks do in a period, in the zones of these jobs. */
function clockChangesOf(items: readonly TimetableJob[], { from, to }: Period): ClockChange[] {
  const cron = items.filter(({ job }) => job.scheduleType === 'cron');
  const zones = new Set(cron.map(({ job }) => job.timezone));
  const [first, last] = [Math.floor(from / minuteMs), Math.ceil(to / minuteMs)];
  return [...zones].flatMap((timezone) => {
    const changes: ClockChange[] = [];
    for (let span = spanAt(timezone, first); span.end < last;) {
      span = spanAt(timezone, span.end);
      const minutes = span.offset - span.before;
      // A span may begin with a year.
      if (span.start !== span.changedAt || minutes === 0) continue;
      changes.push({ at: span.start * minuteMs, timezone, minutes });
    }
    return changes;
  });
}
