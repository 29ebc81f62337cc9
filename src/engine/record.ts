/**
 * Record: ended runs are written in batches, each batch in one transaction. What could not be written
 * stays here and is tried again; its run keeps its slot, so that what waits here is bounded.
 */

import type { Log } from '../log.ts';
import { recordEndedRuns } from '../store/results.ts';
import type { EndedRun } from '../store/results.ts';
import type { Store } from '../store/open.ts';

/** Runs that one transaction takes at most. */
const largestBatch = 500;

export interface Recorder {
  /** Ended runs that are not written yet. */
  readonly waiting: number;
  add(run: EndedRun): void;
  /** Writes a batch, the oldest first. Returns what was written. */
  writeBatch(): Promise<EndedRun[]>;
}

/** Makes a recorder with nothing to write; with `receipts` it marks what is to be signed. */
export function createRecorder(
  store: Store,
  log: Log,
  { receipts }: { receipts: boolean },
): Recorder {
  let waiting: EndedRun[] = [];
  return {
    get waiting() {
      return waiting.length;
    },
    add(run) {
      waiting.push(run);
    },
    async writeBatch() {
      const batch = waiting.slice(0, largestBatch);
      if (batch.length === 0) return batch;
      const recorded = await store.write((tx) => recordEndedRuns(tx, batch, { receipts }));
      for (const { runId, jobId, status } of batch) {
        if (recorded.has(runId)) continue;
        log.warn({ runId, jobId, status }, 'a run that ended was not running any more');
      }
      waiting = waiting.slice(batch.length);
      return batch;
    },
  };
}
