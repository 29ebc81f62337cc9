/**
 * Record: ended runs are written in batches, each batch in one transaction. What could not be written
 * stays here and is tried again; its run keeps its slot, so that what waits here is bounded.
 */

import type { Log } from '../log.ts';
import { recordEndedRuns } from '../store/results.ts';
import type { Db } from '../store/open.ts';
import { keepEdges } from './edges.ts';
import type { EndedClaim } from './edges.ts';

/** Runs that one transaction takes at most. */
const largestBatch = 500;

export interface Recorder<Ended extends EndedClaim> {
  /** Ended runs that are not written yet. */
  readonly waiting: number;
  add(run: Ended): void;
  /** Writes a batch, the oldest first. Returns what was written. */
  writeBatch(transact: Transact<Ended>): Promise<readonly Ended[]>;
}

/** Opens the transaction in which `write` writes a batch, and does there what goes with it. */
export type Transact<Ended> = <Written>(
  batch: readonly Ended[],
  write: (tx: Db) => Promise<Written>,
) => Promise<Written>;

/**
 * Makes a recorder with nothing to write; with `receipts` it marks what is to be signed. `onEdges` hears that
 * there is something to tell.
 */
export function createRecorder<Ended extends EndedClaim>(
  log: Log,
  { receipts, onEdges }: { receipts: boolean; onEdges: () => void },
): Recorder<Ended> {
  let waiting: Ended[] = [];

  async function write(tx: Db, batch: readonly EndedClaim[]) {
    const ended = batch.map((run) => run.ended);
    const ids = await recordEndedRuns(tx, ended, { receipts });
    const kept = batch.filter((run) => ids.has(run.ended.runId));
    return { recorded: ids, edges: await keepEdges(tx, kept) };
  }

  return {
    get waiting() {
      return waiting.length;
    },
    add(run) {
      waiting.push(run);
    },
    async writeBatch(transact) {
      const batch = waiting.slice(0, largestBatch);
      if (batch.length === 0) return [];
      const { recorded, edges } = await transact(batch, (tx) => write(tx, batch));
      if (edges > 0) onEdges();
      for (const { runId, jobId, status } of batch.map((run) => run.ended)) {
        if (recorded.has(runId)) continue;
        log.warn({ runId, jobId, status }, 'a run that ended was not running any more');
      }
      waiting = waiting.slice(batch.length);
      return batch;
    },
  };
}
