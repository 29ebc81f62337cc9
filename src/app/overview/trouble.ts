/** Runs that were no success, of all jobs of the workspace. */

import { isId } from '../../domain/id.ts';
import { findTroubleStop, listTrouble as findTrouble } from '../../store/overview/trouble.ts';
import type { TroublePlace, TroubleRun } from '../../store/overview/trouble.ts';
import type { App, Principal } from '../app.ts';
import { parsePlaceCursor, partialPageOf, placeCursor } from '../page.ts';
import type { PageRequest, PartialPage } from '../page.ts';

export type { TroubleRun };

const list = 'overview-trouble';
/** The most runs that one request reads: those of deleted jobs are passed over until they are removed. */
const mostRows = 2_000;

/** A page of the workspace's runs that were no success, newest first. Throws `invalid_input`. */
export async function listTrouble(
  { store }: Pick<App, 'store'>,
  { workspaceId }: Principal,
  { limit, cursor }: PageRequest,
): Promise<PartialPage<TroubleRun>> {
  const { db } = store;
  const before =
    cursor === null ? null : troublePlaceOf(parsePlaceCursor(list, cursor, isTroublePlace));
  const downTo = await findTroubleStop(db, workspaceId, { before, since: null, rows: mostRows });
  const found = await findTrouble(db, workspaceId, { before, downTo, limit: limit + 1 });
  return partialPageOf<TroubleRun, TroublePlace>(found, limit, downTo, (place) =>
    placeCursor(list, troublePartsOf(place)),
  );
}

/** A place in the list as the parts of a cursor. */
export type TroubleParts = readonly [
  scheduledFor: number,
  jobId: string,
  source: TroublePlace['source'],
];

/** Whether the parts of a cursor are a place in the list. */
export function isTroublePlace(parts: readonly unknown[]): parts is TroubleParts {
  const [scheduledFor, jobId, source] = parts;
  return (
    parts.length === 3 &&
    Number.isSafeInteger(scheduledFor) &&
    isIdPart(jobId) &&
    (source === 'scheduled' || source === 'manual')
  );
}

/** Whether a part of a cursor is an id. */
export function isIdPart(part: unknown): part is string {
  return typeof part === 'string' && isId(part);
}

/** The place that the parts of a cursor name. */
export function troublePlaceOf([scheduledFor, jobId, source]: TroubleParts): TroublePlace {
  return { scheduledFor, jobId, source };
}

/** The parts of a cursor for a place. */
export function troublePartsOf({ scheduledFor, jobId, source }: TroublePlace): TroubleParts {
  return [scheduledFor, jobId, source];
}
