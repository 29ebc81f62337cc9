/** What is checked when all faults are over and time enough has passed: everything came to its end, and the books are right. */

import type { RunStatus } from '../../src/domain/runs/run.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { Store } from '../../src/store/database/store.ts';
import { changesIn, wrongIn, wrongOfFlapping } from '../support/checks/alert-truth.ts';
import type { Change, Heard } from '../support/checks/alert-truth.ts';
import { ledgersIn, wrongIn as wrongInLedgers } from '../support/checks/ledger.ts';
import type { Disk } from './disk.ts';
import type { People } from './people.ts';
import type { Rules } from './rules.ts';
import type { Targets } from './targets.ts';
import { world } from './world.ts';

/** What is compared with each other. */
export interface Books {
  disk: Disk;
  rules: Rules;
  people: People;
  targets: Targets;
  /** Where alerts go: after how many failures in a row. */
  receivers: readonly (readonly [path: string, afterFailures: number])[];
  /** Whether results may have been removed, as the plan keeps few. */
  isPruned: boolean;
  /** Whether nothing delays alerts. */
  isCalm: boolean;
  /** Whether people muted jobs: missed and interrupted runs of then are in no digest. */
  isMuted: boolean;
  /** Whether a clock was set: what one that was ahead missed may be taken back, and is reported all the same. */
  isClockSet: boolean;
}

/** A health change is alerted if the one before is longer ago. */
const windowMs = 35_000;

/** Whether something is still on its way. */
export function isBusy({ disk }: Pick<Books, 'disk'>): boolean {
  const open = `select (select count(*) from outbox) + (select count(*) from deliveries where status = 'pending')
    + (select count(*) from alert_states where held is not null) as count`;
  return (rows<{ count: number }>(disk, open)[0]?.count ?? 0) > 0;
}

/** Fails with what is wrong. */
export async function requireRest(store: Store, clock: Clock, books: Books): Promise<void> {
  const { disk } = books;
  const now = clock.now();
  const wrong = [
    ...rows<object>(disk, 'pragma foreign_key_check').map(
      (row) => `sqlite: ${JSON.stringify(row)}`,
    ),
    ...left(books, now),
    ...totals(books),
    ...jobHealth(books),
    ...states(books),
    ...both(books),
    ...madeUp(books),
    ...replayed(books),
    ...alerts(books),
    ...attempts(books),
    ...digests(books),
    ...results(books),
    ...promises(books),
    ...wrongInLedgers(await ledgersIn(store.db, clock)).map((what) => `ledger: ${what}`),
  ];
  for (const what of wrong) world().fail('at rest', what);
}

function rows<Row>({ database }: Disk, sql: string, ...of: unknown[]): Row[] {
  return database.prepare(sql).all(...of) as Row[];
}

/** The jobs that are not deleted. */
function liveJobs({ disk }: Books): Set<string> {
  return new Set(
    rows<{ id: string }>(disk, 'select id from jobs where deleted_at is null').map(({ id }) => id),
  );
}

/** Nothing is left behind. */
function left({ disk, rules }: Books, now: number): string[] {
  const stuck = `select id from runs
    where status in ('queued', 'running') and coalesce(started_at, scheduled_for) < ?`;
  const due = `select id from jobs where next_run_at < ? and active_run_id is null`;
  // A schedule that is over has adjustments.
  const unplanned = `select id from jobs where deleted_at is null and paused = 0
    and after_job_id is null and next_run_at is null and adjustments is null`;
  const ids = (sql: string, ...of: unknown[]) => rows<{ id: string }>(disk, sql, ...of);
  return [
    ...ids(stuck, now - 200_000).map(({ id }) => `run-7: run ${id} never ends`),
    ...rules.begunBefore(world().now - 200_000).map((id) => `run-7: run ${id} waits too long`),
    ...ids(due, now - 5_000).map(({ id }) => `schedule-4: job ${id} is due and not called`),
    ...ids(unplanned).map(({ id }) => `job-7: job ${id} has no due time`),
  ];
}

