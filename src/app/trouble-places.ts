/** Places in the list of runs that were no success, as the parts of a cursor. */

import { isId } from '../domain/id.ts';
import type { TroublePlace } from '../store/overview/trouble.ts';

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
