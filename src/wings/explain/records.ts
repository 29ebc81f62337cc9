/** What is asked of the store to explain a job. Every query is bounded and uses an index. */

import { runsOf } from '../../domain/alerts/alert.ts';
import { mostChannels, serves } from '../../domain/alerts/channel.ts';
import type { NamedDelivery } from '../../domain/alerts/delivery.ts';
import { timeOfId } from '../../domain/id.ts';
import { longestChain } from '../../domain/jobs/after-words.ts';
import { hostOf } from '../../domain/jobs/job.ts';
import { holdsOf } from '../../domain/runs/due.ts';
import type { RunSummary } from '../../domain/runs/run.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import { listAuditEntries } from '../../store/accounts/audit.ts';
import { findTerms } from '../../store/accounts/expiry.ts';
import { findHolds, findMutes } from '../../store/accounts/windows.ts';
import { findChannelsOf } from '../../store/alerts/channels.ts';
import { listDeliveriesAbout } from '../../store/alerts/deliveries.ts';
import type { Db } from '../../store/database/store.ts';
import { findJob } from '../../store/jobs/jobs.ts';
import { findSpansAround } from '../../store/jobs/listed-spans.ts';
import { findJobsNow } from '../../store/overview/trouble.ts';
import { findOldestDueTime, findRunsFor, listHistory } from '../../store/runs/history.ts';
import { countInFlight, type InFlight } from '../../store/runs/in-flight.ts';
import { findRun } from '../../store/runs/runs.ts';
import type { App, Principal } from '../../app/app.ts';
import { requireJob } from '../../app/jobs/keep-job.ts';
import { getRun } from '../../app/runs/runs.ts';
import { askedAt, minuteOf, readAskedTime, type AskedTime } from './asked-time.ts';
import { latenessOf, onTimeMs, type JobChange } from './facts.ts';
import { focusOn } from './schedule-then.ts';

/** Runs of the job that are looked at before a time. */
const runsRead = 200;
const changesRead = 500;
const deliveriesRead = 20;
/** Runs by hand in an explanation of now. */
const mostByHand = 3;
/** Three attempts with the longest timeouts and waits take less. */
const longestRunMs = 6 * 60_000;

/** What to explain: a run, or a time as a person gives it; the newest due time if both are null. */
export interface Question {
  at: string | null;
  runId: string | null;
  /** The zone in which times are read and written; null for that of the job. */
  zone?: string | null;
}

/** What was recorded about a due time or a run, and what holds now. Times are epoch milliseconds. */
export type Records = Awaited<ReturnType<typeof readRecords>>;

/**
 * Reads it for the newest due time of a job, the one at a time (RFC 3339, or a local time in the zone of the job, or in that of
 * the first job of its chain), or a run. Who changed the job is told only to those who may read the audit trail. Throws
 * `not_found` and `invalid_input`.
 */
