/** Places in the list of the runs of a workspace, as the parts of a cursor. */

import { isId } from '../domain/id.ts';
import type { RunPlace } from '../store/runs/of-workspace.ts';

/** A place in the list as the parts of a cursor. */
export type RunPlaceParts = readonly [
  scheduledFor: number,
  jobId: string,
  source: RunPlace['source'],
];

/** Whether the parts of a cursor are a place in the list. */
export function isRunPlace(parts: readonly unknown[]): parts is RunPlaceParts {
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
export function runPlaceOf([scheduledFor, jobId, source]: RunPlaceParts): RunPlace {
  return { scheduledFor, jobId, source };
}

/** The parts of a cursor for a place. */
export function runPlaceParts({ scheduledFor, jobId, source }: RunPlace): RunPlaceParts {
  return [scheduledFor, jobId, source];
}
