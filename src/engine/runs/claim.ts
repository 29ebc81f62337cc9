/** Claim: decides inside a transaction which runs start now. Once it is committed, they are `running` on the disk. */

import {
  findDueJobs,
  findQueuedRuns,
  startQueuedRuns,
  updateClaimedJobs,
} from '../../store/runs/claims.ts';
import type { QueuedRun } from '../../store/runs/claims.ts';
import type { Db } from '../../store/database/store.ts';
import { claimDueJobs, type DueClaim, type FreeSlots, type Moment } from './due.ts';
import { executionOf, type Execution } from './execution.ts';
import { termsOf } from './expire.ts';
import { follow, type FollowUp } from './follow.ts';

/** What a transaction claims. */
export interface Claim extends Omit<DueClaim, 'spans' | 'replanned'> {
  followUp: FollowUp;
}

/**
 * Claims runs as long as slots are free: those that people asked for first, since somebody waits for them. Chained runs and due
 * jobs take turns by the time since when they wait: one run may cause a thousand, which must not keep all others out.
 */
export async function claimRuns(tx: Db, slots: FreeSlots, moment: Moment): Promise<Claim> {
  const queued = onePerJob(await findQueuedRuns(tx, slots.bounds()));
  const dueAt = queued.some(({ isChained }) => isChained)
    ? await findFirstDueTime(tx, slots, moment)
    : Infinity;
  const isFirst = ({ isChained, queuedAt }: QueuedRun): boolean => !isChained || queuedAt <= dueAt;
  const first = await startQueued(tx, slots, queued.filter(isFirst), moment);
  const { spans, replanned, ...due } = await claimDueJobs(tx, slots, moment);
  // A run of a job that only missed due times waits for the next claim, which reads its job again.
  const changed = new Set(replanned);
  const later = queued.filter((run) => !isFirst(run) && !changed.has(run.job.id));
  const last = await startQueued(tx, slots, later, moment);
  const executions = [...first, ...due.executions, ...last];
  const followUp = await follow(tx, { missed: due.missed, spans });
  return { ...due, executions, followUp, more: first.length + last.length > 0 || due.more };
}

/** Since when the job waits that is due longest and could be called now; infinite if none is due. */
async function findFirstDueTime(tx: Db, slots: FreeSlots, { now }: Moment): Promise<number> {
  const [first] = await findDueJobs(tx, now, { ...slots.bounds(), limit: 1 });
  return first?.job.nextRunAt ?? Infinity;
}

async function startQueued(
  tx: Db,
  slots: FreeSlots,
  queued: readonly QueuedRun[],
  { now, nodeId }: Moment,
): Promise<Execution[]> {
  if (queued.length === 0) return [];
  const terms = await termsOf(tx, queued);
  const chosen = queued.filter((run) => slots.take(run, terms.get(run.job.workspaceId)));
  // The clocks of nodes agree to some milliseconds: a run does not start before it was asked for, or before its cause ended.
  const startOf = ({ queuedAt }: QueuedRun): number => Math.max(now, queuedAt);
  const starts = chosen.map((run) => ({ id: run.runId, startedAt: startOf(run) }));
  const started = await startQueuedRuns(tx, starts);
  const claimed = chosen.filter(({ runId }) => started.has(runId));
  const jobs = claimed.map((run) => ({
    id: run.job.id,
    nextRunAt: run.job.nextRunAt,
    claimedUpTo: run.claimedUpTo,
    activeRunId: run.runId,
    activeFor: run.queuedAt,
    startedAt: startOf(run),
    nodeId,
    missed: 0,
  }));
  await updateClaimedJobs(tx, jobs);
  return claimed.map((run) => {
    const { runId, queuedAt, job } = run;
    const dueAt = run.dueAt ?? queuedAt;
    const times = { scheduledFor: queuedAt, dueAt, startedAt: startOf(run) };
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
