/** Due: a job due at most a minute ago gets a run that starts now. Older due times become one missed run (docs/behavior.md#run-5). */

import {
  causeOfMissed,
  countsLater,
  holdsOf,
  isMadeUp,
  latestStartMs,
  planDue,
  planUpTo,
} from '../../domain/runs/due.ts';
import type { DuePlan, Hindrance } from '../../domain/runs/due.ts';
import type { Missed, MissedFacts, Why } from '../../domain/runs/reason.ts';
import { dropMakeUps, type DroppedMakeUp } from '../../store/jobs/chains.ts';
import { newId } from '../../domain/id.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import type { Window } from '../../domain/windows.ts';
import type { SpanChange } from '../../domain/schedule/span.ts';
import { insertScheduledRuns, updateClaimedJobs } from '../../store/runs/claims.ts';
import type { ClaimableJob, ClaimBounds, MissedRun, StartingRun } from '../../store/runs/claims.ts';
import { findFirstRuns } from '../../store/runs/missed.ts';
import type { Terms } from '../../store/accounts/expiry.ts';
import { windowsAbout } from '../../store/accounts/windows.ts';
import { findBeginnings } from '../../store/jobs/listed-spans.ts';
import { keepHeld } from '../../store/jobs/schedule-spans.ts';
import type { DueJob } from '../../store/jobs/jobs.ts';
import type { Db } from '../../store/database/store.ts';
import { executionOf, type Execution } from './execution.ts';
import { findCallable, type StoppedJob } from './expire.ts';

/** When a claim happens, in epoch milliseconds of the wall clock. */
export interface Moment {
  now: number;
  /** Since when there always was a process that serves. */
  servingSince: number;
  /** The node that claims; null where one process has the database to itself. */
  nodeId: string | null;
  /** What kept this process from claiming before. */
  hindrances?: readonly Hindrance[];
}

/** The free slots that a claim may use. */
export interface FreeSlots {
  /** What to search for now. */
  bounds(): ClaimBounds;
  /** Takes a slot for a call of this job; false if none is free for it. */
  take(one: ClaimableJob, terms: Terms | undefined): boolean;
}

/** A run that was kept as missed. */
export interface KeptMiss extends Why {
  missed: MissedFacts;
  runId: string;
  jobId: string;
  jobName: string;
  workspaceId: string;
  /** The workspace in the log; null while it is the only one. */
  workspace: string | null;
  /** When that was noticed, in epoch milliseconds. */
  missedAt: number;
  /** Whether somebody waits for the ends of the job's runs. */
  isFollowed: boolean;
  /** Whether one run is to make up for it (docs/behavior.md#makeup-1): if one waits already, none is queued. */
  isMadeUp: boolean;
}

/** What became of due jobs. */
export interface DueClaim {
  executions: Execution[];
  /** The ids of all jobs that are due at another time now, or at none: what was read of them before is out of date. */
  replanned: string[];
  /** Runs that are missed, at most one of each job. */
  missed: KeptMiss[];
  /** Runs that made up for missed ones, of jobs whose later due times begin first. */
  dropped: DroppedMakeUp[];
  /** Schedules that count from later on: their accounts were renewed, or a clock that was behind is right again. */
  spans: SpanChange[];
  /** Jobs of expired accounts: they lost their due times. */
  stopped: StoppedJob[];
  /** Expired accounts whose schedules stop now. */
  expired: number;
  /** Whether there may be more to claim right away. */
  more: boolean;
}

