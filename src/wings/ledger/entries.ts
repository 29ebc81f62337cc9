/**
 * The ledger of a workspace, or of all: whether each due time of a period is accounted for. It is checked page by page; a
 * page reads a bounded number of runs and spans.
 */

import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { checkLedger, emptyLedger, isComplete, isOfClockAhead } from './accounted.ts';
import type { KeptRun, Ledger } from './accounted.ts';
import type { ScheduleSpan } from '../../domain/schedule/span.ts';
import { listSpans, listSpansFrom } from '../../store/jobs/listed-spans.ts';
import type { App, Principal } from '../../app/app.ts';
import type { Db } from '../../store/database/store.ts';
import { findLedgerJob, listDueTimes, listLedgerJobs, listStoodFor, listMissed } from './query.ts';
import type { LedgerJob } from './query.ts';
import { isId } from '../../domain/id.ts';
import { parsePlaceCursor, placeCursor, type Page } from '../../app/page.ts';
import { noJob } from '../../app/jobs/keep-job.ts';

/** What is checked. Times are epoch milliseconds. */
export interface LedgerRequest {
  /** Null for all workspaces. */
  workspaceId: string | null;
  /** Only this job; null for all. */
  jobId: string | null;
  /** Due times after it. */
  after: number;
  /** Due times up to it; null for all that have passed. */
  until: number | null;
  /** Jobs of a page. */
  limit: number;
  /** Stops it at its next step. */
  signal?: AbortSignal | undefined;
}

type LedgerParts = Pick<App, 'clock'> & { store: { db: Db } };

/** Where a page ends: at a job, or inside its history. */
export interface LedgerPosition {
  jobId: string;
  /** The next page continues with this job after the instant (epoch milliseconds); null if the job is done. */
  after: number | null;
}

/** The ledger of one job, or of a part of its history. */
export interface JobLedger extends Ledger, Pick<LedgerJob, 'id' | 'name'> {
  /** From where on its history is kept, if that is later than what was asked for (epoch milliseconds). */
  keptFrom: number | null;
}

export interface LedgerPage {
  jobs: JobLedger[];
  next: LedgerPosition | null;
  /** How many runs and spans were read. */
  read: number;
}

/** Runs and spans of one page: it takes some tens of milliseconds. */
const readPerPage = 20_000;
/** Runs that are read and compared at once: some milliseconds. */
const runsAtOnce = 2_000;
/** Spans that are read and compared at once. Of jobs that have more together, each is read in parts. */
const spansAtOnce = 1_000;
/** Jobs whose schedules are read at once. */
const jobsAtOnce = 10;
/** After all due times, in epoch milliseconds. */
const endOfTime = Number.MAX_SAFE_INTEGER;
/** How often a job is read again that changes while it is checked. */
const mostReadings = 5;

/** What a person asks of the ledger of a workspace. */
export type LedgerQuery = Omit<LedgerRequest, 'workspaceId'> & { cursor: string | null };

const list = 'ledger';

/** A page of the ledger of the principal's workspace. Throws `not_found`, and `invalid_input` for a wrong cursor. */
export async function listLedger(
  app: App,
  { workspaceId }: Principal,
  { cursor, ...query }: LedgerQuery,
): Promise<Page<JobLedger> & Pick<LedgerPage, 'read'>> {
  const from = cursor === null ? null : positionOf(parsePlaceCursor(list, cursor, isPlace));
  const { jobs, next, read } = await checkLedgerPage(app, { ...query, workspaceId }, from);
  return { items: jobs, read, nextCursor: next && placeCursor(list, [next.jobId, next.after]) };
}

type Place = readonly [jobId: string, after: number | null];

function isPlace(parts: readonly unknown[]): parts is Place {
  const [jobId, after] = parts;
  return (
    parts.length === 2 && isId(String(jobId)) && (after === null || Number.isSafeInteger(after))
  );
}

function positionOf([jobId, after]: Place): LedgerPosition {
  return { jobId, after };
}

