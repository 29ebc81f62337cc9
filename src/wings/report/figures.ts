/** What the runs of a job came to in a month, counted while they are read, the newest first. Times are epoch milliseconds. */

import type { RunSource, RunStatus } from '../../domain/runs/run.ts';

/** What is read of a run. */
export interface CountedRun {
  scheduledFor: number;
  source: RunSource;
  status: RunStatus;
  /** 1 if it has a signed receipt. */
  receipts: number;
}

/** From the due time of a run that was no success to that of the next success; null if none followed in the month. */
export interface Trouble {
  from: number;
  until: number | null;
}

/** Runs by outcome. */
export interface Figures {
  success: number;
  failed: number;
  interrupted: number;
  /** Those of them that are of no due time of the schedule: by hand, replays, make-ups, and after other jobs. */
  others: number;
  receipts: Record<'success' | 'failed', number>;
  longestTrouble: Trouble | null;
}

/** Counts runs; trouble without an end lasts until `until`. */
export function countRuns(until: number): { add: (run: CountedRun) => void; figures: Figures } {
  const figures: Figures = {
    success: 0,
    failed: 0,
    interrupted: 0,
    others: 0,
    receipts: { success: 0, failed: 0 },
    longestTrouble: null,
  };
  const length = (of: Trouble | null): number => (of === null ? -1 : (of.until ?? until) - of.from);
  let succeededAt: number | null = null;
  return {
    figures,
    add({ scheduledFor: from, source, status, receipts }) {
      if (status === 'queued' || status === 'running') return;
      if (status === 'success') succeededAt = from;
      else {
        const trouble = { from, until: succeededAt };
        if (length(trouble) >= length(figures.longestTrouble)) figures.longestTrouble = trouble;
      }
      if (status === 'missed') return;
      figures[status] += 1;
      if (source === 'manual') figures.others += 1;
      if (status !== 'interrupted') figures.receipts[status] += receipts;
    },
  };
}
