/**
 * Record: ended runs, and the numbers of further attempts, are written in batches, each batch in one transaction.
 * What could not be written stays here and is tried again; its run keeps its slot, so that what waits here is bounded.
 */

import type { Log } from '../../log.ts';
import { keepAttempts, recordEndedRuns } from '../../store/runs/results.ts';
import type { Attempt } from '../../store/runs/results.ts';
import type { Db } from '../../store/database/open.ts';
import { keepEdges } from '../alerts/edges.ts';
import type { EndedClaim } from '../alerts/edges.ts';

/** Runs that one transaction takes at most, and attempts. */
const largestBatch = 500;

export interface Recorder<Ended extends EndedClaim> {
  /** Ended runs and attempts that are not written yet. */
  readonly waiting: number;
  add(run: Ended): void;
  /** Resolves once a further attempt is on the disk, so that it may be sent. Rejects if the engine stops before. */
  keepAttempt(attempt: Attempt): Promise<void>;
  /** Writes a batch, the oldest first. Returns the runs that were written. */
  writeBatch(transact: Transact<Ended>): Promise<readonly Ended[]>;
}

/** Opens the transaction in which `write` writes a batch, and does there what goes with it. */
export type Transact<Ended> = <Written>(
  batch: readonly Ended[],
  write: (tx: Db) => Promise<Written>,
) => Promise<Written>;

export interface RecorderOptions {
  /** Whether to mark the runs whose receipts are to be signed. */
  receipts: boolean;
  /** Hears that there is something to tell. */
  readonly onEdges: () => void;
  /** Aborted when the engine waits no longer for calls. */
  signal: AbortSignal;
}

/** An attempt that waits to be written. */
interface WaitingAttempt {
  attempt: Attempt;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Makes a recorder with nothing to write. */
export function createRecorder<Ended extends EndedClaim>(
  log: Log,
  { receipts, onEdges, signal }: RecorderOptions,
): Recorder<Ended> {
  let waiting: Ended[] = [];
  let attempts: WaitingAttempt[] = [];
  signal.addEventListener('abort', () => {
    for (const { reject } of attempts) reject(signal.reason);
    attempts = [];
  });

  async function write(tx: Db, batch: readonly EndedClaim[], begun: readonly WaitingAttempt[]) {
    await keepAttempts(
      tx,
      begun.map(({ attempt }) => attempt),
    );
    const ended = batch.map((run) => run.ended);
    const ids = await recordEndedRuns(tx, ended, { receipts });
    const kept = batch.filter((run) => ids.has(run.ended.runId));
    return { recorded: ids, edges: await keepEdges(tx, kept) };
  }

  return {
    get waiting() {
      return waiting.length + attempts.length;
    },
    add(run) {
      waiting.push(run);
    },
    async keepAttempt(attempt) {
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        attempts.push({ attempt, resolve, reject });
      });
    },
    async writeBatch(transact) {
      const batch = waiting.slice(0, largestBatch);
      const begun = attempts.slice(0, largestBatch);
      if (batch.length === 0 && begun.length === 0) return [];
      const { recorded, edges } = await transact(batch, (tx) => write(tx, batch, begun));
      attempts = attempts.slice(begun.length);
      for (const { resolve } of begun) resolve();
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