/** The totals of a job are those of its runs that are kept, and each run that ended is kept unless the plan keeps few. */
function totals({ disk, rules, isPruned }: Books): string[] {
  const statuses = ['success', 'failed', 'interrupted', 'missed'] as const;
  const sums = statuses.map(
    (status) => `select id, '${status}' as status, total_${status} as total,
      (select count(*) from runs where job_id = jobs.id and status = '${status}') as kept
      from jobs where deleted_at is null`,
  );
  type Sum = { id: string; status: string; total: number; kept: number };
  const ended = Map.groupBy(rules.ends.values(), ({ jobId, status }) => `${jobId} ${status}`);
  return rows<Sum>(disk, sums.join(' union all ')).flatMap(({ id, status, total, kept }) => {
    const count = ended.get(`${id} ${status}`)?.length ?? 0;
    const isRight = total === kept && (isPruned || status === 'missed' || kept === count);
    return isRight
      ? []
      : [`totals: job ${id} has ${kept} ${status} of ${count}, its total is ${total}`];
  });
}

/** job-8: health is that of the last outcome. */
function jobHealth({ disk, rules }: Books): string[] {
  type Job = { id: string; health: string; failures: number };
  const jobs = rows<Job>(disk, 'select id, health, failures from jobs where deleted_at is null');
  const ends = Map.groupBy(rules.outcomes, ({ jobId }) => jobId);
  return jobs.flatMap(({ id, health, failures }) => {
    const its = ends.get(id) ?? [];
    const last = its.at(-1)?.status;
    const expected = last === undefined ? 'new' : last === 'success' ? 'up' : 'down';
    const inRow = its.length - 1 - its.findLastIndex(({ status }) => status === 'success');
    const seen = `${health} after ${failures} failures`;
    const wanted = `${expected} after ${inRow} failures`;
    return seen === wanted ? [] : [`job-8: job ${id} is ${seen}, not ${wanted}`];
  });
}

/** The state of a run is the one that it ended with, and that of a call that arrived or did not. */
function states({ disk, rules }: Books): string[] {
  const runs = rows<{ id: string; status: RunStatus }>(disk, 'select id, status from runs');
  return runs.flatMap(({ id, status }) => {
    const sent = rules.sent.get(id) ?? 0;
    const ended = rules.ends.get(id)?.status ?? status;
    if (ended !== status) return [`run-7: run ${id} ended ${ended}, and is ${status}`];
    if (status === 'success' && sent === 0)
      return [`run-1: run ${id} is success, and never arrived`];
    if (sent > 0 && (status === 'missed' || status === 'queued'))
      return [`run-1: run ${id} is ${status}, and arrived`];
    return [];
  });
}

/** schedule-6: no due time was called, and is in a missed run. */
function both({ disk }: Books): string[] {
  const twice = `select missed.id as missed, called.id as called from runs as missed
    join runs as called on called.job_id = missed.job_id and called.source = 'scheduled'
      and called.status <> 'missed' and called.scheduled_for > missed.scheduled_for
      and called.scheduled_for <= missed.last_due_at
    where missed.status = 'missed'`;
  return rows<{ missed: string; called: string }>(disk, twice).map(
    ({ missed, called }) => `schedule-6: run ${called} was called, and is in missed run ${missed}`,
  );
}

/**
 * makeup-2: one run at most makes up for a missed one, for its newest due time; later ones were taken back, when a clock that was ahead
 * was set right. That none of them was called, `both` says.
 */
function madeUp({ disk }: Books): string[] {
  const wrong = `select made.id, missed.id as missed from runs as missed
    join runs as made on made.cause_run_id = missed.id and made.job_id = missed.job_id
    where made.due_at < coalesce(missed.last_due_at, missed.scheduled_for)
      or exists (select 1 from runs as other where other.job_id = made.job_id
        and other.id <> made.id and other.cause_run_id = missed.id)`;
  return rows<{ id: string; missed: string }>(disk, wrong).map(
    ({ id, missed }) => `makeup-2: run ${id} makes up for ${missed}`,
  );
}

