/** Jobs in lists by status, text, labels and order, each with its last results. */

import { setImmediate } from 'node:timers/promises';
import { msPerDay } from '../../domain/clock.ts';
import { invalidInput } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { JobFilter, JobOrder, JobState } from '../../domain/jobs/listed-job.ts';
import type { Report } from '../../domain/runs/report.ts';
import { badRunStatuses, type RecentStatus } from '../../domain/runs/run.ts';
import { holdsOf } from '../../domain/runs/due.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import type { Search } from '../../domain/search.ts';
import { coverOf, holdsAmong, periodAt, type Covered } from '../../domain/windows.ts';
import { listWindows } from '../../store/accounts/windows.ts';
import type { Db } from '../../store/database/store.ts';
import * as jobs from '../../store/overview/jobs.ts';
import type { JobCondition, JobPlace, PlacedJob } from '../../store/overview/jobs.ts';
import { findRecentRuns } from '../../store/overview/recent.ts';
import { findMissedJobs } from '../../store/overview/trouble.ts';
import { findReports } from '../../store/runs/reports.ts';
import { findRunStop, type RunPlace } from '../../store/runs/of-workspace.ts';
import { noJob, shownJobs } from '../jobs/keep-job.ts';
import type { JobsApp, Principal } from '../app.ts';
import { idCursor, parseIdCursor, parsePlaceCursor, partialPageOf, placeCursor } from '../page.ts';
import type { PageRequest, PartialPage } from '../page.ts';
import { isIdPart, isRunPlace, runPlaceOf, runPlaceParts } from '../run-places.ts';
import { inSteps, labelledPerStep, type Found } from '../steps.ts';

/** How many results of a row are shown. */
export const recentCount = 30;
/**
 * The most job rows that one request reads to find those it is asked for. By due time it meets the jobs of other workspaces, by
 * name each row is on another page of the file. A search reads fewer, in steps.
 */
const mostRows = { newest: 5_000, name: 1_000, due: 2_000 } as const;
/** All jobs of a workspace with at most this many are read, and sorted. */
const fewJobs = 5_000;
/**
 * The most jobs that one step searches, and one request. A row may take 14 microseconds: a URL and a name of full
 * length and a text that nearly occurs at each place of the URL. So a step takes 4 ms at most, and a request 60 ms.
 */
const searchedPerStep = ({ selector }: Search) => (selector === null ? 250 : labelledPerStep);
const mostSearched = 4_000;
/** The most jobs that run or were missed that one request reads. */
const mostNamed = 500;
/** The most runs that one request looks at to find jobs that were missed. */
const mostMissedRuns = 3_000;

export interface JobListRequest extends PageRequest {
  filter: JobFilter | null;
  /** What each must have; null for nothing. */
  search: Search | null;
  order: JobOrder;
}

/** A job with the statuses of its newest runs, oldest first, and how far the one is that is under way. */
export interface JobWithRecent extends PlacedJob, Covered {
  recent: RecentStatus[];
  underWay: UnderWay | null;
}

/** A run that is under way; times in epoch milliseconds. */
export interface UnderWay extends Pick<Report, 'percent' | 'line' | 'progressAt'> {
  id: string;
  startedAt: number | null;
}

/** A page of the workspace's jobs. Throws `invalid_input`. */
export async function listJobs(
  app: JobsApp,
  principal: Principal,
  request: JobListRequest,
): Promise<PartialPage<JobWithRecent>> {
  const { db } = app.store;
  const { filter, order } = request;
  const isNamed = filter === 'running' || filter === 'missed' || filter === 'held';
  if (isNamed && order !== 'newest') {
    throw invalidInput(`order must be newest with the status ${filter}, got ${order}`);
  }
  const { workspaceId } = principal;
  const page =
    filter === 'running'
      ? await listRunning(db, workspaceId, request)
      : filter === 'missed'
        ? await listMissed(db, workspaceId, { ...request, since: app.clock.now() - msPerDay })
        : filter === 'held'
          ? await listHeld(app, principal, request)
          : await listByState(db, workspaceId, { ...request, state: filter });
  return { ...page, items: await withRecent(app, principal, page.items) };
}

/** Adds the newest runs of jobs, in one statement, and what is known of those that wait for a report, in another one. */
async function withRecent(
  app: JobsApp,
  principal: Principal,
  found: readonly PlacedJob[],
): Promise<JobWithRecent[]> {
  const { db } = app.store;
  const ids = found.map(({ id }) => id);
  const recent = await findRecentRuns(db, ids, recentCount);
  const answered = [...recent.values()].flatMap(({ underWay }) =>
    underWay?.httpStatus === 202 ? [underWay.id] : [],
  );
  const waits = await findReports(db, answered);
  const shown = await shownJobs(app, principal, db, found);
  return shown.map((job) => {
    const { statuses = [], underWay = null } = recent.get(job.id) ?? {};
    const { percent = null, line = null, progressAt = null } = waits.get(underWay?.id ?? '') ?? {};
    return {
      ...job,
      recent: statuses,
      underWay: underWay && { ...underWay, percent, line, progressAt },
    };
  });
}

