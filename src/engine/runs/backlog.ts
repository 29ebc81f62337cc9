/** Backlog: ended executions and further attempts that wait to be written. It is bounded, as each holds its slot. */

import type { Attempt } from '../../store/runs/ended.ts';
import { unkept, type EndedExecution } from './execution.ts';

/** The most executions in one transaction, and the most attempts. */
const largestBatch = 500;

/** What one transaction writes. */
export interface Batch {
  executions: readonly EndedExecution[];
  attempts: readonly Attempt[];
}

/** Nothing to write. */
export const emptyBatch: Batch = { executions: [], attempts: [] };

export interface Backlog {
  /** Executions and attempts that are not written yet. */
  readonly size: number;
  add(execution: EndedExecution): void;
  /** Resolves when a further attempt is written: whether it may be sent, its run being `running`. Rejects if the engine stops before. */
  keepAttempt(attempt: Attempt): Promise<boolean>;
  /** The oldest entries. They stay until `remove`. */
  batch(): Batch;
  /** All executions that are not written yet. */
  readonly unwritten: readonly EndedExecution[];
  /** Removes the batch that `batch` returned last: it is written. `retried`: whose attempts may be sent. */
  remove(batch: Batch, retried: ReadonlySet<string>): void;
  /** The store refuses an entry: the next batch is half as large. Alone, an attempt is not sent; an execution loses its outcome. */
  refuse(batch: Batch): EndedExecution | undefined;
}

/** Makes an empty backlog. When the signal aborts, waiting attempts are given up. */
export function createBacklog(signal: AbortSignal): Backlog {
  let executions: EndedExecution[] = [];
  let attempts: (Attempt & PromiseWithResolvers<boolean>)[] = [];
  /** Entries of a batch: fewer while one is searched that the store refuses. */
  let most = 2 * largestBatch;
  signal.addEventListener('abort', () => {
    for (const { reject } of attempts) reject(signal.reason);
    attempts = [];
  });

  return {
    get size() {
      return executions.length + attempts.length;
    },
    get unwritten() {
      return executions;
    },
    add(execution) {
      executions.push(execution);
    },
    async keepAttempt(attempt) {
      signal.throwIfAborted();
      const written = Promise.withResolvers<boolean>();
      attempts.push({ ...attempt, ...written });
      return await written.promise;
    },
    batch() {
      const ended = executions.slice(0, Math.min(largestBatch, most));
      const rest = Math.min(largestBatch, most - ended.length);
      return { executions: ended, attempts: attempts.slice(0, rest) };
    },
    refuse(batch) {
      const size = batch.executions.length + batch.attempts.length;
      most = Math.ceil(size / 2);
      if (size > 1) return undefined;
      const execution = executions.shift();
      if (execution === undefined) attempts.shift()?.resolve(false);
      else executions.push(unkept(execution));
      return execution;
    },
    remove(batch, retried) {
      most = Math.min(2 * most, 2 * largestBatch);
      executions = executions.slice(batch.executions.length);
      for (const { resolve, runId } of attempts.splice(0, batch.attempts.length)) {
        resolve(retried.has(runId));
      }
    },
  };
}