export async function readRecords(app: App, principal: Principal, id: string, question: Question) {
  const { store, clock, instance } = app;
  const { db } = store;
  const job = await requireJob(db, principal, id);
  const now = clock.now();
  const zone = question.zone ?? (await zoneOfChain(db, job));
  const asked = question.runId === null ? null : await getRun(app, principal, id, question.runId);
  const time = timeAsked(asked, question.at, { zone, now });
  const changes = await changesOf(db, principal, job);
  const schedules = await findSpansAround(db, job.id, time.at);
  const newest = await runsUpTo(db, job.id, newestUpTo(time, now));
  const runDueAt = newest.find(isScheduled)?.scheduledFor ?? null;
  const around = focusOn({ job, schedules, changes }, time, runDueAt);
  const focus = asked === null || isScheduled(asked) ? around : { ...around, dueAt: null };
  const { dueAt } = focus;
  const until = dueAt ?? asked?.scheduledFor ?? null;
  const runs = until === null ? [] : await runsUpTo(db, job.id, until);
  const ofDueTime = (one: RunSummary): boolean => isScheduled(one) && standsFor(one, dueAt ?? 0);
  const failed = dueAt === null && time.form === 'now' ? lastIfFailed(newest) : null;
  const run = asked ?? failed ?? runs.find(ofDueTime) ?? (await standIn(db, job.id, dueAt));
  const since = run?.scheduledFor ?? dueAt ?? now;
  const [terms] = (await findTerms(db, [principal.workspaceId])).values();
  return {
    ...focus,
    now,
    /** The zone that people know. */
    zone,
    job,
    schedules,
    changes,
    plan: terms?.plan ?? ('free' as const),
    expiresAt: terms?.expiresAt ?? null,
    /** The run of the due time, or the missed run that it belongs to; null if none is kept. */
    run,
    /** The run of the job, by hand too, that was due last before it. */
    previous: runs.find((one) => one.scheduledFor < since && one.status !== 'missed') ?? null,
    /** What was called later for the due times of the run. */
    again: await calledAgain(db, job.id, run),
    /** Other runs that no schedule started: in the minute that was asked about, and for now the newest ones. */
    manual: asked === null ? byHand(newest, time) : [],
    /** The run under way. */
    active:
      job.activeRunId === null ? null : ((await findRun(db, job.id, job.activeRunId)) ?? null),
    /** The job that it runs after. */
    firstJob: await firstJobOf(db, job),
    oldestKept: (await findOldestDueTime(db, job.id)) ?? null,
    /** Other calls of the workspace while the job waited; null if it did not. */
    inFlight: await inFlightDuring(db, job, { run, dueAt, now }),
    slots: app.slots,
    /** When the server that answers started. */
    startedAt: instance.startedAt,
    deliveries: run === null ? [] : await deliveriesAbout(db, principal, job, run),
    ...(await alertingOf(db, job)),
    ...(await windowsOf(db, job, [run === null ? now : endOf(run), now])),
    target: await app.judgeTarget(job.url),
    /** Why the engine cannot do its work now. */
    problems: app.health.problems().map(({ detail }) => detail),
  };
}

/** The time that a question is about: when the run was due, or what was asked. */
function timeAsked(
  run: Pick<RunSummary, 'scheduledFor'> | null,
  at: string | null,
  here: { zone: string; now: number },
): AskedTime {
  return run === null ? readAskedTime('at', at, here) : askedAt(run.scheduledFor);
}

function newestUpTo({ at, form }: AskedTime, now: number): number {
  return form === 'now' ? now : minuteOf(at) + 59_999;
}

/** A job that was not due yet is first run by hand: what went wrong then is what is asked for. */
function lastIfFailed([last]: readonly RunSummary[]): RunSummary | null {
  return last?.status === 'failed' ? last : null;
}

/** What was called for a due time that has no run, as it was missed and taken back; null if nothing was. */
async function standIn(db: Db, jobId: string, dueAt: number | null): Promise<RunSummary | null> {
  const [run = null] = dueAt === null ? [] : await findRunsFor(db, jobId, { scheduledFor: dueAt });
  return run;
}

async function calledAgain(db: Db, jobId: string, run: RunSummary | null): Promise<RunSummary[]> {
  return run === null || !isScheduled(run) ? [] : await findRunsFor(db, jobId, run);
}

function isScheduled({ source }: RunSummary): boolean {
  return source === 'scheduled';
}

/** Whether a run is that of a due time, or the missed run that it belongs to. */
function standsFor({ scheduledFor, missed }: RunSummary, dueAt: number): boolean {
  return (
    scheduledFor === dueAt || (missed !== undefined && missed.first < dueAt && dueAt <= missed.last)
  );
}

/** Runs by hand in the minute of a time; for now, also those that are newer than what became of the newest due time. */
function byHand(newest: readonly RunSummary[], { at, form }: AskedTime): RunSummary[] {
  const older = newest.findIndex(isScheduled);
  const newer = form === 'now' ? Math.min(older === -1 ? Infinity : older, mostByHand) : 0;
  return newest.filter(
    (run, index) => !isScheduled(run) && (index < newer || run.scheduledFor >= minuteOf(at)),
  );
}

/** A job that runs after another one often has a zone that nobody set: it has that of the first job of its chain. */
async function zoneOfChain(db: Db, job: SealedJob): Promise<string> {
  let first = job;
  for (let length = 1; first.after !== null && length < longestChain; length += 1) {
    const firstJob = await findJob(db, job.workspaceId, first.after.jobId);
    if (firstJob === undefined) break;
    first = firstJob;
  }
  return first.timezone;
}

