/** Whether every job was called, called once, and recorded: the store against the sink's own log. */

import type { RecordedRun } from './seed.ts';
import type { SinkReport } from './sink.ts';

/** All but `recorded` are 0 in a storm that went well. */
export interface Audit {
  /** Runs recorded as `success`. */
  recorded: number;
  /** Runs with another outcome. */
  otherwise: number;
  /** Jobs that were never called. */
  missed: number;
  /** Calls beyond the first of their job. */
  double: number;
  /** Calls whose run the store does not know, or knows as another job's. */
  unknown: number;
}

/** Compares what was recorded with what arrived. */
export function audit(jobs: number, runs: readonly RecordedRun[], arrived: SinkReport): Audit {
  const success = runs.filter(({ status }) => status === 'success');
  const pathOf = new Map(runs.map(({ id, path }) => [id, path]));
  const called = new Set(arrived.path);
  return {
    recorded: success.length,
    otherwise: runs.length - success.length,
    missed: jobs - called.size,
    double: arrived.path.length - called.size,
    unknown: arrived.runId.filter((id, index) => pathOf.get(id) !== arrived.path[index]).length,
  };
}

/** Whether nothing went wrong. */
export function isClean(jobs: number, found: Audit): boolean {
  const { recorded, otherwise, missed, double, unknown } = found;
  return recorded === jobs && otherwise + missed + double + unknown === 0;
}
