/**
 * What is checked while a history goes on, by the names of docs/behavior.md: at each commit what is committed, and at each arrival
 * that its call was allowed. `rest.ts` has what is checked in the end.
 */

import type { Statement } from 'better-sqlite3';
import type { RunStatus } from '../../src/domain/runs/run.ts';
import {
  coverOf,
  mutesAt,
  periodAfter,
  type Window,
  type WindowEffect,
} from '../../src/domain/windows.ts';
import type { EndedRun } from '../support/checks/alert-truth.ts';
import { endAt } from '../support/records/window.ts';
import type { Disk } from './disk.ts';
import type { Arrival } from './targets.ts';
import { current, world } from './world.ts';

/** A run under way, as it is committed. */
interface Active {
  id: string;
  job_id: string;
  due_at: number;
  since: number;
  node_id: string | null;
  paused: number;
  attempts: number;
  is_manual: number;
  is_chained: number;
  is_make_up: number;
  is_followed: number;
  is_deleted: number;
  is_once: number;
  expires_at: number | null;
}

const expiry = `(select expires_at from workspaces join accounts on accounts.id = account_id
  where workspaces.id = jobs.workspace_id)`;

const everyActive = `
  select active_run_id as id, jobs.id as job_id, active_for as due_at, active_since as since,
    active_node_id as node_id, paused, coalesce(attempts, 1) as attempts,
    source is 'manual' as is_manual, cause_run_id is not null as is_chained,
    cause_job_id = jobs.id as is_make_up,
    exists (select 1 from jobs as follower
      where follower.after_job_id = jobs.id and follower.deleted_at is null) as is_followed,
    deleted_at is not null as is_deleted, ${expiry} as expires_at,
    coalesce(adjustments, '') like '%"runAt"%' as is_once
  from jobs left join runs on runs.id = active_run_id
  where active_run_id is not null`;

/** What is kept of a run that is over. */
interface Ended {
  status: RunStatus;
  reason: string | null;
  started_at: number | null;
  finished_at: number | null;
  expires_at: number | null;
  is_deleted: number;
  has_waited: number;
}

const endedRun = `select status, reason, runs.started_at, runs.finished_at, ${expiry} as expires_at,
    jobs.deleted_at is not null as is_deleted,
    exists (select 1 from reports
      where run_id = runs.id and accepted_at is not null) as has_waited
  from runs join jobs on jobs.id = job_id where runs.id = ?`;

/** An alert of a health change. */
interface Delivery {
  place: number;
  about_id: string;
  event: string;
  created_at: number;
}

const newDeliveries = `select rowid as place, about_id, event, created_at from deliveries
  where rowid > ? and event in ('job.failed', 'job.recovered') order by rowid`;

/** A deleted job, and whether it may have deleted itself as it is due no more and nothing needs it. */
interface Deleted {
  id: string;
  is_spent: number;
}

const deletedJobs = `select id, delete_after_seconds is not null and adjustments is not null
    and paused = 0 and after_job_id is null and next_run_at is null and active_run_id is null
    and not exists (select 1 from runs where job_id = jobs.id and status = 'queued')
    and not exists (select 1 from jobs as follower
      where follower.after_job_id = jobs.id and follower.deleted_at is null) as is_spent
  from jobs where deleted_at is not null`;

const totalChanges = 'select total_changes() as changes';

/** How long after its due time a call may begin, and two clocks may differ. */
const latestStartMs = 60_000;
/** Runs that end within some milliseconds are recorded together, and a change waits for a run in steps of 25 ms. */
const promptMs = 400;

/** Which rules hold in a history. */
export interface Circumstances {
  /** Nothing disturbs, and nobody waits for a slot. */
  isPunctual: boolean;
  /** Processes end, or stand still, or cannot renew their leases. */
  mayInterrupt: boolean;
  /** Runs may have been removed: then nothing says that their due times were called. */
  isPruned: boolean;
  /** People mute jobs, and jobs delete themselves. */
  isMuted: boolean;
  isSpent: boolean;
  /** Names of the nodes that lead, as they see it. */
  readonly leaders: () => readonly string[];
}

export class Rules {
  /** Runs that are committed as under way. */
  #active = new Map<string, Active>();
  /** Jobs whose queued runs this commit began. */
  #begun: ReadonlySet<string> = new Set();
  /** The end of the last run that this commit ended. A clock may have been set forward since another one ended. */
  #latestEnd = 0;
  /** When their claims were committed, by the true time. */
  readonly #begunAt = new Map<string, number>();
  /** All that ever were, and by due time. */
  readonly #claimed = new Map<string, Active>();
  readonly #dueTimes = new Map<string, string>();
  /** All that are over, in the order in which that was committed, and those of them that have an outcome. */
  readonly ends = new Map<string, { jobId: string; status: RunStatus }>();
  readonly outcomes: (EndedRun & { at: number })[] = [];
  /** How often a run arrived, and the due time that it said it is for. */
  readonly sent = new Map<string, number>();
  readonly #saidDue = new Map<string, string>();
  /** Called when a wait is over, as nothing was reported in time. */
  onExpired: (runId: string) => void = () => {};
  /** When the last run of a job ended. */
  readonly #freedAt = new Map<string, number>();
  /** Jobs that are deleted, and whether nothing needed them (once-4). */
  readonly deleted = new Map<string, boolean>();
  #lastDelivery = 0;
  /** Rows that were changed up to the last commit: many change none. */
  #changes = -1;
  readonly #statements = new Map<string, Statement>();
  readonly #disk: Disk;
  readonly #how: Circumstances;