async function firstJobOf(db: Db, { id, workspaceId, after }: SealedJob) {
  const firstJob = after === null ? undefined : await findJob(db, workspaceId, after.jobId);
  if (firstJob === undefined) return null;
  const all = { statuses: null, before: null };
  const [run = null] = await listHistory(db, firstJob.id, { ...all, downTo: null, limit: 1 });
  const { name, paused } = firstJob;
  const found = { name, paused, isChained: firstJob.after !== null, run };
  if (run === null) return { ...found, startedRunId: null };
  const downTo = { scheduledFor: run.scheduledFor, source: 'manual' as const };
  const started = await listHistory(db, id, { ...all, downTo, limit: runsRead });
  return {
    ...found,
    startedRunId: started.find(({ causedBy }) => causedBy?.runId === run.id)?.id ?? null,
  };
}

async function runsUpTo(db: Db, jobId: string, until: number): Promise<RunSummary[]> {
  const before = { scheduledFor: until + 1, source: 'manual' as const };
  return await listHistory(db, jobId, { statuses: null, before, downTo: null, limit: runsRead });
}

/** The newest changes of a job. */
async function changesOf(
  db: Db,
  { workspaceId, permission }: Principal,
  { id: subjectId }: SealedJob,
): Promise<JobChange[]> {
  const page = { subjectId, before: null, limit: changesRead };
  return (await listAuditEntries(db, workspaceId, page))
    .filter(({ action }) => !['job.run', 'job.replay', 'job.report'].includes(action))
    .map(({ at, action, fields, actor: { type, id, name } }) => {
      const who = permission === 'write' ? `${type} ${name === '' ? id : name}` : null;
      return { at, action, fields, who };
    });
}

async function deliveriesAbout(
  db: Db,
  { workspaceId }: Principal,
  { id: subjectId }: SealedJob,
  run: RunSummary,
): Promise<NamedDelivery[]> {
  const page = { from: endOf(run) - 1_000, limit: deliveriesRead };
  const found = await listDeliveriesAbout(db, { workspaceId, subjectId }, page);
  return found.filter(({ payload }) => runsOf(payload).includes(run.id));
}

/** A missed run has no end: its id says when it was recorded. */
function endOf({ id, finishedAt }: RunSummary): number {
  return finishedAt ?? timeOfId(id);
}

async function alertingOf(db: Db, job: SealedJob) {
  return {
    /** The names of the enabled channels that serve the job now. */
    channels: await channelsOf(db, job),
    /** Since when it fails; null if its last call succeeded. */
    failingSince: (await findJobsNow(db, [job.id])).get(job.id)?.failingSince ?? null,
  };
}

async function channelsOf(db: Db, { id, workspaceId, labels }: SealedJob): Promise<string[]> {
  const channels = await findChannelsOf(db, workspaceId, { after: '', limit: mostChannels });
  const serving = channels.filter((one) => one.enabled && serves(one, { type: 'job', id, labels }));
  return serving.map(({ name }) => name);
}

async function windowsOf(db: Db, job: SealedJob, instants: readonly number[]) {
  const holds = (await findHolds(db, [job])).get(job.id) ?? [];
  return {
    /** Windows that mute the job, at one of these instants. */
    mutes: (await findMutes(db, [job], instants)).get(job.id) ?? [],
    /** Windows that hold the job, at any time. */
    holds: holdsOf(scheduleOf(job), holds),
  };
}

/** The calls in flight in the middle of the time for which the job waited. */
async function inFlightDuring(
  db: Db,
  { workspaceId, url }: SealedJob,
  { run, dueAt, now }: { run: RunSummary | null; dueAt: number | null; now: number },
): Promise<InFlight | null> {
  const from = run?.scheduledFor ?? dueAt;
  if (from === null || from > now || run?.status === 'missed') return null;
  if (run !== null && (latenessOf(run) ?? 0) < onTimeMs) return null;
  const until = run === null ? Math.min(now, from + 60_000) : (run.startedAt ?? from);
  const at = Math.floor((from + until) / 2);
  const wanted = { at, since: at - longestRunMs, host: hostOf(url), except: run?.id ?? null };
  return await countInFlight(db, workspaceId, wanted);
}