/** replay-3: a due time that succeeded is called again only if that was asked for. Runs of a chain may be caused again. */
function replayed({ disk, people }: Books): string[] {
  const succeeded = `select id, job_id || ' ' || coalesce(due_at, scheduled_for) as due from runs
    where status = 'success' and (source = 'scheduled' or due_at is not null)
      and (cause_job_id is null or cause_job_id = job_id)`;
  const its = rows<{ id: string; due: string }>(disk, succeeded);
  const unasked = its.filter(({ id }) => !people.forced.has(id));
  return [...Map.groupBy(unasked, ({ due }) => due)].flatMap(([due, [first, second]]) =>
    second === undefined
      ? []
      : [`replay-3: due time ${due} succeeded in ${first?.id} and ${second.id}`],
  );
}

const givenUp = `select subject_id as id from deliveries where status = 'failed'`;
const alertsGivenUp = `${givenUp} and channel_id = (select id from channels where name = ?)`;

/** Each health change is alerted of once, and the last one too. */
function alerts(books: Books): string[] {
  const live = liveJobs(books);
  return books.receivers.flatMap(([path, afterFailures]) => {
    // A day went by at once, and an alert that was still refused was given up.
    const ended = new Set(
      rows<{ id: string }>(books.disk, alertsGivenUp, path).map(({ id }) => id),
    );
    const isKept = ({ jobId }: { jobId: string }): boolean => live.has(jobId) && !ended.has(jobId);
    const outcomes = books.rules.outcomes.filter(isKept);
    // The last alert is the last recovery, however many failures came before it.
    const changes = changesIn(outcomes, afterFailures, 1);
    const heard = (books.targets.heard.get(path) ?? []).filter(isKept);
    const all = changesIn(outcomes, afterFailures);
    const wrong = books.isCalm ? wrongOfCalm(all, heard, books) : [];
    return [...wrong, ...wrongOfFlapping(changes, heard)].map((what) => `alerts: ${path}: ${what}`);
  });
}

/** Of jobs whose health changes seldom, each change is alerted of. */
function wrongOfCalm(
  changes: readonly Change[],
  heard: readonly Heard[],
  { rules }: Books,
): string[] {
  const atOf = new Map(rules.outcomes.map(({ id, at }) => [id, at]));
  const flapping = new Set<string>();
  const lastOf = new Map<string, number>();
  for (const { jobId, runId } of changes) {
    const at = atOf.get(runId) ?? 0;
    if (at - (lastOf.get(jobId) ?? -Infinity) < windowMs) flapping.add(jobId);
    lastOf.set(jobId, at);
  }
  const isCalm = ({ jobId }: { jobId: string }): boolean => !flapping.has(jobId);
  return wrongIn(changes.filter(isCalm), heard.filter(isCalm));
}

/** Each attempt of a delivery is kept, and only the last one arrived. */
function attempts({ disk }: Books): string[] {
  const wrong = `select id, status, attempts, kept, errors from (
      select id, status, attempts,
        (select count(*) from delivery_attempts where delivery_id = deliveries.id) as kept,
        (select count(*) from delivery_attempts where delivery_id = deliveries.id and error is not null) as errors
      from deliveries)
    where kept <> attempts or (status = 'delivered' and errors <> attempts - 1)`;
  return rows<object>(disk, wrong).map((row) => `deliveries: ${JSON.stringify(row)}`);
}

/**
 * Each missed and each interrupted run is in one digest, or gathered for the next one. Of deleted jobs some are not, and some missed ones
 * were taken back since: a clock was ahead.
 */
function digests({ disk, rules, targets, people, isPruned, isMuted, isClockSet }: Books): string[] {
  if ([...people.jobs.values()].some(({ deletion }) => deletion !== 'none')) return [];
  if (rules.deleted.size > 0) return [];
  const missed =
    rows<{ count: number }>(disk, "select count(*) as count from runs where status = 'missed'")[0]
      ?.count ?? 0;
  const interrupted = [...rules.ends.values()].filter(
    ({ status }) => status === 'interrupted',
  ).length;
  const recorded = isPruned ? { interrupted } : { interrupted, missed };
  return Object.entries(recorded).flatMap(([status, count]) => {
    const sent = new Map(
      targets.posted
        .filter(({ type }) => type === `job.${status}`)
        .map((one) => [one.webhookId, one.count]),
    );
    const waiting = rows<{ count: number }>(
      disk,
      `select coalesce(sum(gathered ->> 'count'), 0) as count from digests where event = ?`,
      `job.${status}`,
    );
    const reported = [...sent.values()].reduce((sum, one) => sum + one, waiting[0]?.count ?? 0);
    const isTakenBack = isClockSet && status === 'missed' && reported > count;
    return reported === count || isTakenBack || (isMuted && reported < count)
      ? []
      : [`digests: ${count} runs are ${status}, and ${reported} reported`];
  });
}