  constructor(disk: Disk, how: Circumstances) {
    this.#disk = disk;
    this.#how = how;
    disk.onCommit = () => this.#onCommit();
  }

  /** Runs under way that began before a moment of the true time. */
  begunBefore(at: number): string[] {
    return [...this.#active.keys()].filter((id) => (this.#begunAt.get(id) ?? 0) < at);
  }

  #onCommit(): void {
    const leaders = this.#how.leaders();
    if (leaders.length > 1) world().fail('leader', `${leaders.join(' and ')} lead`);
    const [{ changes } = { changes: 0 }] = this.#all<{ changes: number }>(totalChanges);
    if (changes === this.#changes) return;
    this.#changes = changes;
    const rows = this.#all<Active>(everyActive);
    const active = new Map(rows.map((row) => [row.id, row]));
    const begun = rows.filter(({ id }) => !this.#claimed.has(id));
    for (const row of begun) this.#begins(row);
    this.#begun = new Set(begun.filter((row) => row.is_manual === 1).map((row) => row.job_id));
    const over = [...this.#active.values()].filter(({ id }) => !active.has(id));
    this.#latestEnd = Math.max(0, ...over.map(({ id }) => this.#endOf(id)?.finished_at ?? 0));
    for (const row of over) this.#over(row);
    this.#active = active;
    this.#requireUnmuted();
    if (this.#how.isSpent)
      for (const { id, is_spent: isSpent } of this.#all<Deleted>(deletedJobs))
        if (!this.deleted.has(id)) this.deleted.set(id, isSpent === 1);
  }

  /** The claim of a run is committed. */
  #begins(run: Active): void {
    const { id, job_id: jobId, due_at: dueAt, since } = run;
    this.#claimed.set(id, run);
    this.#begunAt.set(id, world().now);
    world().note(`claims ${id} of ${jobId}, due ${(dueAt - world().now).toFixed(0)} ms`);
    if (run.is_chained === 1) world().meets(run.is_make_up === 1 ? 'make-up' : 'chain');
    if (run.paused === 1 && (run.is_manual === 0 || run.is_chained === 1)) {
      world().fail('job-7', `run ${id} begins while its job ${jobId} is paused`);
    }
    if (run.is_deleted === 1) world().fail('job-10', `run ${id} begins of a deleted job`);
    if (run.is_manual === 0 && run.expires_at !== null && run.expires_at <= since)
      world().fail('plan-2', `run ${id} begins after its account has expired`);
    this.#requirePrompt(run);
    if (run.is_manual === 1) return;
    const dueTime = `${jobId} ${dueAt}`;
    const other = this.#dueTimes.get(dueTime);
    const isKnown = (runId: string): boolean =>
      !this.#how.isPruned || this.#all('select id from runs where id = ?', runId).length > 0;
    if (other !== undefined && isKnown(other))
      world().fail('schedule-6', `due time ${dueTime} of ${other} has a second run ${id}`);
    this.#dueTimes.set(dueTime, id);
    if (run.is_once === 0 && endAt(this.#holdsOf(jobId), dueAt) !== null)
      world().fail('hold-1', `run ${id} of ${jobId} begins, and is due in a hold`);
    const lateMs = since - dueAt;
    if (lateMs > latestStartMs)
      world().fail('schedule-4', `run ${id} begins ${lateMs} ms after its due time`);
    if (lateMs < 0)
      world().fail('schedule-4', `run ${id} begins ${-lateMs} ms before its due time`);
  }

  /** Where nothing disturbs, loops are woken: none notices its work by its next look. */
  #requirePrompt({ id, job_id: jobId, due_at: dueAt }: Active): void {
    const waitedMs = world().now - Math.max(dueAt, this.#freedAt.get(jobId) ?? 0);
    if (this.#how.isPunctual && waitedMs > promptMs) {
      world().fail('wake-up', `run ${id} of ${jobId} waited ${waitedMs} ms`);
    }
  }

  /** A run is no longer under way. */
  #over({ id, job_id: jobId }: Active): void {
    this.#freedAt.set(jobId, world().now);
    const run = this.#endOf(id);
    const { status = 'gone', reason = null } = run ?? {};
    world().note(`ends ${id} ${status}`);
    if (status === 'queued' || status === 'running' || status === 'missed') {
      world().fail('run-7', `run ${id} is over and ${status}`);
    }
    // Nobody sees the end of a run that waited when its job was deleted.
    const isSeen = run?.is_deleted === 0;
    if (isSeen && (run.finished_at ?? 0) < (run.started_at ?? 0))
      world().fail('run-7', `run ${id} ended before it began`);
    if (status === 'interrupted') {
      world().meets('interrupted');
      if (!this.#how.mayInterrupt && isSeen)
        world().fail('run-7', `run ${id} is interrupted: why?`);
      if (isSeen && run.has_waited === 1)
        world().fail('report-5', `run ${id} waited, and is interrupted`);
    }
    if (reason === 'no_report') this.onExpired(id);
    this.#requireFollowers({ id, jobId, status }, run);
    if (status !== 'gone') this.ends.set(id, { jobId, status });
    if (status === 'success' || status === 'failed')
      this.outcomes.push({ id, jobId, status, at: world().now });
  }

  #endOf(id: string): Ended | undefined {
    return this.#all<Ended>(endedRun, id)[0];
  }

  /** chain-3: the runs that this one causes are queued in the same commit. */
  #requireFollowers(
    { id, jobId, status }: { id: string; jobId: string; status: string },
    run?: Ended,
  ): void {
    if (this.#claimed.get(id)?.is_followed !== 1 || run === undefined) return;
    // Unless the account has expired, by the end of the last run of that commit.
    const { expires_at: expiresAt, finished_at: finishedAt } = run;
    const latest = Math.max(this.#latestEnd, (finishedAt ?? 0) + latestStartMs);
    if (expiresAt !== null && expiresAt <= latest) return;
    const without = `select id from jobs as follower
      where after_job_id = ? and after_on in ('finished', ?) and deleted_at is null and paused = 0
        and not exists (select 1 from runs where job_id = follower.id
          and (cause_run_id = ? or status = 'queued'))`;
    for (const follower of this.#all<{ id: string }>(without, jobId, status, id)) {
      // It was queued already when the run ended, and began in the same commit (chain-4).
      if (this.#begun.has(follower.id)) continue;
      // A hold did not start it (hold-2), by the end of the last run of that commit.
      const holds = this.#holdsOf(follower.id).map((one) => periodAfter(one, finishedAt ?? 0));
      if (holds.some((period) => period !== null && period.from <= latest)) continue;
      world().fail('chain-3', `run ${id} is ${status}, and job ${follower.id} does not follow`);
    }
  }

  /** mute-1: no alert is made of a job that is muted. */
  #requireUnmuted(): void {
    if (!this.#how.isMuted) return;
    const made = this.#all<Delivery>(newDeliveries, this.#lastDelivery);
    for (const { place, about_id: jobId, event, created_at: at } of made) {
      this.#lastDelivery = place;
      const windows = this.#windowsOf(jobId, 'mute');
      if (mutesAt(windows, [at]).length > 0)
        world().fail('mute-1', `${event} is made of ${jobId}, which is muted`);
    }
  }

  /** The windows that hold a job, as they are committed. */
  #holdsOf(jobId: string): Window[] {
    return this.#windowsOf(jobId, 'hold');
  }

  #windowsOf(jobId: string, effect: WindowEffect): Window[] {
    const found = this.#all<{ windows: string }>(
      'select windows from workspaces where windows is not null',
    );
    const windows = found.flatMap((row) => JSON.parse(row.windows) as Window[]);
    return windows.filter((one) => one.effect === effect && coverOf(one)(jobId, null));
  }

  onArrival({ runId, path, scheduledFor }: Arrival): void {
    const run = this.#active.get(runId);
    const sent = (this.sent.get(runId) ?? 0) + 1;
    this.sent.set(runId, sent);
    const by = current()?.name ?? '';
    if (!this.#claimed.has(runId))
      world().fail('run-1', `${path} got run ${runId} before its claim was kept`);
    else if (run === undefined)
      world().fail('run-3', `${path} got run ${runId} from ${by} after it was over`);
    if (sent > 1) world().meets('retry', 5_000);
    const said = this.#saidDue.get(runId) ?? scheduledFor;
    this.#saidDue.set(runId, said);
    const isOfSchedule = run !== undefined && run.is_manual === 0;
    const expected = isOfSchedule ? new Date(run.due_at).toISOString() : said;
    if (scheduledFor !== said || said !== expected)
      world().fail(
        'call-8',
        `${path} got run ${runId} for ${scheduledFor} and ${said}, not ${expected}`,
      );
    if (run !== undefined && sent > run.attempts) {
      world().fail(
        'run-8',
        `${path} got run ${runId} ${sent} times, and ${run.attempts} attempts are kept`,
      );
    }
  }

  #all<Row>(sql: string, ...of: unknown[]): Row[] {
    const known = this.#statements.get(sql) ?? this.#disk.database.prepare(sql);
    this.#statements.set(sql, known);
    return known.all(...of) as Row[];
  }
}
