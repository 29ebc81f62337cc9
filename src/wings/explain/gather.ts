/** Why a job ran, did not run or ran late at a time. Every query is bounded and uses an index. */

import { auditRetention } from '../../domain/accounts/audit.ts';
import type { AuditEntry } from '../../domain/accounts/audit.ts';
import { isAboutRun } from '../../domain/alerts/alert.ts';
import { mostChannels, serves } from '../../domain/alerts/channel.ts';
import { msPerDay } from '../../domain/clock.ts';
import { readAskedTime } from './reasons/asked-time.ts';
import type { AskedTime } from './reasons/asked-time.ts';
import { explain, focusOf } from './reasons/explain.ts';
import type { Explanation, JobTrail, Records } from './reasons/facts.ts';
import { isChainedAt } from './reasons/held-then.ts';
import { latenessOfRun, onTimeMs } from './reasons/of-lateness.ts';
import { isRunOf } from './reasons/outcome.ts';
import { timeOfId } from '../../domain/id.ts';
import { longestChain } from '../../domain/jobs/after-words.ts';
import { hostOf } from '../../domain/jobs/job.ts';
import { nodesKeptMs } from '../../domain/nodes.ts';
import type { RunSummary } from '../../domain/runs/run.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import { listAuditEntries } from '../../store/accounts/audit.ts';
import { findTerms } from '../../store/accounts/expiry.ts';
import { findChannelsOf } from '../../store/alerts/channels.ts';
import { listDeliveriesAbout } from '../../store/alerts/deliveries.ts';
import type { Db } from '../../store/database/store.ts';
import { listServedTimes } from '../../store/nodes/nodes.ts';
import { findOldestDueTime, listHistory } from '../../store/runs/history.ts';
import { countInFlight } from '../../store/runs/in-flight.ts';
import { findRun } from '../../store/runs/runs.ts';
import { findJob } from '../../store/jobs/jobs.ts';
import type { App, Principal } from '../../app/app.ts';
import { requireJob } from '../../app/jobs/keep-job.ts';

/** Runs of the job that are looked at before a time. */
const runsRead = 200;
/** Changes of the job: pages of so many. */
const changesRead = 500;
const changePages = 4;
const nodesRead = 1_000;
const deliveriesRead = 20;
/** Runs by hand in an explanation of now. */
const mostByHand = 3;
/** Three attempts with the longest timeouts and waits take less. */
const longestRunMs = 6 * 60_000;

/**
 * Explains the newest due time of a job, or the one at a time that a person gives: RFC 3339, or a local time in the zone of the
 * job, or in that of the first job of its chain. Who changed the job is told only to those who may read the audit trail.
 * Throws `not_found` and `invalid_input`.
 */
export async function explainJob(
  app: App,
  principal: Principal,
  id: string,
  text: string | null,
): Promise<Explanation> {
  const { store, clock, instance } = app;
  const { db } = store;
  const kept = await requireJob(db, principal, id);
  const now = clock.now();
  const trail = await trailOf(db, principal, kept, now);
  const { job, asked } = await inZone(db, kept, trail, { text, now });
  const minute = Math.floor(asked.at / 60_000) * 60_000;
  const newest = await runsUpTo(db, job.id, asked.form === 'now' ? now : minute + 59_999);
  const focus = focusOf(job, trail, asked, newest.find(isScheduled)?.scheduledFor ?? null);
  const { dueAt } = focus;
  const runs = dueAt === null ? [] : await runsUpTo(db, job.id, dueAt);
  const run = runs.find((one) => isScheduled(one) && isRunOf(one, dueAt ?? 0)) ?? null;
  const [terms] = (await findTerms(db, [principal.workspaceId])).values();
  const since = run?.scheduledFor ?? dueAt ?? now;
  const records: Omit<Records, 'inFlight'> = {
    now,
    asked,
    job,
    trail,
    account: {
      plan: terms?.plan ?? 'free',
      expiresAt: terms?.expiresAt ?? null,
      renewedAt: terms?.renewedAt ?? null,
    },
    run,
    previous: runs.find((one) => one.scheduledFor < since && one.status !== 'missed') ?? null,
    manual: newest.filter(
      ({ source, scheduledFor }, index) =>
        source === 'manual' &&
        (scheduledFor >= minute ||
          // They are newer than what became of the newest due time.
          (asked.form === 'now' &&
            index < mostByHand &&
            !newest.slice(0, index).some(isScheduled))),
    ),
    active:
      job.activeRunId === null ? null : ((await findRun(db, job.id, job.activeRunId)) ?? null),
    firstJob: await firstJobOf(db, job),
    oldestKept: (await findOldestDueTime(db, job.id)) ?? null,
    slots: app.slots,
    startedAt: instance.startedAt,
    served: since < now - nodesKeptMs ? null : await listServedTimes(db, nodesRead),
    deliveries: run === null ? [] : await deliveriesAbout(db, principal, job, run),
    isWatched: await isWatched(db, principal, job.id),
    target: await app.judgeTarget(job.url),
    troubles: app.health.troubles().map(({ detail }) => detail),
  };
  return explain({ ...records, inFlight: await inFlightDuring(db, job, records, dueAt) }, focus);
}

/**
 * The job and the time that was asked about, in the zone that people know. A job that runs after another one has a schedule
 * that does not count, and often a zone that nobody set: it has that of the first job of its chain.
 */
