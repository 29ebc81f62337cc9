/** Backlog: ended executions and further attempts that wait to be written. It is bounded, as each holds its slot. */

import type { Attempt } from '../../store/runs/ended.ts';
import type { EndedExecution } from './execution.ts';

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
}

/** Makes an empty backlog. When the signal aborts, waiting attempts are given up. */
export function createBacklog(signal: AbortSignal): Backlog {
  let executions: EndedExecution[] = [];
  let attempts: (Attempt & PromiseWithResolvers<boolean>)[] = [];
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
    batch: () => ({
      executions: executions.slice(0, largestBatch),
      attempts: attempts.slice(0, largestBatch),
    }),
    remove(batch, retried) {
      executions = executions.slice(batch.executions.length);
      for (const { resolve, runId } of attempts.splice(0, batch.attempts.length)) {
        resolve(retried.has(runId));
      }
    },
  };
}
