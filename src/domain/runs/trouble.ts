/**
 * Trouble as people tell it: what went wrong, once each (docs/behavior.md#trouble-1). Runs that were no success are grouped while
 * they are read, the newest first: an outage of jobd is one row, and so is what one job had. Times are epoch milliseconds.
 */

import { isoTime } from '../clock.ts';
import { counted } from '../counted.ts';
import { timeOfId } from '../id.ts';
import type { ListedJob } from '../jobs/listed-job.ts';
import { becauseOf, errorOf, type WhyDocument } from './reason.ts';
import type { RunSummary } from './run.ts';

/** A run that was no success. */
export type BadRun = RunSummary & { jobId: string; jobName: string };

/** What is known of a job now. */
export type JobNow = Pick<ListedJob, 'health' | 'paused' | 'failingSince'>;

/** `outage`: jobd could not call; `job`: calls of one job failed, or it was too busy for them. */
export const troubleKinds = ['outage', 'job'] as const;
export type TroubleKind = (typeof troubleKinds)[number];

/** One row. */
export interface Trouble {
  /** That of its oldest run: it stays while newer ones come. */
  id: string;
  kind: TroubleKind;
  /** Of an outage, for how long it kept jobd from calling; of a job, when the first and the last of its runs was due. */
  from: number;
  until: number;
  /** When the first and the last of its runs was due: lists of runs and replays select by that. */
  dueFrom: number;
  dueUntil: number;
  failed: number;
  interrupted: number;
  /** Due times that were missed. */
  missed: number;
  /** How many jobs missed due times in an outage; null for a job. */
  jobs: number | null;
  /** Its newest run; of an outage, the newest one that was missed if one was. */
  last: BadRun;
  /** What the job is now; null for an outage. */
  now: ListedJob['health'] | 'paused' | null;
  /** Since when the job is down; null if it is not. */
  since: number | null;
}

/** Outages of one cause with less between them are one. So long after jobd was away, it may close what that broke off. */
const sameOutageMs = 2 * 60_000;
/** Runs that were closed with less between them, for one cause, were broken off together; a stop lasts no longer. */
const sameBreakMs = 10_000;
/** Runs of one job with less between them are one row. */
const sameStreakMs = 60 * 60_000;

/** Rows that are being made. */
export interface TroubleRows {
  /** Takes the next run, the newest first. Returns false, and does nothing, if that would be one row too many. */
  add(run: BadRun, job: JobNow): boolean;
  rows(): Trouble[];
}

/** Groups runs into at most `limit` rows of a kind, or of all, to be told at `now`. Each run of these kinds is in one of them. */
export function groupTrouble(limit: number, now: number, kind?: TroubleKind | null): TroubleRows {
  const open: Trouble[] = [];
  const byJob = new Map<string, Trouble>();
  const outages: Trouble[] = [];
  const missedJobs = new Map<Trouble, Set<string>>();

  function begin(run: BadRun, times: Times, job: JobNow | null): Trouble | null {
    if (open.length === limit) return null;
    const row = rowOf(run, times, job);
    open.push(row);
    if (job === null) outages.push(row);
    else byJob.set(run.jobId, row);
    return row;
  }

  function countJobs(row: Trouble, { jobId, missed }: BadRun): void {
    if (row.jobs === null || missed === undefined) return;
    const jobs = missedJobs.get(row) ?? new Set();
    missedJobs.set(row, jobs.add(jobId));
    row.jobs = jobs.size;
  }

  return {
    add(run, job) {
      const isOutage = isOfJobd(run);
      if (kind && (kind === 'outage') !== isOutage) return true;
      const times = isOutage ? hinderedTimes(run, now) : dueTimes(run);
      const known = isOutage
        ? outages.findLast((row) => isSameOutage(row, { ...times, last: run }))
        : ofSameStreak(byJob.get(run.jobId), run, job);
      const row = known ?? begin(run, times, isOutage ? null : job);
      if (row === null) return false;
      count(row, run, times);
      countJobs(row, run);
      return true;
    },
    rows: () => open,
  };
}

/** Whether jobd was the cause: not the target, nor a run of the job before. */
function isOfJobd({ status, reason }: BadRun): boolean {
  return status === 'interrupted' || (status === 'missed' && reason !== 'busy');
}

type Times = Pick<Trouble, 'from' | 'until'>;
type Hindered = Pick<Trouble, 'from' | 'until' | 'last'>;

function rowOf(run: BadRun, times: Times, job: JobNow | null): Trouble {
  const { id, scheduledFor: dueFrom } = run;
  const none = { id, dueFrom, dueUntil: dueFrom, failed: 0, interrupted: 0, missed: 0 };
  if (job === null) {
    return { kind: 'outage', ...times, ...none, jobs: 0, last: run, now: null, since: null };
  }
  const { health, paused, failingSince } = job;
  const now = paused ? 'paused' : health;
  const since = health === 'down' ? failingSince : null;
  return { kind: 'job', ...times, ...none, jobs: null, last: run, now, since };
}

/** For how long jobd was kept from calling; where that is not known, until it was recorded, unless the clock was ahead then. */
function hinderedTimes({ id, scheduledFor, finishedAt, missed }: BadRun, now: number): Times {
  if (missed === undefined) {
    const noticedAt = finishedAt === null || finishedAt > now ? scheduledFor : finishedAt;
    return { from: noticedAt, until: noticedAt };
  }
  const { first, last, from, until } = missed;
  const noticed = until ?? Math.max(last, timeOfId(id));
  const end = noticed > now ? last : noticed;
  return { from: Math.min(from ?? first, end), until: end };
}

