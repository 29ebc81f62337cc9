/**
 * What is checked, by the names of docs/behavior.md: at each commit what is committed, at each arrival that its call was allowed, and
 * at rest, when faults are over, that everything came to its end and the books are right.
 */

import type { Statement } from 'better-sqlite3';
import type { RunStatus } from '../../src/domain/runs/run.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { Store } from '../../src/store/database/store.ts';
import { changesIn, wrongOfFlapping, type EndedRun } from '../support/checks/alert-truth.ts';
import { ledgersIn, wrongIn as wrongInLedgers } from '../support/checks/ledger.ts';
import type { Disk } from './disk.ts';
import type { People } from './people.ts';
import type { Arrival, Targets } from './targets.ts';
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
  is_followed: number;
}

const everyActive = `
  select active_run_id as id, jobs.id as job_id, active_for as due_at, active_since as since,
    active_node_id as node_id, paused, coalesce(attempts, 1) as attempts,
    source is 'manual' as is_manual, cause_run_id is not null as is_chained,
    exists (select 1 from jobs as follower
      where follower.after_job_id = jobs.id and follower.deleted_at is null) as is_followed
  from jobs left join runs on runs.id = active_run_id
  where active_run_id is not null`;

/** How long after its due time a call may begin, and two clocks may differ. */
const latestStartMs = 60_000;
/** Runs that end within some milliseconds are recorded together, and a change waits for a run in steps of 25 ms. */
const promptMs = 400;

export class Rules {
  /** Runs that are committed as under way. */
  #active = new Map<string, Active>();
  /** All that ever were, and by due time. */
  readonly #claimed = new Map<string, Active>();
  readonly #dueTimes = new Map<string, string>();
  /** Outcomes, in the order in which they were committed. */
  readonly #ends: (EndedRun & { jobId: string })[] = [];
  readonly #sent = new Map<string, number>();
  /** When the last run of a job ended. */
  readonly #freedAt = new Map<string, number>();
  readonly #statements = new Map<string, Statement>();
  /** Whether a clock was set back: the ledger is checked in other histories (docs/simulation.md). */
  wasSetBack = false;
  readonly #disk: Disk;
  readonly #isPunctual: boolean;
  /** Names of the nodes that lead, as they see it. */
  readonly #leaders: () => readonly string[];

  constructor(disk: Disk, how: { isPunctual: boolean; leaders: () => readonly string[] }) {
    this.#disk = disk;
    this.#isPunctual = how.isPunctual;
    this.#leaders = how.leaders;
    disk.onCommit = () => this.#onCommit();
  }

  #onCommit(): void {
    const rows = this.#all<Active>(everyActive);
    const active = new Map(rows.map((row) => [row.id, row]));
    for (const row of rows) if (!this.#claimed.has(row.id)) this.#begins(row);
    for (const row of this.#active.values()) if (!active.has(row.id)) this.#over(row);
    this.#active = active;
    const leaders = this.#leaders();
    if (leaders.length > 1) world().fail('leader', `${leaders.join(' and ')} lead`);
  }

  /** The claim of a run is committed. */
  #begins(run: Active): void {
    const { id, job_id: jobId, due_at: dueAt, since } = run;
    this.#claimed.set(id, run);
    world().note(`claims ${id} of ${jobId}, due ${(dueAt - world().now).toFixed(0)} ms`);
    if (run.is_chained === 1) world().meets('chain');
    if (run.paused === 1 && (run.is_manual === 0 || run.is_chained === 1)) {
      world().fail('job-7', `run ${id} begins while its job ${jobId} is paused`);
    }
    this.#requirePrompt(run);
    if (run.is_manual === 1) return;
    const dueTime = `${jobId} ${dueAt}`;
    const other = this.#dueTimes.get(dueTime);
    if (other !== undefined)
      world().fail('schedule-6', `due time ${dueTime} of ${other} has a second run ${id}`);
    this.#dueTimes.set(dueTime, id);
    const lateMs = since - dueAt;
    if (lateMs > latestStartMs)
      world().fail('schedule-4', `run ${id} begins ${lateMs} ms after its due time`);
    if (lateMs < 0)
      world().fail('schedule-4', `run ${id} begins ${-lateMs} ms before its due time`);
  }