/** Claims due jobs, the longest due first, as long as slots are free. */
export async function claimDueJobs(tx: Db, slots: FreeSlots, moment: Moment): Promise<DueClaim> {
  const { now, nodeId } = moment;
  const { due, terms, isAny, ...ended } = await findCallable(tx, now, slots.bounds());
  const chosen = due.filter((one) => slots.take(one, terms.get(one.job.workspaceId)));
  const jobs = chosen.map(({ job }) => job);
  const holds = await windowsAbout(tx, jobs, (workspaceId) => terms.get(workspaceId)?.holds ?? []);
  const planned = chosen.map((one) => {
    const { renewedAt = null } = terms.get(one.job.workspaceId) ?? {};
    const since = renewedAt === null ? null : ({ at: renewedAt, reason: 'expired' } as const);
    return draftOf(one, { since, holds: holds.get(one.job.id) ?? [] }, moment);
  });
  const drafts = await sinceTheyCount(tx, planned, moment);
  const taken = await findTaken(tx, drafts);
  const plans = drafts.map((draft) => planClaim(draft, taken.get(draft.job.id), moment));
  const isKept = await keepRuns(tx, plans);
  const claimed = plans.map(({ job, claimedUpTo, missed, run, nextRunAt }) => ({
    id: job.id,
    nextRunAt,
    claimedUpTo: Math.max(claimedUpTo ?? 0, missed?.missed.last ?? 0, run?.scheduledFor ?? 0),
    activeRunId: run && run.id,
    activeFor: run && run.scheduledFor,
    startedAt: run && now,
    nodeId: run && nodeId,
    missed: isKept(missed) ? 1 : 0,
  }));
  await updateClaimedJobs(tx, claimed);
  const allHeld = drafts.flatMap(({ job, due: { held } }) => (held ? [{ job, held }] : []));
  await keepHeld(tx, allHeld);
  const ids = plans.flatMap(({ job, run }) => (run && job.makeUpSeconds !== null ? [job.id] : []));
  const dropped = await dropMakeUps(tx, ids, 'overtaken');
  const executions = plans.flatMap((plan) => {
    if (plan.run === null) return [];
    const { id: runId, scheduledFor, startedAt } = plan.run;
    const its = terms.get(plan.job.workspaceId);
    const times = { scheduledFor, dueAt: scheduledFor, startedAt };
    return executionOf(plan, { runId, ...times }, its);
  });
  const missed = plans.flatMap((plan) =>
    isKept(plan.missed)
      ? missedOf(plan, plan.missed, {
          workspace: terms.get(plan.job.workspaceId)?.workspace ?? null,
          missedAt: now,
        })
      : [],
  );
  const spans = plans.flatMap((plan) => plan.spans);
  const replanned = [...plans.map(({ job }) => job.id), ...ended.stopped.map(({ id }) => id)];
  return { ...ended, executions, replanned, missed, dropped, spans, more: isAny };
}

/**
 * Writes the planned runs that have a row before they end: missed ones, and those that may be reported of. Returns a test for
 * those that are kept: a due time that has a run gets no second one.
 */
async function keepRuns(tx: Db, plans: readonly ClaimPlan[]) {
  const planned = plans.flatMap(({ job, missed, run }) => [
    missed,
    job.reportWithinSeconds === null ? null : run,
  ]);
  const wanted = planned.filter((run) => run !== null);
  const kept = await insertScheduledRuns(tx, wanted);
  return <Run extends { id: string }>(run: Run | null): run is Run =>
    run !== null && kept.has(run.id);
}

/** What a claim does with one due job: at most one missed run, and at most one that starts. */
interface ClaimPlan extends ClaimableJob {
  missed: MissedRun | null;
  isMadeUp: boolean;
  run: StartingRun | null;
  nextRunAt: number | null;
  spans: SpanChange[];
}

/** What may keep the due times of a job from being called. */
interface Hold {
  /** Those up to then do not count. */
  since: { at: number; reason: 'expired' | 'corrected' } | null;
  holds: readonly Window[];
}

/** A due job, and what its schedule says. */
interface Draft extends ClaimableJob, Hold {
  due: DuePlan;
}

function draftOf(one: ClaimableJob, hold: Hold, { now, hindrances }: Moment): Draft {
  const { job } = one;
  const schedule = scheduleOf(job);
  const holds = holdsOf(schedule, hold.holds);
  const due = planDue(schedule, job.nextRunAt ?? now, now, hold.since?.at, holds, hindrances);
  return { ...one, ...hold, holds, due };
}