/** A job as the list shows it. Throws `not_found`. */
export async function getJobSummary(
  app: JobsApp,
  principal: Principal,
  id: string,
): Promise<JobWithRecent> {
  const { db } = app.store;
  const only = { search: null, limit: 1 };
  const [job] = isId(id) ? await jobs.listJobsOf(db, principal.workspaceId, [id], only) : [];
  const [shown] = job === undefined ? [] : await withRecent(app, principal, [job]);
  if (shown === undefined) throw noJob(id);
  return shown;
}

async function listByState(
  db: Db,
  workspaceId: string,
  request: JobListRequest & { state: JobState | null },
): Promise<PartialPage<PlacedJob>> {
  const { state, search, order, limit, cursor } = request;
  const after = cursor === null ? null : jobPlaceOf(order, cursor);
  const isFiltered = search !== null || (order === 'newest' ? state === 'up' : state !== null);
  const isSearched = isFiltered || order === 'due';
  const cursorAt = (place: JobPlace): string => jobCursor(order, place);
  const few = search === null ? fewJobs : mostSearched;
  if (isSearched && order !== 'newest' && !(await jobs.hasJobs(db, workspaceId, few + 1))) {
    const ids = search === null ? null : await findAllWith(db, workspaceId, { state, search });
    const page = { state, search: null, ids, after, upTo: undefined, limit: limit + 1 };
    const sorted = await jobs.listJobsOn(db, workspaceId, `${order} of few`, page);
    return partialPageOf(sorted, limit, undefined, cursorAt);
  }
  const rows = search === null ? mostRows[order] : searchedPerStep(search);
  const steps = search === null ? 1 : Math.min(mostRows[order], mostSearched) / rows;
  const { found, stop } = await inSteps<PlacedJob, JobPlace>(
    { steps, after, count: limit + 1 },
    async (from, count) => {
      const upTo = isSearched
        ? await findOwnStop(db, workspaceId, order, { state, after: from, rows })
        : undefined;
      const page = { state, search, ids: null, after: from, upTo, limit: count };
      return { found: await jobs.listJobsOn(db, workspaceId, order, page), stop: upTo };
    },
  );
  return partialPageOf(found, limit, stop, cursorAt);
}

/**
 * Where a step must stop. By due time it meets the jobs of other workspaces: the place is that of the last own job before
 * it, and if there is none, the step continues. So no cursor names a job of somebody else.
 */
async function findOwnStop(
  db: Db,
  workspaceId: string,
  order: JobOrder,
  { after, ...span }: { state: JobState | null; after: JobPlace | null; rows: number },
): Promise<JobPlace | undefined> {
  for (let from = after; ; await setImmediate()) {
    const stop = await jobs.findStop(db, workspaceId, order, { ...span, after: from });
    if (order !== 'due' || stop === undefined) return stop;
    const own = await jobs.findLastDue(db, workspaceId, { after: from, upTo: stop });
    if (own !== undefined) return own;
    from = stop;
  }
}

/** The ids of all jobs that a search finds, in a workspace that has few. */
async function findAllWith(
  db: Db,
  workspaceId: string,
  condition: JobCondition & { search: Search },
): Promise<string[]> {
  const { found } = await inSteps<string, JobPlace>(
    { steps: Infinity, after: null, count: Infinity },
    async (after) => {
      const { state, search } = condition;
      const span = { state, after, rows: searchedPerStep(search) };
      const upTo = await jobs.findStop(db, workspaceId, 'newest', span);
      const page = { ...condition, after, upTo };
      return { found: await jobs.findJobsWith(db, workspaceId, 'newest', page), stop: upTo };
    },
  );
  return found;
}

/** The cursor of a list in this order that continues after a job. */
export function jobCursor(order: JobOrder, { id, nameLower, nextRunAt }: JobPlace): string {
  const list = `overview-jobs-${order}`;
  if (order === 'newest') return idCursor(list, id);
  return placeCursor(list, [id, order === 'name' ? nameLower : nextRunAt]);
}

function jobPlaceOf(order: JobOrder, cursor: string): JobPlace {
  const list = `overview-jobs-${order}`;
  const isPlace = (parts: readonly unknown[]): parts is readonly [string, string | number] =>
    parts.length === 2 &&
    isIdPart(parts[0]) &&
    (order === 'name' ? typeof parts[1] === 'string' : Number.isSafeInteger(parts[1]));
  if (order === 'newest') return { ...nowhere, id: parseIdCursor(list, cursor) };
  const [id, by] = parsePlaceCursor(list, cursor, isPlace);
  return typeof by === 'string'
    ? { ...nowhere, id, nameLower: by }
    : { ...nowhere, id, nextRunAt: by };
}

