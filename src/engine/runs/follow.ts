/**
 * Follow: what comes of runs that ended or were missed. Record and claim only say what happened; all that follows is in `steps`,
 * in their order, and in the transaction that writes the runs, so that a crash neither loses nor doubles it.
 */

import { hasExpired } from '../../domain/accounts/account.ts';
import type { ReportedRun } from '../../domain/alerts/digest.ts';
import { newId } from '../../domain/id.ts';
import { conditionsMet } from '../../domain/runs/chained.ts';
import { becauseOf } from '../../domain/runs/reason.ts';
import type { SpanChange } from '../../domain/schedule/span.ts';
import { coveredUntil } from '../../domain/windows.ts';
import { findTerms } from '../../store/accounts/expiry.ts';
import { windowsAbout } from '../../store/accounts/windows.ts';
import { postResults, type DroppedResults } from '../../store/alerts/callbacks.ts';
import { findStarted, insertChainedRuns, type ChainedRun } from '../../store/jobs/chains.ts';
import { keepSpans } from '../../store/jobs/schedule-spans.ts';
import type { Db } from '../../store/database/store.ts';
import { gatherRuns } from '../alerts/digests.ts';
import { recordHealthChanges, type EndedClaim } from '../alerts/health-changes.ts';
import type { KeptMiss } from './due.ts';

/** A run that ended, with what is known of it since its claim. */
export interface EndedFact extends EndedClaim {
  /** `isFollowed`: whether somebody waits for its end. */
  claimed: EndedClaim['claimed'] & { isFollowed?: boolean | number };
}

/** What a transaction wrote. */
export interface Facts {
  ended?: readonly EndedFact[];
  missed?: readonly KeptMiss[];
  /** Schedules that count from later on. */
  spans?: readonly SpanChange[];
}

/** What has come of it. */
export interface FollowUp {
  /** Alerts put into the outbox. */
  alerts: number;
  /** Results that wait to be delivered now. */
  posted: number;
  /** Results that were given up, as their targets take none. */
  dropped: readonly DroppedResults[];
  /** Runs that wait to be started now. */
  queued: readonly ChainedRun[];
}

/** `done` is what has come of the steps before. */
type Step = (tx: Db, facts: Required<Facts>, done: FollowUp) => Promise<Partial<FollowUp> | void>;

/** Digests say which runs make up for missed ones, so those are queued before. */
const steps: readonly Step[] = [changeHealth, startFollowers, gatherForDigests, changeSpans, post];

/** Writes all that follows from facts. */
export async function follow(tx: Db, facts: Facts): Promise<FollowUp> {
  let done: FollowUp = { alerts: 0, posted: 0, dropped: [], queued: [] };
  const all = { ended: [], missed: [], spans: [], ...facts };
  for (const step of steps) done = { ...done, ...(await step(tx, all, done)) };
  return done;
}

async function changeHealth(tx: Db, { ended }: Required<Facts>) {
  return { alerts: await recordHealthChanges(tx, ended) };
}

async function gatherForDigests(
  tx: Db,
  { ended, missed }: Required<Facts>,
  { queued }: FollowUp,
): Promise<void> {
  const causes = new Set(queued.map(({ cause }) => cause.runId));
  const interrupted = ended.filter((one) => one.ended.status === 'interrupted');
  await gatherRuns(tx, 'interrupted', {
    runs: interrupted.map(reportedEnd),
    now: latest(interrupted, []),
  });
  await gatherRuns(tx, 'missed', {
    runs: missed.map((run) => reportedMiss(run, causes.has(run.runId))),
    now: latest([], missed),
  });
}

function reportedEnd({ ended, claimed: { workspaceId, scheduledFor } }: EndedFact): ReportedRun {
  const { runId: id, jobId } = ended;
  const reason = becauseOf(ended);
  return { id, jobId, workspaceId, scheduledFor, lastDueAt: scheduledFor, reason };
}

function reportedMiss(run: KeptMiss, isMadeUp: boolean): ReportedRun {
  const { runId: id, jobId, workspaceId, missed } = run;
  const times = { scheduledFor: missed.first, lastDueAt: missed.last };
  const reason = `${becauseOf(run)}${isMadeUp ? '; one run makes up for it' : ''}`;
  return { id, jobId, workspaceId, ...times, reason };
}

async function changeSpans(tx: Db, { spans }: Required<Facts>) {
  await keepSpans(tx, spans);
}

/**
 * Queues a run of each job that runs after one of these, unless a window holds it (docs/behavior.md#hold-2), and one that makes up for
 * each miss; none if their accounts have expired.
 */
async function startFollowers(tx: Db, { ended, missed }: Required<Facts>) {
  const causes = ended.filter(isFollowed).map(({ ended: { jobId, runId, status, finishedAt } }) => {
    return { jobId, runId, conditions: conditionsMet(status), endedAt: finishedAt };
  });
  const followers = causes.length === 0 ? [] : await findStarted(tx, causes);
  const started = [...followers, ...missed.filter((run) => run.isMadeUp).map(makeUpFor)];
  if (started.length === 0) return {};
  const now = latest(ended, missed);
  const terms = await findTerms(tx, [...new Set(started.map(({ workspaceId }) => workspaceId))]);
  const jobs = followers.map(({ jobId: id, workspaceId }) => ({ id, workspaceId }));
  const held = await windowsAbout(tx, jobs, (workspaceId) => terms.get(workspaceId)?.holds ?? []);
  const queued = started
    .filter(({ jobId, workspaceId }) => {
      const its = terms.get(workspaceId);
      const isHeld = coveredUntil(held.get(jobId) ?? [], now) !== null;
      return its !== undefined && !hasExpired(its, now) && !isHeld;
    })
    .map((run) => ({ ...run, id: newId(now) }));
  if (queued.length === 0) return {};
  const kept = await insertChainedRuns(tx, queued);
  return { queued: queued.filter(({ id }) => kept.has(id)) };
}

function makeUpFor({ jobId, workspaceId, runId, missedAt: endedAt }: KeptMiss) {
  return { jobId, workspaceId, cause: { jobId, runId, conditions: [], endedAt } };
}

/** Lets the callbacks of their jobs have them. */
async function post(tx: Db, { ended, missed }: Required<Facts>) {
  const ends = ended.filter(isFollowed).map((one) => one.ended.runId);
  const misses = missed.filter((run) => run.isFollowed).map(({ runId }) => runId);
  if (ends.length + misses.length === 0) return {};
  return await postResults(tx, [...ends, ...misses], latest(ended, missed));
}

function isFollowed({ claimed }: EndedFact): boolean {
  return Boolean(claimed.isFollowed);
}

/** When the last of them ended or was missed; 0 without any. */
function latest(ended: readonly EndedFact[], missed: readonly KeptMiss[]): number {
  const times = [...ended.map((one) => one.ended.finishedAt), ...missed.map((run) => run.missedAt)];
  return times.reduce((last, time) => Math.max(last, time), 0);
}