  /** Where nothing disturbs, loops are woken: none notices its work by its next look. */
  #requirePrompt({ id, job_id: jobId, due_at: dueAt }: Active): void {
    const waitedMs = world().now - Math.max(dueAt, this.#freedAt.get(jobId) ?? 0);
    if (this.#isPunctual && waitedMs > promptMs) {
      world().fail('wake-up', `run ${id} of ${jobId} waited ${waitedMs} ms`);
    }
  }

  /** A run is no longer under way. */
  #over({ id, job_id: jobId }: Active): void {
    this.#freedAt.set(jobId, world().now);
    const [run] = this.#all<{ status: RunStatus }>('select status from runs where id = ?', id);
    const status = run?.status ?? 'gone';
    world().note(`ends ${id} ${status}`);
    if (status === 'queued' || status === 'running' || status === 'missed') {
      world().fail('run-7', `run ${id} is over and ${status}`);
    }
    if (status === 'interrupted') world().meets('interrupted');
    this.#requireFollowers({ id, jobId, status });
    if (status === 'success' || status === 'failed') this.#ends.push({ id, jobId, status });
  }

  /** chain-3: the runs that this one causes are queued in the same commit. */
  #requireFollowers({ id, jobId, status }: { id: string; jobId: string; status: string }): void {
    if (this.#claimed.get(id)?.is_followed !== 1 || status === 'gone') return;
    const without = `select id from jobs as follower
      where after_job_id = ? and after_on in ('finished', ?) and deleted_at is null and paused = 0
        and not exists (select 1 from runs where job_id = follower.id
          and (cause_run_id = ? or status = 'queued'))`;
    for (const follower of this.#all<{ id: string }>(without, jobId, status, id)) {
      world().fail('chain-3', `run ${id} is ${status}, and job ${follower.id} does not follow`);
    }
  }

  onArrival({ runId, path }: Arrival): void {
    const run = this.#active.get(runId);
    const sent = (this.#sent.get(runId) ?? 0) + 1;
    this.#sent.set(runId, sent);
    const by = current()?.name ?? '';
    if (!this.#claimed.has(runId))
      world().fail('run-1', `${path} got run ${runId} before its claim was kept`);
    else if (run === undefined)
      world().fail('run-3', `${path} got run ${runId} from ${by} after it was over`);
    if (sent > 1) world().meets('retry', 5_000);
    if (run !== undefined && sent > run.attempts) {
      world().fail(
        'run-8',
        `${path} got run ${runId} ${sent} times, and ${run.attempts} attempts are kept`,
      );
    }
  }

  /** Whether something is still on its way. */
  isBusy(): boolean {
    const open = `select (select count(*) from outbox) + (select count(*) from deliveries where status = 'pending')
      + (select count(*) from alert_states where held is not null) as count`;
    return (this.#all<{ count: number }>(open)[0]?.count ?? 0) > 0;
  }

  /** What is wrong when all faults are over, and time enough has passed. */
  async atRest(
    store: Store,
    clock: Clock,
    { people, targets }: { people: People; targets: Targets },
  ) {
    const now = clock.now();
    const wrong = [
      ...this.#all<object>('pragma foreign_key_check').map(
        (row) => `sqlite: ${JSON.stringify(row)}`,
      ),
      ...this.#left(now),
      ...this.#totals(),
      ...this.#health(),
      ...this.#sentRuns(),
      ...this.#alerts(targets),
      ...this.#promises(people, targets),
      ...(this.wasSetBack ? [] : wrongInLedgers(await ledgersIn(store.db, clock))).map(
        (what) => `ledger: ${what}`,
      ),
    ];
    for (const what of wrong) world().fail('at rest', what);
  }

  /** Nothing is left behind. */
  #left(now: number): string[] {
    const stuck = `select id from runs
        where status in ('queued', 'running') and coalesce(started_at, scheduled_for) < ?
      union select active_run_id from jobs where active_run_id is not null and active_since < ?`;
    const due = `select id from jobs where next_run_at < ? and active_run_id is null`;
    const unplanned = `select id from jobs where deleted_at is null and paused = 0
      and after_job_id is null and next_run_at is null`;
    const ids = (sql: string, ...of: unknown[]) => this.#all<{ id: string }>(sql, ...of);
    return [
      ...ids(stuck, now - 200_000, now - 200_000).map(({ id }) => `run-7: run ${id} never ends`),
      ...ids(due, now - 5_000).map(({ id }) => `schedule-4: job ${id} is due and not called`),
      ...ids(unplanned).map(({ id }) => `job-7: job ${id} has no due time`),
    ];
  }

  #totals(): string[] {
    const sums = (['success', 'failed', 'interrupted', 'missed'] as const).map(
      (status) => `select id, '${status}' as status, total_${status} as total,
        (select count(*) from runs where job_id = jobs.id and status = '${status}') as kept
        from jobs where deleted_at is null`,
    );
    type Sum = { id: string; status: string; total: number; kept: number };
    return this.#all<Sum>(sums.join(' union all '))
      .filter(({ total, kept }) => total !== kept)
      .map(
        ({ id, status, total, kept }) =>
          `totals: job ${id} has ${kept} ${status}, its total is ${total}`,
      );
  }

  /** job-8: health is that of the last outcome. */
  #health(): string[] {
    type Job = { id: string; health: string; failures: number };
    const jobs = this.#all<Job>('select id, health, failures from jobs where deleted_at is null');
    const ends = Map.groupBy(this.#ends, ({ jobId }) => jobId);
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

  #sentRuns(): string[] {
    const runs = this.#all<{ id: string; status: RunStatus }>('select id, status from runs');
    return runs.flatMap(({ id, status }) => {
      const sent = this.#sent.get(id) ?? 0;
      if (status === 'success' && sent === 0)
        return [`run-1: run ${id} is success, and never arrived`];
      if (sent > 0 && (status === 'missed' || status === 'queued'))
        return [`run-1: run ${id} is ${status}, and arrived`];
      return [];
    });
  }

  /** Each health change is alerted of once, and the last one too. */
  #alerts({ heard }: Targets): string[] {
    const deleted = new Set(
      this.#all<{ id: string }>('select id from jobs where deleted_at is not null').map(
        ({ id }) => id,
      ),
    );
    const there = new Set(this.#all<{ id: string }>('select id from jobs').map(({ id }) => id));
    const isKept = ({ jobId }: { jobId: string }): boolean =>
      there.has(jobId) && !deleted.has(jobId);
    const changes = changesIn(this.#ends.filter(isKept), 1);
    return wrongOfFlapping(changes, heard.filter(isKept)).map((what) => `alerts: ${what}`);
  }

  /** What was acknowledged is kept. */
  #promises({ jobs, runs }: People, { reported }: Targets): string[] {
    type Job = { id: string; notes: string; deleted_at: number | null };
    const jobOf = new Map(
      this.#all<Job>('select id, notes, deleted_at from jobs').map((job) => [job.id, job]),
    );
    const isThere = (id: string): boolean => jobOf.get(id)?.deleted_at === null;
    const wrong: string[] = [];
    for (const { id, notes, notesAsked, deletion } of jobs.values()) {
      if (deletion === 'none' && !isThere(id)) wrong.push(`job ${id} was acknowledged and is gone`);
      if (deletion === 'done' && isThere(id)) wrong.push(`job ${id} was deleted and is there`);
      const kept = Number(jobOf.get(id)?.notes ?? notes);
      if (kept < notes || kept > notesAsked)
        wrong.push(`notes of ${id} are ${kept}, acknowledged ${notes}`);
    }
    const statusOf = new Map(
      this.#all<{ id: string; status: RunStatus }>('select id, status from runs').map((run) => [
        run.id,
        run.status,
      ]),
    );
    for (const { jobId, runId } of runs.values()) {
      if (runId !== null && isThere(jobId) && !statusOf.has(runId))
        wrong.push(`run-6: run ${runId} was acknowledged and is gone`);
    }
    for (const [runId, status] of reported) {
      const kept = statusOf.get(runId) ?? 'gone';
      if (kept !== 'gone' && kept !== status && kept !== 'interrupted')
        wrong.push(`await: run ${runId} is ${kept}, reported ${status}`);
    }
    return wrong;
  }

  #all<Row>(sql: string, ...of: unknown[]): Row[] {
    const known = this.#statements.get(sql) ?? this.#disk.database.prepare(sql);
    this.#statements.set(sql, known);
    return known.all(...of) as Row[];
  }
}