/** The parts of a place that another order needs. */
const nowhere = { nameLower: '', nextRunAt: null };

async function listRunning(
  db: Db,
  workspaceId: string,
  { search, limit, cursor }: JobListRequest,
): Promise<PartialPage<PlacedJob>> {
  const list = 'overview-jobs-running';
  const before = cursor === null ? null : parseIdCursor(list, cursor);
  const ids = await jobs.findRunningJobs(db, workspaceId);
  const { found, stop } = await jobsAmong(db, workspaceId, ids, { before, search, limit });
  return partialPageOf(found, limit, stop, ({ id }) => idCursor(list, id));
}

/** Jobs that windows hold now. They are looked for among all jobs, unless no window holds. */
async function listHeld(
  { store: { db }, clock }: JobsApp,
  { workspaceId }: Principal,
  { search, limit, cursor }: JobListRequest,
): Promise<PartialPage<PlacedJob>> {
  const list = 'overview-jobs-held';
  const after = cursor === null ? null : { ...nowhere, id: parseIdCursor(list, cursor) };
  const windows = holdsAmong(await listWindows(db, workspaceId));
  const holds = windows.filter((one) => periodAt(one, clock.now()) !== null);
  if (holds.length === 0) return { items: [], nextCursor: null, isPartial: false };
  const isHeld = (job: PlacedJob): boolean =>
    holdsOf(scheduleOf(job), holds).some((one) => coverOf(one)(job.id, job.labels));
  const rows = labelledPerStep;
  const { found, stop } = await inSteps<PlacedJob, JobPlace>(
    { steps: mostSearched / rows, after, count: limit + 1 },
    async (from) => {
      const span = { state: null, after: from };
      const upTo = await jobs.findStop(db, workspaceId, 'newest', { ...span, rows });
      const page = { ...span, search, ids: null, upTo, limit: rows };
      const all = await jobs.listJobsOn(db, workspaceId, 'newest', page);
      return { found: all.filter(isHeld), stop: upTo };
    },
  );
  return partialPageOf(found, limit, stop, ({ id }) => idCursor(list, id));
}

/**
 * Jobs that have missed a due time. They are looked for among the newest runs that were no success; once all jobs found
 * there are listed, the next page looks among older runs, and may show a job again.
 */
async function listMissed(
  db: Db,
  workspaceId: string,
  { search, limit, cursor, since }: JobListRequest & { since: number },
): Promise<PartialPage<PlacedJob>> {
  const list = 'overview-jobs-missed';
  const begin = cursor === null ? { id: null, before: null } : missedPlaceOf(list, cursor);
  const span = { before: begin.before, since, rows: mostMissedRuns };
  const end = await findRunStop(db, workspaceId, { ...span, statuses: badRunStatuses });
  const ids = await findMissedJobs(db, workspaceId, span);
  const among = { before: begin.id, search, limit };
  const { found, stop } = await jobsAmong(db, workspaceId, ids, among);
  const cursorAt = (id: string | null, before: RunPlace | null): string =>
    placeCursor(list, [id, ...(before === null ? [] : runPlaceParts(before))]);
  const page = partialPageOf(found, limit, stop, ({ id }) => cursorAt(id, begin.before));
  if (page.nextCursor !== null || end === undefined) return page;
  return { ...page, nextCursor: cursorAt(null, end), isPartial: found.length < limit };
}

interface MissedPlace {
  /** The last job of the previous page, if the list continues among the same runs. */
  id: string | null;
  /** Where these runs begin; null for the newest. */
  before: RunPlace | null;
}

function missedPlaceOf(list: string, cursor: string): MissedPlace {
  const parts = parsePlaceCursor(list, cursor, isMissedPlace);
  const [id, ...before] = parts;
  return { id, before: isRunPlace(before) ? runPlaceOf(before) : null };
}

function isMissedPlace(
  parts: readonly unknown[],
): parts is readonly [string | null, ...(readonly unknown[])] {
  const [id, ...before] = parts;
  return isRunPlace(before) ? id === null || isIdPart(id) : parts.length === 1 && isIdPart(id);
}

/** Those of these jobs that a search finds, and where the list stopped looking. */
async function jobsAmong(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  { before, search, limit }: { before: string | null; search: Search | null; limit: number },
): Promise<Found<PlacedJob, { id: string }>> {
  const left = ids
    .filter((id) => before === null || id < before)
    .toSorted()
    .toReversed();
  const rows = search === null ? mostNamed : searchedPerStep(search);
  return await inSteps<PlacedJob, { id: string }>(
    { steps: mostNamed / rows, after: null, count: limit + 1 },
    async (_, count) => {
      const looked = left.splice(0, rows);
      const found = await jobs.listJobsOf(db, workspaceId, looked, { search, limit: count });
      const last = looked.at(-1);
      return { found, stop: left.length > 0 && last !== undefined ? { id: last } : undefined };
    },
  );
}