/** A clock that was behind may have planned what was due before there was the job, or before the runs that are kept. */
async function sinceTheyCount(
  tx: Db,
  drafts: readonly Draft[],
  moment: Moment,
): Promise<readonly Draft[]> {
  const late = drafts.filter(({ due }) => due.missed !== null).map(({ job }) => job.id);
  if (late.length === 0) return drafts;
  const beginnings = await findBeginnings(tx, late, moment.now);
  return drafts.map((draft) => {
    const at = beginnings.get(draft.job.id) ?? -Infinity;
    if (at < (draft.due.missed?.first ?? Infinity)) return draft;
    return draftOf(draft, { ...draft, since: { at, reason: 'corrected' } }, moment);
  });
}

/**
 * The first due time of each job that would be missed or called, and has its run already; by job. That happens when the wall
 * clock was set back. Without that all of them come after those that were claimed before, and nothing is asked.
 */
async function findTaken(tx: Db, drafts: readonly Draft[]): Promise<Map<string, number>> {
  const again = drafts.flatMap(({ job, claimedUpTo, due: { missed, dueAt } }) => {
    const first = missed?.first ?? dueAt ?? Infinity;
    const last = dueAt ?? missed?.last ?? -Infinity;
    return first <= (claimedUpTo ?? -Infinity) ? [{ jobId: job.id, first, last }] : [];
  });
  return again.length === 0 ? new Map() : await findFirstRuns(tx, again);
}

function planClaim(
  { since, holds, due, ...claimable }: Draft,
  takenAt: number | undefined,
  moment: Moment,
): ClaimPlan {
  const { now } = moment;
  const { job } = claimable;
  const waitedFor = job.nextRunAt ?? now;
  const { missed, dueAt, nextRunAt } =
    takenAt === undefined ? due : planUpTo(scheduleOf(job), due, takenAt);
  const isLater = since !== null && countsLater(waitedFor, now, since.at);
  return {
    ...claimable,
    missed: missed && missedRun(job, missed, moment),
    isMadeUp: takenAt === undefined && isMadeUp(due, makeUpTerms(job, due, { now, holds })),
    run: dueAt === null ? null : startingRun(job, dueAt, now),
    nextRunAt,
    spans: isLater ? [newSpan(job, since)] : [],
  };
}

/** The schedule counts from then on. */
function newSpan(job: DueJob, { at, reason }: NonNullable<Hold['since']>): SpanChange {
  return { jobId: job.id, at, ended: { reason, nextDueAt: job.nextRunAt }, begun: job };
}

function missedOf(
  { job, isFollowed, isMadeUp: hasMakeUp }: ClaimPlan,
  { id: runId, reason, missed }: MissedRun,
  known: Pick<KeptMiss, 'workspace' | 'missedAt'>,
): KeptMiss {
  const { id: jobId, name: jobName, workspaceId } = job;
  const names = { runId, jobId, jobName, workspaceId, isFollowed, isMadeUp: hasMakeUp };
  return { ...names, ...known, reason, detail: null, httpStatus: null, missed };
}

function missedRun(job: DueJob, missed: Missed, moment: Moment): MissedRun {
  const circumstances = { ...moment, busyUntil: busyUntil(job, missed.first) };
  const { reason, ...hindered } = causeOfMissed(missed, circumstances);
  return {
    id: newId(moment.now),
    jobId: job.id,
    scheduledFor: missed.first,
    reason: reason === 'not_running' && moment.nodeId !== null ? 'not_serving' : reason,
    missed: { ...missed, ...hindered },
  };
}

function makeUpTerms(
  job: DueJob,
  { missed }: DuePlan,
  terms: { now: number; holds: readonly Window[] },
) {
  const { makeUpSeconds } = job;
  return { ...terms, makeUpSeconds, busyUntil: missed && busyUntil(job, missed.last) };
}

/** When the run ended that may have delayed a missed due time; null if the last run began too late for that. */
function busyUntil({ lastRunAt, lastDurationMs }: DueJob, dueAt: number): number | null {
  if (lastRunAt === null || lastRunAt > dueAt + latestStartMs) return null;
  return lastRunAt + (lastDurationMs ?? 0);
}

function startingRun({ id: jobId }: DueJob, scheduledFor: number, now: number): StartingRun {
  return { id: newId(now), jobId, scheduledFor, startedAt: now };
}