/** Each run that is over is posted at least once, under one id, as it is in the end. */
function results(books: Books): string[] {
  const { rules, people, targets } = books;
  const live = liveJobs(books);
  const posted = Map.groupBy(
    targets.posted.filter(({ type }) => type === 'run.finished'),
    ({ runId }) => runId,
  );
  const wrong = [...posted].flatMap(([runId, its]) => {
    const [first] = its;
    const isSame = its.every(
      (one) => one.webhookId === first?.webhookId && one.body === first.body,
    );
    const ended = rules.ends.get(runId)?.status ?? 'missed';
    return isSame && first?.status === ended
      ? []
      : [
          `results: run ${runId} is ${ended}, and was posted as ${its.map(({ webhookId, status }) => `${webhookId} ${status}`).join()}`,
        ];
  });
  const ended = new Set(rows<{ id: string }>(books.disk, givenUp).map(({ id }) => id));
  for (const [runId, { jobId }] of rules.ends) {
    if (ended.has(runId)) continue;
    if (people.jobs.get(jobId)?.isPosted !== true || !live.has(jobId)) continue;
    if (posted.get(runId)?.some(({ isAcknowledged }) => isAcknowledged) !== true)
      wrong.push(`results: run ${runId} was not posted`);
  }
  return wrong;
}

/** A report is kept, and its run ends by the next looks of the nodes. */
const recordedMs = 5_000;

/** What was acknowledged is kept. */
function promises({
  disk,
  rules,
  people: { jobs, runs },
  targets: { reported, progress },
  isPruned,
}: Books): string[] {
  type Job = { id: string; notes: string; deleted_at: number | null };
  const jobOf = new Map(
    rows<Job>(disk, 'select id, notes, deleted_at from jobs').map((job) => [job.id, job]),
  );
  const isThere = (id: string): boolean => jobOf.get(id)?.deleted_at === null;
  const wrong: string[] = [];
  for (const { id, notes, notesAsked, deletion } of jobs.values()) {
    if (deletion === 'none' && !isThere(id) && rules.deleted.get(id) !== true)
      wrong.push(`once-4: job ${id} was acknowledged and is gone`);
    if (deletion === 'done' && isThere(id)) wrong.push(`job ${id} was deleted and is there`);
    const kept = Number(jobOf.get(id)?.notes ?? notes);
    if (kept < notes || kept > notesAsked)
      wrong.push(`notes of ${id} are ${kept}, acknowledged ${notes}`);
  }
  type Kept = { id: string; status: RunStatus; http_status: number | null };
  const kept = rows<Kept>(disk, 'select id, status, http_status from runs');
  const statusOf = new Map(kept.map(({ id, status }) => [id, status]));
  // Where the answer was another one, that decides (report-3).
  const decided = new Set(kept.filter((run) => run.http_status !== 202).map(({ id }) => id));
  for (const { jobId, runId } of runs.values()) {
    if (runId !== null && isThere(jobId) && !statusOf.has(runId) && !isPruned)
      wrong.push(`run-6: run ${runId} was acknowledged and is gone`);
  }
  for (const [runId, { kept: least, asked }] of progress) {
    const [row] = rows<{ line: string | null }>(
      disk,
      'select progress_line as line from reports where run_id = ?',
      runId,
    );
    const line = Number(row?.line ?? least);
    if (line < least || line > asked)
      wrong.push(`report-8: progress of ${runId} is ${line}, acknowledged ${least}`);
  }
  for (const [runId, { status, at }] of reported) {
    const ended = statusOf.get(runId) ?? 'gone';
    const isNew = ended === 'running' && world().now - at < recordedMs;
    const mayDiffer = isNew || ended === 'gone' || ended === 'interrupted' || decided.has(runId);
    if (ended !== status && !mayDiffer)
      wrong.push(`report: run ${runId} is ${ended}, reported ${status}`);
  }
  return wrong;
}