async function inZone(
  db: Db,
  job: SealedJob,
  trail: JobTrail,
  { text, now }: { text: string | null; now: number },
): Promise<{ job: SealedJob; asked: AskedTime }> {
  const chained = { ...job, timezone: await zoneOfChain(db, job) };
  const asked = readAskedTime('at', text, { zone: chained.timezone, now });
  if (job.after !== null && isChainedAt(job, trail, asked.at)) return { job: chained, asked };
  return { job, asked: readAskedTime('at', text, { zone: job.timezone, now }) };
}

async function zoneOfChain(db: Db, job: SealedJob): Promise<string> {
  let first = job;
  for (let length = 1; first.after !== null && length < longestChain; length += 1) {
    const firstJob = await findJob(db, job.workspaceId, first.after.jobId);
    if (firstJob === undefined) break;
    first = firstJob;
  }
  return first.timezone;
}

async function firstJobOf(
  db: Db,
  { id, workspaceId, after }: SealedJob,
): Promise<Records['firstJob']> {
  const firstJob = after === null ? undefined : await findJob(db, workspaceId, after.jobId);
  if (firstJob === undefined) return null;
  const page = { statuses: null, before: null, downTo: null, limit: 1 };
  const [run = null] = await listHistory(db, firstJob.id, page);
  const { name, paused } = firstJob;
  const isChained = firstJob.after !== null;
  const startedRunId = run === null ? null : await findStartedBy(db, id, run);
  return { name, paused, isChained, run, startedRunId };
}

/** The run of a job that the end of another job's run started, among the newest. */
async function findStartedBy(db: Db, jobId: string, cause: RunSummary): Promise<string | null> {
  const downTo = { scheduledFor: cause.scheduledFor, source: 'manual' as const };
  const page = { statuses: null, before: null, downTo, limit: runsRead };
  const runs = await listHistory(db, jobId, page);
  return runs.find(({ causedBy }) => causedBy?.runId === cause.id)?.id ?? null;
}

function isScheduled({ source }: RunSummary): boolean {
  return source === 'scheduled';
}

async function runsUpTo(db: Db, jobId: string, until: number): Promise<RunSummary[]> {
  const before = { scheduledFor: until + 1, source: 'manual' as const };
  return await listHistory(db, jobId, { statuses: null, before, downTo: null, limit: runsRead });
}

/** The changes of a job, as far back as they can be read at once. */
async function trailOf(
  db: Db,
  { workspaceId, permission }: Principal,
  { id: subjectId }: SealedJob,
  now: number,
): Promise<JobTrail> {
  const entries: AuditEntry[] = [];
  let before: number | null = null;
  let isWhole = false;
  for (let page = 0; page < changePages && !isWhole; page += 1) {
    const read = await listAuditEntries(db, workspaceId, { subjectId, before, limit: changesRead });
    entries.push(...read);
    before = read.at(-1)?.number ?? null;
    isWhole = read.length < changesRead;
  }
  const changes = entries
    .filter(({ action }) => action !== 'job.run' && action !== 'job.complete')
    .map(({ at, action, fields, actor }) => ({
      at,
      action,
      fields,
      who: permission === 'write' ? nameOf(actor) : null,
    }));
  const oldest = entries.at(-1);
  // No entry of the last days is pushed out by newer ones.
  const kept = now - auditRetention.youngDays * msPerDay;
  const completeSince = isWhole
    ? oldest?.action === 'job.create'
      ? 0
      : Math.min(oldest?.at ?? kept, kept)
    : (oldest?.at ?? kept);
  return { changes, completeSince };
}

function nameOf({ type, id, name }: AuditEntry['actor']): string {
  return `${type} ${name === '' ? id : name}`;
}

async function deliveriesAbout(
  db: Db,
  { workspaceId }: Principal,
  { id: subjectId }: SealedJob,
  run: RunSummary,
): Promise<Records['deliveries']> {
  // A missed run has no end: its id says when it was recorded.
  const from = (run.finishedAt ?? timeOfId(run.id)) - 1_000;
  const page = { from, limit: deliveriesRead };
  const found = await listDeliveriesAbout(db, { workspaceId, subjectId }, page);
  return found.filter(({ payload }) => isAboutRun(payload, run.id));
}

async function isWatched(db: Db, { workspaceId }: Principal, id: string): Promise<boolean> {
  const page = { after: '', limit: mostChannels };
  const channels = await findChannelsOf(db, workspaceId, page);
  return channels.some((one) => one.enabled && serves(one, { type: 'job', id }));
}

/** The calls in flight in the middle of the time for which the job waited; null if it did not wait. */
async function inFlightDuring(
  db: Db,
  { workspaceId, url }: SealedJob,
  records: Pick<Records, 'run' | 'now'>,
  dueAt: number | null,
): Promise<Records['inFlight']> {
  const { run, now } = records;
  if (dueAt === null || dueAt > now || run?.status === 'missed') return null;
  const until = run === null ? Math.min(now, dueAt + 60_000) : (run.startedAt ?? dueAt);
  if (run !== null && (latenessOfRun({ run }) ?? 0) < onTimeMs) return null;
  const at = Math.floor((dueAt + until) / 2);
  const since = at - longestRunMs;
  const except = run?.id ?? null;
  return await countInFlight(db, workspaceId, { at, since, host: hostOf(url), except });
}