function dueTimes({ scheduledFor, missed }: BadRun) {
  return { from: scheduledFor, until: missed?.last ?? scheduledFor };
}

function isSameOutage(row: Hindered, its: Hindered): boolean {
  const [known, run] = [row.last, its.last];
  if (run.missed === undefined && known.missed !== undefined) return isBrokenOff(its, row);
  if (run.missed !== undefined && known.missed === undefined) return isBrokenOff(row, its);
  if (run.reason !== known.reason) return false;
  if (run.missed === undefined)
    return run.detail === known.detail && areNear(row, its, sameBreakMs);
  // Where it is known from when to when, jobd called what was due between two.
  const isKnown = run.missed.from !== null && known.missed?.from !== null;
  return areNear(row, its, isKnown ? 0 : sameOutageMs);
}

function areNear(row: Times, { from, until }: Times, gapMs: number): boolean {
  return from <= row.until + gapMs && until >= row.from - gapMs;
}

/** Whether a run was broken off by an outage: it began before its end, and was closed within it, or at the next start of jobd. */
function isBrokenOff({ last: run, ...closed }: Hindered, { last, from, until }: Hindered): boolean {
  const wasAway = last.reason === 'not_running' || last.reason === 'not_serving';
  const [earlierMs, laterMs] = wasAway ? [sameBreakMs, sameOutageMs] : [0, 0];
  const isWithin = closed.from >= from - earlierMs && closed.until <= until + laterMs;
  return isWithin && (run.startedAt ?? run.scheduledFor) <= until;
}

/** All since the job went down are one row, however long that lasts. */
function ofSameStreak(row: Trouble | undefined, run: BadRun, job: JobNow): Trouble | undefined {
  if (row === undefined) return undefined;
  const isNear = row.from - dueTimes(run).until <= sameStreakMs;
  const isDown = job.health === 'down' && job.failingSince !== null;
  const isOfNow = isDown && (run.finishedAt ?? run.scheduledFor) >= (job.failingSince ?? 0);
  return isNear || isOfNow ? row : undefined;
}

function count(row: Trouble, run: BadRun, { from, until }: Times): void {
  row.id = run.id;
  // What was missed says more about an outage than what it broke off.
  if (row.kind === 'outage' && row.missed === 0 && run.missed !== undefined)
    Object.assign(row, { last: run, from, until });
  else if (run.missed !== undefined || row.missed === 0 || row.kind === 'job') {
    row.from = Math.min(row.from, from);
    row.until = Math.max(row.until, until);
  }
  row.dueFrom = Math.min(row.dueFrom, run.scheduledFor);
  row.dueUntil = Math.max(row.dueUntil, run.scheduledFor);
  if (run.status === 'failed') row.failed += 1;
  else if (run.missed === undefined) row.interrupted += 1;
  else row.missed += run.missed.count;
}

/** Which runs an outage made missed or interrupted, as lists of runs and replays are asked for them; moments are ISO 8601. */
export function runsOfOutage({ dueFrom, dueUntil }: { dueFrom: string; dueUntil: string }) {
  const until = isoTime(Date.parse(dueUntil) + 1);
  return { since: dueFrom, until, status: 'missed,interrupted' };
}

/** The command that calls again what an outage made missed or interrupted. */
export function replayCommand(row: Parameters<typeof runsOfOutage>[0]): string {
  const { since, until, status } = runsOfOutage(row);
  return `jobd runs replay --since ${since} --until ${until} --status ${status}`;
}

/** What is said of a row: its counts, and why its newest run was no success. */
interface ToldTrouble extends Pick<Trouble, 'failed' | 'interrupted' | 'missed' | 'jobs'> {
  last: { why?: Pick<WhyDocument, 'reason' | 'detail'>; httpStatus: number | null };
}

function whyOf({ why, httpStatus }: ToldTrouble['last']) {
  const { reason = null, detail = null } = why ?? {};
  return { reason, detail, httpStatus };
}

/** What jobd was doing in an outage, as a clause: `jobd was not running`. */
export function outageReason({ last }: Pick<ToldTrouble, 'last'>): string {
  return becauseOf(whyOf(last)).replace(/,$/, '');
}

/** A row in words, without its times and the name of its job: `jobd was not running: 97 jobs missed 112 due times`. */
export function troubleText({ last, ...row }: ToldTrouble): string {
  const { failed, interrupted, missed, jobs } = row;
  const why = whyOf(last);
  const because = outageReason({ last });
  const broken = `${counted(interrupted, 'run')} ${interrupted === 1 ? 'was' : 'were'} interrupted`;
  const times = counted(missed, 'due time');
  if (jobs === null) {
    const failures = failed === 1 ? 'failed once' : `failed ${failed} times`;
    const told = [failed > 0 && failures, missed > 0 && `missed ${times}`].filter(Boolean);
    return `${told.join(', ')}: ${why.reason === 'busy' ? because : errorOf(why)}`;
  }
  if (missed === 0) return `${broken}: ${because}`;
  const also = interrupted === 0 ? '' : `, ${broken}`;
  return `${because}: ${counted(jobs, 'job')} missed ${times}${also}`;
}
