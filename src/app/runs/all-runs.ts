/**
 * The runs of all jobs of a workspace, newest first. A request reads 10,000 of its runs at most, in steps, as it may leave
 * out most of them; it reads none of another workspace, so that neither its answer nor its cursor says anything of others.
 */

import type { Selector } from '../../domain/labels.ts';
import { runStatuses, type RunStatus } from '../../domain/runs/run.ts';
import { findRunStop, listRunsOfWorkspace } from '../../store/runs/of-workspace.ts';
import type { ListedRun, RunPlace } from '../../store/runs/of-workspace.ts';
import type { Ground, Principal } from '../app.ts';
import { parsePlaceCursor, partialPageOf, placeCursor } from '../page.ts';
import type { PageRequest, PartialPage } from '../page.ts';
import { isRunPlace, runPlaceOf, runPlaceParts } from '../run-places.ts';
import { inSteps, labelledPerStep } from '../steps.ts';

export type { ListedRun };

export interface RunsRequest extends PageRequest {
  /** Only runs with one of these; null for all. */
  statuses: readonly RunStatus[] | null;
  /** Only runs that were due at this time or later, in epoch milliseconds; null for all. */
  since: number | null;
  /** Only runs that were due before, in epoch milliseconds; null for all. */
  until: number | null;
  /** Only runs of jobs whose labels fit now. */
  selector?: Selector | null;
}

const list = 'all-runs';
/** The most runs that one request reads. */
export const mostRuns = 10_000;
/** As many are read at once. */
export const runsPerStep = 1_000;

/** A page of the runs of a workspace, newest first; it reads `most` of them at most. Throws `invalid_input` for a cursor of another list. */
export async function listAllRuns(
  { store: { db } }: Pick<Ground, 'store'>,
  { workspaceId }: Principal,
  { statuses, since, until, selector = null, limit, cursor }: RunsRequest,
  most = mostRuns,
): Promise<PartialPage<ListedRun>> {
  const wanted = { statuses: statuses ?? runStatuses, since };
  const place = cursor === null ? null : runPlaceOf(parsePlaceCursor(list, cursor, isRunPlace));
  const rows = selector === null ? runsPerStep : labelledPerStep;
  const { found, stop } = await inSteps<ListedRun, RunPlace>(
    { steps: most / rows, after: startOf(place, until), count: limit + 1 },
    async (before, count) => {
      const span = { ...wanted, before };
      const downTo = await findRunStop(db, workspaceId, { ...span, rows });
      const page = { ...span, selector, downTo, limit: count };
      return { found: await listRunsOfWorkspace(db, workspaceId, page), stop: downTo };
    },
  );
  return partialPageOf(found, limit, stop, runCursor);
}

/** The cursor of what is further back than a run. */
export function runCursor(run: RunPlace): string {
  return placeCursor(list, runPlaceParts(run));
}

/** Where a page begins: what is further back of the end of the previous page and a moment. */
function startOf(place: RunPlace | null, until: number | null): RunPlace | null {
  if (until === null || (place !== null && place.scheduledFor < until)) return place;
  // Sorts before every run that was due then.
  return { scheduledFor: until, jobId: '', source: 'manual' };
}