/** Checks some jobs, in the order of their ids. Throws `not_found` if there is no such job. */
export async function checkLedgerPage(
  parts: LedgerParts,
  request: LedgerRequest,
  from: LedgerPosition | null,
): Promise<LedgerPage> {
  const { db } = parts.store;
  const { workspaceId, jobId } = request;
  const page: LedgerPage = { jobs: [], next: null, read: 0 };
  /** Returns where the page ends; null if it continues. */
  const check = async (plan: Plan | undefined, after: number): Promise<LedgerPosition | null> => {
    const part =
      plan && (await checkJob(parts, plan, { ...request, after }, readPerPage - page.read));
    if (part === undefined) return null;
    page.jobs.push(part.ledger);
    page.read += part.read;
    if (part.endedAt !== null) return { jobId: part.ledger.id, after: part.endedAt };
    return page.read >= readPerPage ? { jobId: part.ledger.id, after: null } : null;
  };
  if (jobId !== null) {
    const after = from?.after ?? request.after;
    const next = await check(await findPlan(parts, { ...request, after }, jobId), after);
    if (page.jobs.length === 0) throw noJob(jobId);
    return { ...page, next: next === null || next.after === null ? null : next };
  }
  if (from !== null && from.after !== null) {
    const part = { ...request, after: from.after };
    const next = await check(await findPlan(parts, part, from.jobId), from.after);
    if (next !== null) return { ...page, next };
  }
  const jobs = await listLedgerJobs(db, workspaceId, {
    afterId: from?.jobId ?? '',
    limit: request.limit,
  });
  for (let at = 0; at < jobs.length; at += jobsAtOnce) {
    for (const plan of await withSpans(parts, jobs.slice(at, at + jobsAtOnce), request)) {
      const next = await check(plan, request.after);
      if (next !== null) return { ...page, next };
      if (plan.job.hasRuns === 1) await setImmediate(null, request);
    }
    await setImmediate(null, request);
  }
  const last = jobs.at(-1);
  const isLast = last === undefined || jobs.length < request.limit;
  return isLast ? page : { ...page, next: { jobId: last.id, after: null } };
}

interface Part {
  ledger: JobLedger;
  read: number;
  /** Up to where it was checked; null if the period is done. */
  endedAt: number | null;
}

/** What says when a job was and is due. */
interface Plan {
  job: LedgerJob;
  /** Null if they are too many to be read at once. */
  spans: ScheduleSpan[] | null;
}

async function findPlan(
  parts: LedgerParts,
  request: LedgerRequest,
  id: string,
): Promise<Plan | undefined> {
  const job = await findLedgerJob(parts.store.db, request.workspaceId, id);
  return job && (await withSpans(parts, [job], request))[0];
}

async function withSpans(
  { store: { db }, clock }: LedgerParts,
  jobs: readonly LedgerJob[],
  { after, until: latest }: LedgerRequest,
): Promise<Plan[]> {
  const ids = jobs.map(({ id }) => id);
  const until = lastOf(latest, clock.now());
  const spans = await listSpans(db, ids, { after, until, limit: spansAtOnce });
  const count = [...spans.values()].reduce((sum, { length }) => sum + length, 0);
  return jobs.map((job) => ({
    job,
    spans: count < spansAtOnce ? (spans.get(job.id) ?? []) : null,
  }));
}

/** Up to when due times are looked for: a clock that was ahead may have called what is still to come. */
function lastOf(latest: number | null, now: number): number {
  return latest === null || latest >= now ? endOfTime : latest;
}

/** Undefined if the job is gone. Nothing is found wrong that a claim or a change explains which came in between. */
async function checkJob(
  parts: LedgerParts,
  first: Plan,
  request: LedgerRequest,
  most: number,
): Promise<Part | undefined> {
  let plan: Plan | undefined = first;
  for (let reading = 1; plan !== undefined; reading += 1) {
    const part = await readJob(parts, plan, request, most);
    if (isComplete(part.ledger)) return part;
    const after = await findPlan(parts, request, plan.job.id);
    const isSame = plan.spans !== null && isDeepStrictEqual(after, plan);
    if (isSame || reading >= mostReadings) return part;
    plan = after;
  }
  return undefined;
}

