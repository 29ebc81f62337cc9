/** Edges: what of recorded runs there is to tell, from what is known since their claim. */

import { alertsFor, failuresAfter } from '../../domain/alerts/alert.ts';
import type { Edge } from '../../domain/alerts/alert.ts';
import { newId } from '../../domain/id.ts';
import { findThresholds, insertEdges, updateFailures } from '../../store/alerts/edges.ts';
import type { Db } from '../../store/database/open.ts';
import type { EndedRun } from '../../store/runs/results.ts';
import type { Execution } from '../runs/execution.ts';

/** A run that ended, with what is known of its job since the claim. */
export interface EndedClaim {
  ended: EndedRun;
  claimed: Pick<Execution, 'workspaceId' | 'failures'>;
}

/**
 * Keeps the edges of runs, and their jobs' failures in a row, in the transaction that records them. Where nothing
 * changed this asks nothing; where jobs go on failing, only whether a channel waits for that. Returns how many
 * edges there are.
 */
export async function keepEdges(tx: Db, runs: readonly EndedClaim[]): Promise<number> {
  const changed = runs.filter(isChange);
  if (changed.length === 0) return 0;
  const jobs = changed.map((run) => ({ jobId: run.ended.jobId, failures: failuresOf(run) }));
  await updateFailures(tx, jobs);
  const edges = changed.map(edgeOf).filter((edge) => edge !== null);
  const thresholds = edges.some(isRepeated) ? await findThresholds(tx) : new Set<number>();
  const told = edges.filter((edge) => !isRepeated(edge) || thresholds.has(edge.failures));
  await insertEdges(tx, told);
  return told.length;
}

function failuresOf({ ended, claimed }: EndedClaim): number {
  return failuresAfter(claimed.failures, ended.status);
}

function isChange(run: EndedClaim): boolean {
  return failuresOf(run) !== run.claimed.failures;
}

/** A failure after another: told only where somebody waits for just so many. */
function isRepeated({ type, failures }: Edge): boolean {
  return type === 'job.failed' && failures > 1;
}

function edgeOf(run: EndedClaim): Edge | null {
  const { ended, claimed } = run;
  const failures = failuresOf(run);
  const type = alertsFor(claimed.failures, failures);
  if (type === null) return null;
  return {
    id: newId(ended.finishedAt),
    type,
    workspaceId: claimed.workspaceId,
    subjectId: ended.jobId,
    runId: ended.runId,
    failures,
    data: null,
    at: ended.finishedAt,
  };
}
