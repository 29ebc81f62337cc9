/**
 * The runs of all jobs of a workspace, newest first. Failed, interrupted and missed ones have an index by due time. The
 * others are found in the order in which they were recorded, which is that of their due times but for a minute. A missed
 * run may be recorded long after it was due, so the list of all runs is put together from both.
 */

import { firstIdAt, isId, timeOfId } from '../../domain/id.ts';
import { badRunStatuses, runStatuses } from '../../domain/runs/run.ts';
import type { RunStatus } from '../../domain/runs/run.ts';
import { afterAllIds } from '../../store/database/named.ts';
import { findTroubleStop, listTrouble } from '../../store/overview/trouble.ts';
import type { TroublePlace } from '../../store/overview/trouble.ts';
import { findRecordedStop, listRecorded } from '../../store/runs/recorded.ts';
import type { ListedRun } from '../../store/runs/recorded.ts';
import type { App, Principal } from '../app.ts';
import { parsePlaceCursor, placeCursor } from '../page.ts';
import type { PageRequest, PartialPage } from '../page.ts';
import { inSteps } from '../steps.ts';
import type { Found } from '../steps.ts';
import { isTroublePlace, troublePartsOf, troublePlaceOf } from '../trouble-places.ts';

export type { ListedRun };

/** What is asked of the runs of a workspace. */
export interface RunsRequest extends PageRequest {
  /** Only runs with one of these; null for all. */
  statuses: readonly RunStatus[] | null;
  /** Only runs that were due at this time or later, in epoch milliseconds; null for all. */
  since: number | null;
  /** Only runs that were due before, in epoch milliseconds; null for all. */
  until: number | null;
}

const list = 'all-runs';
/** A request reads at most so many runs, which may be those of other workspaces and of deleted jobs. */
const steps = 10;
const runsPerStep = 1_000;
const mostTrouble = 2_000;
/** A run that is not missed is recorded at most a minute after it was due; the clock may be a little off. */
const recordedWithinMs = 120_000;

/** Where both searches are: each goes on behind its place, null for the beginning. */
interface Places {
  recorded: string | null;
  trouble: TroublePlace | null;
}

/** A page of the runs of a workspace, newest first. Throws `invalid_input` for a cursor of another list. */
export async function listAllRuns(
  app: Pick<App, 'store'>,
  principal: Principal,
  request: RunsRequest,
): Promise<PartialPage<ListedRun>> {
  const { limit, cursor } = request;
  const wanted = request.statuses ?? runStatuses;
  const isBadOnly = wanted.every((status) => badRunStatuses.includes(status));
  const ofTrouble = isBadOnly ? wanted : wanted.filter((status) => status === 'missed');
  const ofRecorded = wanted.filter((status) => !ofTrouble.includes(status));
  const places = cursor === null ? { recorded: null, trouble: null } : parsePlaces(cursor);
  const [recorded, trouble] = [
    await searchRecorded(app, principal, request, ofRecorded, places.recorded),
    await searchTrouble(app, principal, request, ofTrouble, places.trouble),
  ];
  const { items, taken } = merge(recorded, trouble, limit);
  const next: Places = {
    recorded: placeAfter(recorded, taken.recorded, ({ id }) => id) ?? places.recorded,
    trouble: placeAfter(trouble, taken.trouble, (run) => run) ?? places.trouble,
  };
  const isOver = isAllTaken(recorded, taken.recorded) && isAllTaken(trouble, taken.trouble);
  return {
    items,
    nextCursor: isOver ? null : cursorOf(next),
    isPartial: !isOver && items.length < limit,
  };
}

async function searchRecorded(
  { store: { db } }: Pick<App, 'store'>,
  { workspaceId }: Principal,
  { since, until, limit }: RunsRequest,
  statuses: readonly RunStatus[],
  after: string | null,
): Promise<Found<ListedRun, string>> {
  if (statuses.length === 0) return { found: [], stop: undefined };
  const begin = until === null ? afterAllIds : firstIdAt(until + recordedWithinMs);
  const from = firstIdAt(since ?? 0);
  return await inSteps<ListedRun, string>({ steps, after, count: limit + 1 }, async (at, count) => {
    const before = at ?? begin;
    const stop = await findRecordedStop(db, { from, before }, runsPerStep);
    const range = { from: stop ?? from, before };
    const filter = { statuses, since, until, limit: count };
    return { found: await listRecorded(db, workspaceId, { ...range, ...filter }), stop };
  });
}

async function searchTrouble(
  { store: { db } }: Pick<App, 'store'>,
  { workspaceId }: Principal,
  { since, until, limit }: RunsRequest,
  statuses: readonly RunStatus[],
  after: TroublePlace | null,
): Promise<Found<ListedRun, TroublePlace>> {
  if (statuses.length === 0) return { found: [], stop: undefined };
  const begin: TroublePlace | null =
    until === null ? null : { scheduledFor: until, jobId: '', source: 'manual' };
  const before = after ?? begin;
  const stop = await findTroubleStop(db, workspaceId, { before, since, rows: mostTrouble });
  const page = { statuses, before, since, downTo: stop, limit: limit + 1 };
  return { found: await listTrouble(db, workspaceId, page), stop };
}

/** Takes the newer of both heads again and again; nothing from further back than the other search has looked. */
function merge(
  recorded: Found<ListedRun, string>,
  trouble: Found<ListedRun, TroublePlace>,
  limit: number,
): { items: ListedRun[]; taken: { recorded: number; trouble: number } } {
  const items: ListedRun[] = [];
  const taken = { recorded: 0, trouble: 0 };
  const recordedEnd = recorded.stop === undefined ? -Infinity : timeOfId(recorded.stop);
  const troubleEnd = trouble.stop?.scheduledFor ?? -Infinity;
  while (items.length < limit) {
    const one = recorded.found[taken.recorded];
    const other = trouble.found[taken.trouble];
    const oneAt = one?.scheduledFor ?? recordedEnd;
    const otherAt = other?.scheduledFor ?? troubleEnd;
    const next = oneAt >= otherAt ? one : other;
    if (next === undefined) break;
    taken[next === one ? 'recorded' : 'trouble'] += 1;
    items.push(next);
  }
  return { items, taken };
}

/** Where a search goes on: behind the last run that was taken, or where it stopped if all were. */
function placeAfter<Place>(
  { found, stop }: Found<ListedRun, Place>,
  taken: number,
  placeOf: (run: ListedRun) => Place,
): Place | undefined {
  const last = found[taken - 1];
  return taken === found.length && stop !== undefined ? stop : last && placeOf(last);
}

function isAllTaken<Place>({ found, stop }: Found<ListedRun, Place>, taken: number): boolean {
  return taken === found.length && stop === undefined;
}

function cursorOf({ recorded, trouble }: Places): string {
  return placeCursor(list, [recorded, ...(trouble === null ? [] : troublePartsOf(trouble))]);
}

type Parts = readonly [recorded: string | null, ...trouble: unknown[]];

function isPlaces(parts: readonly unknown[]): parts is Parts {
  const [recorded, ...trouble] = parts;
  const isRecorded = recorded === null || (typeof recorded === 'string' && isId(recorded));
  return parts.length > 0 && isRecorded && (trouble.length === 0 || isTroublePlace(trouble));
}

function parsePlaces(cursor: string): Places {
  const [recorded, ...trouble] = parsePlaceCursor(list, cursor, isPlaces);
  return { recorded, trouble: isTroublePlace(trouble) ? troublePlaceOf(trouble) : null };
}
