/**
 * The history of a job: its runs by status, and its days. A request reads 10,000 runs at most, and in steps, because a
 * run with a long answer takes several microseconds to read and nothing else happens meanwhile.
 */

import { daysOfRuns, type DayOfRuns, type RunFigures } from '../../domain/runs/days.ts';
import type { RunStatus, RunSummary } from '../../domain/runs/run.ts';
import { lastDays, startOfDay } from '../../domain/schedule/local-days.ts';
import * as history from '../../store/runs/history.ts';
import type { RunPosition } from '../../store/runs/runs.ts';
import type { Ground, Principal } from '../app.ts';
import { requireJob } from '../jobs/keep-job.ts';
import { parseRunCursor, partialPageOf, runCursor } from '../page.ts';
import type { PageRequest, PartialPage } from '../page.ts';
import { inSteps } from '../steps.ts';

const steps = 10;
const runsPerStep = 1_000;

export interface HistoryRequest extends PageRequest {
  /** Only runs with one of these; null for all. */
  statuses: readonly RunStatus[] | null;
  /** Only runs that were due before, in epoch milliseconds; null for all. */
  before: number | null;
}

/** A page of a job's runs, newest first. Throws `not_found`, and `invalid_input` for a cursor of another list. */
export async function listHistory(
  { store: { db } }: Ground,
  principal: Principal,
  jobId: string,
  { statuses, before: dueBefore, limit, cursor }: HistoryRequest,
): Promise<PartialPage<RunSummary>> {
  const { id } = await requireJob(db, principal, jobId);
  const list = `${id} history`;
  const after = startOf(cursor === null ? null : parseRunCursor(list, cursor), dueBefore);
  const { found, stop } = await inSteps<RunSummary, RunPosition>(
    { steps, after, count: limit + 1 },
    async (before, count) => {
      const downTo =
        statuses && (await history.findEndOfStep(db, id, { statuses, before }, runsPerStep));
      const query = { statuses, before, downTo, limit: count };
      return { found: await history.listHistory(db, id, query), stop: downTo ?? undefined };
    },
  );
  return partialPageOf(found, limit, stop, (run) => runCursor(list, run));
}

/** Where a page begins: what is further back of the end of the previous page and a moment. */
function startOf(cursor: RunPosition | null, dueBefore: number | null): RunPosition | null {
  if (dueBefore === null) return cursor;
  // `manual` is the first of two runs of one moment.
  return cursor !== null && cursor.scheduledFor < dueBefore
    ? cursor
    : { scheduledFor: dueBefore, source: 'manual' };
}

/** The days of a job that runs are kept of. */
export interface Days {
  /** The oldest first. */
  days: DayOfRuns[];
  /** The due time of the oldest run that was counted, in epoch milliseconds; null if no run is kept. */
  since: number | null;
  /** Whether there are older runs in these days, too many to count. */
  isPartial: boolean;
}

type Figures = RunFigures & RunPosition;

/** The last `count` days of a job, in its zone. Throws `not_found`. */
export async function listDays(
  { store: { db }, clock }: Ground,
  principal: Principal,
  jobId: string,
  count: number,
): Promise<Days> {
  const { id, timezone } = await requireJob(db, principal, jobId);
  const oldest = await history.findOldestDueTime(db, id);
  if (oldest === undefined) return { days: [], since: null, isPartial: false };
  const now = clock.now();
  const [firstDay = 0] = lastDays(timezone, now, count);
  const from = startOfDay(timezone, firstDay);
  const read = async (before: Figures | null, limit: number) =>
    await history.listFigures(db, id, { from, before, limit });
  const { found: runs, stop } = await inSteps<Figures, Figures>(
    { steps, after: null, count: Infinity },
    async (before) => {
      const found = await read(before, runsPerStep);
      return { found, stop: found.length < runsPerStep ? undefined : found.at(-1) };
    },
  );
  const isPartial = stop !== undefined && (await read(stop, 1)).length > 0;
  const since = isPartial ? stop.scheduledFor : oldest;
  return { days: daysOfRuns(runs, { timezone, since, now, count }), since, isPartial };
}
