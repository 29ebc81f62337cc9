/** A run in the words of the API, which alerts use too. */

import { isoTime, isoTimeOrNull } from '../clock.ts';
import type { Run } from './run.ts';

/** A run as the API shows it: times are ISO 8601. */
export type RunDocument = Omit<Run, 'scheduledFor' | 'startedAt' | 'finishedAt'> & {
  scheduledFor: string;
  startedAt: string | null;
  finishedAt: string | null;
};

/** Shows a run. */
export function runDocument(run: Run): RunDocument {
  return {
    ...run,
    scheduledFor: isoTime(run.scheduledFor),
    startedAt: isoTimeOrNull(run.startedAt),
    finishedAt: isoTimeOrNull(run.finishedAt),
  };
}
