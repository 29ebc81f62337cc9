/**
 * Due: of the jobs whose time has come, the ones called at most a minute late get a run that starts
 * now; what is longer past is written down as one missed run.
 */

import { latestStartMs, missedText, planDue } from '../../domain/runs/due.ts';
import type { Missed } from '../../domain/runs/due.ts';
import { newId } from '../../domain/id.ts';
import { scheduleOf } from '../../domain/jobs/job.ts';
import { insertScheduledRuns, updateClaimedJobs } from '../../store/runs/claims.ts';
import type { ClaimableJob, ScheduledRun } from '../../store/runs/claims.ts';
import type { DueJob } from '../../store/jobs/jobs.ts';
import type { Db } from '../../store/database/open.ts';
import { claimedRun } from './claimed.ts';
import type { Claim, Room } from './claimed.ts';
import { findCallable } from './expire.ts';

/** When this is, in epoch milliseconds of the wall clock. */
export interface Moment {
  now: number;
  /** When this process began to serve. */
  servingSince: number;
}

/** Claims the jobs that are due, the longest due first, as there is room. */
export async function claimDueJobs(tx: Db, room: Room, moment: Moment): Promise<Claim> {
  const { now } = moment;
  const { due, terms, isAny, expired } = await findCallable(tx, now, room.bounds());
  const plans = due
    .filter(({ host }) => room.take(host))
    .map((one) => planClaim(one, terms.get(one.job.workspaceId)?.renewedAt ?? null, moment));
  const kept = await insertScheduledRuns(
    tx,
    plans.flatMap(({ missed, run }) => [missed, run]).filter((run) => run !== null),
  );
  const ifKept = (run: ScheduledRun | null) => (run !== null && kept.has(run.id) ? run : null);
  const claims = plans.map(({ job, host, missed, run, nextRunAt }) => ({
    job,
    host,
    missed: ifKept(missed),
    run: ifKept(run),
    nextRunAt,
  }));
  await updateClaimedJobs(
    tx,
    claims.map(({ job, missed, run, nextRunAt }) => ({
      id: job.id,
      nextRunAt,
      activeRunId: run?.id ?? null,
      startedAt: run?.startedAt ?? null,
      missed: missed === null ? 0 : 1,
    })),
  );
  const runs = claims.flatMap(({ job, host, run }) => {
    if (run === null) return [];
    const { id: runId, scheduledFor } = run;
    const claimed = { runId, job, host, scheduledFor, startedAt: now };
    return claimedRun(claimed, terms.get(job.workspaceId));
  });
  const missed = claims.filter((claim) => claim.missed !== null).length;
  return { runs, missed, expired, more: isAny };
}

/** What becomes of one due job: at most one missed run, at most one that starts. */
interface ClaimPlan extends ClaimableJob {
  missed: ScheduledRun | null;
  run: ScheduledRun | null;
  nextRunAt: number | null;
}

function planClaim(
  { job, host }: ClaimableJob,
  renewedAt: number | null,
  moment: Moment,
): ClaimPlan {
  const { now } = moment;
  const waitedFor = job.nextRunAt ?? now;
  const { missed, dueAt, nextRunAt } = planDue(scheduleOf(job), waitedFor, now, renewedAt);
  return {
    job,
    host,
    missed: missed && missedRun(job, missed, moment),
    run: dueAt === null ? null : startingRun(job, dueAt, now),
    nextRunAt,
  };
}

function missedRun(job: DueJob, missed: Missed, { now, servingSince }: Moment): ScheduledRun {
  return {
    id: newId(now),
    jobId: job.id,
    status: 'missed',
    scheduledFor: missed.first,
    startedAt: null,
    attempts: 0,
    error: missedText(missed, { busyUntil: busyUntil(job, missed), servingSince }),
  };
}

/** When the run ended that may have kept the job from being called; later runs say nothing of it. */
function busyUntil({ lastRunAt, lastDurationMs }: DueJob, missed: Missed): number | null {
  if (lastRunAt === null || lastRunAt > missed.first + latestStartMs) return null;
  return lastRunAt + (lastDurationMs ?? 0);
}

function startingRun(job: DueJob, dueAt: number, now: number): ScheduledRun {
  return {
    id: newId(now),
    jobId: job.id,
    status: 'running',
    scheduledFor: dueAt,
    startedAt: now,
    attempts: 1,
    error: null,
  };
}