async function readJob(
  { store: { db }, clock }: LedgerParts,
  { job, spans: all }: Plan,
  { after: asked, until: latest, ...stop }: LedgerRequest,
  most: number,
): Promise<Part> {
  // Later than the plan was read: what was decided on by then is before its next due time.
  const now = clock.now();
  const until = lastOf(latest, now);
  const { id, name, nextRunAt, historyFrom, hasRuns } = job;
  const keptFrom = historyFrom > asked ? historyFrom : null;
  const ledger: JobLedger = { id, name, keptFrom, ...emptyLedger() };
  let after = keptFrom ?? asked;
  let read = 0;
  for (;;) {
    const spans = all ?? (await listSpansFrom(db, id, { after, until, limit: spansAtOnce }));
    // Up to the beginning of the last one that was read, if there may be more.
    const last = all === null && spans.length >= spansAtOnce ? spans.at(-1)?.fromAt : undefined;
    const upTo = last ?? until;
    const found =
      hasRuns === 0 ? [] : await listDueTimes(db, id, { after, until: upTo }, runsAtOnce);
    const end = found.length < runsAtOnce ? upTo : (found.at(-1) ?? upTo);
    const missed = hasRuns === 0 ? [] : await listMissed(db, id, { after, until: end });
    const standIns = hasRuns === 0 ? [] : await listStoodFor(db, id, { after, until: end });
    const known = merged(found, missed, standIns);
    const part = checkLedger({ after, until: end, now, nextRunAt, spans, runs: known });
    if (all === null && part.unexpected.length > 0) {
      const others = await listSpans(db, [id], { after, until, limit: spansAtOnce });
      part.unexpected = part.unexpected.filter((at) => !isOfClockAhead(others.get(id) ?? [], at));
    }
    add(ledger, part);
    read += found.length + spans.length;
    if (end >= until) return { ledger, read, endedAt: null };
    if (read >= most) return { ledger, read, endedAt: end };
    after = end;
    await setImmediate(null, stop);
  }
}

/**
 * All runs by due time, with what the missed ones stand for. Another run accounts for a due time of its own that was missed, and taken
 * back when a clock that was ahead was set right.
 */
function merged(
  dueTimes: readonly number[],
  missed: readonly KeptRun[],
  standIns: readonly number[],
): KeptRun[] {
  const lastDueOf = new Map(missed.map(({ scheduledFor, lastDueAt }) => [scheduledFor, lastDueAt]));
  const [first] = missed;
  const earlier =
    first !== undefined && first.scheduledFor < (dueTimes[0] ?? Infinity) ? [first] : [];
  const own = dueTimes.map((scheduledFor) => ({
    scheduledFor,
    lastDueAt: lastDueOf.get(scheduledFor) ?? null,
  }));
  if (standIns.length === 0) return [...earlier, ...own];
  const called = new Set(dueTimes);
  const isMissed = (at: number): boolean =>
    missed.some(({ scheduledFor, lastDueAt }) => scheduledFor <= at && at <= (lastDueAt ?? 0));
  const left = standIns.filter((at) => !called.has(at) && !isMissed(at));
  const others = left.map((scheduledFor) => ({ scheduledFor, lastDueAt: null, isStandIn: true }));
  const all: KeptRun[] = [...earlier, ...own, ...others];
  return all.toSorted((one, other) => one.scheduledFor - other.scheduledFor);
}

function add(sum: Ledger, part: Ledger): void {
  sum.called += part.called;
  sum.missed += part.missed;
  sum.waiting += part.waiting;
  sum.explained.push(...part.explained);
  sum.unaccounted.push(...part.unaccounted);
  sum.unexpected.push(...part.unexpected);
}
