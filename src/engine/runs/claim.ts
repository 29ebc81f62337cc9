/** Claim: decides inside a transaction which runs start now. Once it is committed, they are `running` on the disk. */

import { findQueuedRuns, startQueuedRuns, updateClaimedJobs } from '../../store/runs/claims.ts';
import type { QueuedRun } from '../../store/runs/claims.ts';
import type { Db } from '../../store/database/store.ts';
import { claimDueJobs } from './due.ts';
import type { Claim, FreeSlots, Moment } from './due.ts';
import { executionOf } from './execution.ts';
import type { Execution } from './execution.ts';
import { termsOf } from './expire.ts';

/** Claims runs as long as slots are free: queued ones first, since somebody waits for them, then due jobs. */
export async function claimRuns(tx: Db, slots: FreeSlots, moment: Moment): Promise<Claim> {
  const queued = await claimQueuedRuns(tx, slots, moment);
  const due = await claimDueJobs(tx, slots, moment);
  const executions = [...queued, ...due.executions];
  return { ...due, executions, more: queued.length > 0 || due.more };
}

async function claimQueuedRuns(
  tx: Db,
  slots: FreeSlots,
  { now, nodeId }: Moment,
): Promise<Execution[]> {
  const found = await findQueuedRuns(tx, slots.bounds());
  const chosen = onePerJob(found).filter(({ host }) => slots.take(host));
  const runIds = chosen.map(({ runId }) => runId);
  const started = await startQueuedRuns(tx, runIds, { startedAt: now, nodeId });
  const claimed = chosen.filter(({ runId }) => started.has(runId));
  await updateClaimedJobs(
    tx,
    claimed.map(({ runId, job }) => ({
      id: job.id,
      nextRunAt: job.nextRunAt,
      activeRunId: runId,
      startedAt: now,
      missed: 0,
    })),
  );
  const terms = await termsOf(tx, claimed);
  return claimed.map((run) => {
    const { runId, queuedAt, job } = run;
    const times = { scheduledFor: queuedAt, startedAt: now };
    return executionOf(run, { runId, ...times }, terms.get(job.workspaceId));
  });
}

/** The oldest queued run of each job: a job executes one run at a time. */
function onePerJob(queued: readonly QueuedRun[]): QueuedRun[] {
  const seen = new Set<string>();
  return queued.filter(({ job }) => {
    const isFirst = !seen.has(job.id);
    seen.add(job.id);
    return isFirst;
  });
}
