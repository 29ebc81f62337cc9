/**
 * Executor: takes every run from claim to record. Two steps drive it. `claim` starts what is due and has a free slot.
 * `record` writes what has ended. Both may do the work of the other one in the same transaction.
 *
 * Gathering: after a record, runs that end within 10 ms are recorded together, with one sync of the disk
 * (docs/decisions/0017-gathered-records.md). Pressure: while calls wait for slots, a record claims the next runs, and
 * happens as soon as an eighth of the slots can be given on.
 */

import type { ChangedRun, ChangeFeed } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Meter } from '../../domain/meter.ts';
import type { RunStatus } from '../../domain/runs/run.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import type { Egress } from '../../egress/egress.ts';
import type { Log } from '../../log.ts';
import { findEarliestDueTime, hasQueuedRuns } from '../../store/runs/claims.ts';
import type { Store } from '../../store/database/store.ts';
import type { Spans } from './spans.ts';
import type { Membership } from '../nodes/membership.ts';
import { createBacklog } from './backlog.ts';
import type { Backlog, Batch } from './backlog.ts';
import { declaredGone, dispatch } from './dispatch.ts';
import type { Dispatcher } from './dispatch.ts';
import type { Claim } from './due.ts';
import { runNames } from './execution.ts';
import type { Execution } from './execution.ts';
import { logEnded, logMissed, logUnstored } from './run-log.ts';
import { createSlots } from './slots.ts';
import type { Slots } from './slots.ts';
import { createWriter } from './writer.ts';
import type { Work, Writer } from './writer.ts';

export interface ExecutorParts {
  store: Store;
  egress: Egress;
  /** Opens the sealed parts of jobs. */
  vault: Vault;
  clock: Clock;
  membership: Membership;
  log: Log;
  /** Counts runs. */
  meter: Meter;
  /** Hears which runs began and ended. */
  changes: ChangeFeed;
  /** The most calls in flight: in all, and to one host. */
  slots: number;
  slotsPerHost: number;
  /** Ids of jobs that must not begin a run now. */
  readonly heldJobs: () => readonly string[];
  /** Whether receipts are issued. */
  receipts: boolean;
  /** Whether calls carry a `traceparent`. */
  traceContext: boolean;
  /** Takes the spans of calls; null if nobody wants them. */
  spans: Spans | null;
  /** Hears that this work may be waiting. */
  readonly wake: (work: 'claim' | 'record' | 'sign' | 'notify') => void;
}

/** Egress is prepared this long before the first call: a jobd with nothing to call needs no memory for it. */
const prepareMs = 5_000;
const gatheringMs = 10;
/** Under pressure, a record waits for no more than this share of the slots in use. */
const enoughShare = 1 / 8;
/** How long a stop waits for the last records. The next start marks as interrupted what is missing then. */
const longestLastWriteMs = 10_000;

/** Holds the slots, and the executions in them. */
export class Executor {
  readonly #parts: ExecutorParts;
  readonly #stopper = new AbortController();
  /** Aborts the calls in flight. Another takes its place when this process was declared gone. */
  #calls = new AbortController();
  /** Ids of the runs that are executed or wait to be recorded. */
  readonly #held = new Set<string>();
  readonly #slots: Slots;
  readonly #backlog: Backlog;
  readonly #writer: Writer;
  #dispatcher: Dispatcher;
  #isPressed = false;
  /** Whether recording and claiming failed together. Until a claim works again, each goes alone and has its own error. */
  #isJointBroken = false;
  #isClosed = false;
  #gatherUntil = 0;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
    this.#slots = createSlots(parts.slots, parts.slotsPerHost);
    this.#backlog = createBacklog(this.#stopper.signal);
    this.#writer = createWriter({ ...parts, slots: this.#slots, backlog: this.#backlog });
    const keepAttempt: Dispatcher['keepAttempt'] = (attempt) => {
      const kept = this.#backlog.keepAttempt(attempt);
      parts.wake('record');
      return kept;
    };
    const { signal } = this.#calls;
    this.#dispatcher = { ...parts, keepAttempt, signal, heldUp: new Map() };
    this.#stopper.signal.addEventListener('abort', () => this.#calls.abort());
    parts.membership.onGone(() => this.#giveUp());
  }

  /** Whether calls wait for slots. */
  get isPressed(): boolean {
    return this.#isPressed;
  }

  /** Slots in use, including those of runs that are not recorded yet. */
  get slotsUsed(): number {
    return this.#parts.slots - this.#slots.free;
  }

  /** Why calls wait for this machine, in clauses; empty if none does. */
  get lacks(): string[] {
    return [...new Set(this.#dispatcher.heldUp.values())];
  }

  /** Whether this process executes a run, or is about to record how it ended. */
  isHeld(runId: string): boolean {
    return this.#held.has(runId);
  }

  /** Starts runs that are due and have a free slot. Returns how long to rest, in milliseconds. */
  async claim(): Promise<number> {
    if (this.#isClosed || !this.#parts.membership.mayBegin()) return Infinity;
    this.#start(await this.#writer.settle());
    if (this.#slots.free <= 0) return Infinity;
    const { store, egress, heldJobs } = this.#parts;
    const restMs = await this.#untilDueMs();
    const isDue = restMs <= 0;
    this.#isPressed &&= isDue;
    const mayStart = isDue || (await hasQueuedRuns(store.db, heldJobs()));
    // If this fails, nothing is claimed.
    if (mayStart || restMs <= prepareMs) egress.prepare();
    if (!mayStart) return restMs;
    const claim = await this.#write({ records: !this.#isJointBroken, claims: true });
    if (claim === null) return Infinity;
    if (claim.more) return 0;
    // The due jobs that were not found wait for slots of their hosts.
    this.#isPressed = isDue;
    return Infinity;
  }

  /** Records ended runs. Under pressure it gives their slots to the next ones. Returns how long to rest, in milliseconds. */
  async record(): Promise<number> {
    if (this.#backlog.size === 0) return Infinity;
    const enough = this.#isPressed ? Math.ceil(this.slotsUsed * enoughShare) : Infinity;
    const gatherMs = this.#gatherUntil - performance.now();
    if (gatherMs > 0 && this.#backlog.size < enough) return Math.ceil(gatherMs);
    await this.#write({ records: true, claims: this.#isPressed });
    if (!this.#isPressed || this.#slots.free > 0) this.#parts.wake('claim');
    return this.#backlog.size > 0 ? 0 : Infinity;
  }

  /** Claims nothing from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Waits up to `drainMs` for the calls in flight, then aborts the rest, which `record` writes as interrupted. */
  async drain(drainMs: number): Promise<void> {
    this.#writer.giveUp();
    const givenUp = Promise.withResolvers<void>();
    const timers = [
      setTimeout(() => this.#stopper.abort(), drainMs),
      setTimeout(givenUp.resolve, drainMs + longestLastWriteMs),
    ];
    await Promise.race([this.#slots.allReleased(), givenUp.promise]);
    for (const timer of timers) clearTimeout(timer);
  }

  /** Tells the log which outcomes are lost with this process; to be called when nothing records any more. */
  logUnstored(): void {
    for (const execution of this.#backlog.unwritten) logUnstored(this.#parts.log, execution);
  }

  /** One transaction. After its commit the claimed runs start. Returns the claim; null if nothing may be claimed now. */
  async #write(work: Work): Promise<Claim | null> {
    const isJoint = work.claims && work.records && this.#backlog.size > 0;
    try {
      const claims = work.claims && !this.#isClosed;
      const { batch, recorded, alerts, claim } = await this.#writer.write({ ...work, claims });
      if (work.claims) {
        this.#isJointBroken = false;
        this.#begin(claim);
      }
      this.#report(batch, recorded);
      if (alerts > 0) this.#parts.wake('notify');
      return claim;
    } catch (error) {
      if (isJoint) {
        this.#isPressed = false;
        this.#isJointBroken = true;
      }
      throw error;
    }
  }

  #begin(claim: Claim | null): void {
    const { changes, log, meter } = this.#parts;
    const { executions = [], missed = [], stopped = [], expired = 0, more = false } = claim ?? {};
    if (expired > 0) log.info({ accounts: expired }, 'schedules of expired accounts stop');
    if (missed.length > 0) {
      meter.jobsMissed(missed.length);
      for (const run of missed) logMissed(log, run);
    }
    if (changes.isHeard) {
      for (const { workspaceId, runId: id, jobId } of missed)
        this.#publish(workspaceId, { id, jobId }, 'missed');
      for (const { id, workspaceId } of stopped) changes.publish(workspaceId, { jobs: [id] });
    }
    this.#start(executions);
    this.#isPressed = more && this.#slots.free <= 0;
  }

  #start(executions: readonly Execution[]): void {
    const { isHeard } = this.#parts.changes;
    for (const execution of executions) {
      void this.#execute(execution);
      const { runId: id, jobId, workspaceId } = execution;
      if (isHeard) this.#publish(workspaceId, { id, jobId }, 'running');
    }
  }

  #publish(workspaceId: string, run: Omit<ChangedRun, 'status'>, status: RunStatus): void {
    this.#parts.changes.publish(workspaceId, { runs: [{ ...run, status }] });
  }

  /** Calls the target. The run is then ready for `record`, which gives its slot back. */
  async #execute(claimed: Execution): Promise<void> {
    this.#held.add(claimed.runId);
    this.#backlog.add(await dispatch(claimed, this.#dispatcher));
    this.#parts.wake('record');
  }

  /** Tells the log, the meter and those who listen what was written. */
  #report({ executions, attempts }: Batch, recorded: ReadonlySet<string>): void {
    const { changes, log, meter, wake } = this.#parts;
    const { isHeard } = changes;
    for (const execution of executions) {
      const { claimed, ended } = execution;
      const { runId, jobId, status, durationMs } = ended;
      this.#held.delete(runId);
      if (!recorded.has(runId)) {
        log.warn({ ...runNames(claimed), status }, 'a run that ended was not running any more');
      }
      const latenessMs = claimed.startedAt - claimed.scheduledFor;
      meter.runEnded({ status, durationMs, latenessMs });
      logEnded(log, execution);
      if (isHeard) this.#publish(claimed.workspaceId, { id: runId, jobId }, status);
    }
    if (executions.length + attempts.length > 0)
      this.#gatherUntil = performance.now() + gatheringMs;
    if (executions.length > 0) wake('sign');
  }

  /** This process was declared gone: the runs it executes are another's to close. */
  #giveUp(): void {
    this.#writer.giveUp();
    const calls = this.#calls;
    this.#calls = new AbortController();
    this.#dispatcher = { ...this.#dispatcher, signal: this.#calls.signal };
    calls.abort(declaredGone);
  }

  /** Milliseconds until the next job is due that may be claimed; 0 or less if one is due now. */
  async #untilDueMs(): Promise<number> {
    const { store, clock, heldJobs } = this.#parts;
    const now = clock.now();
    return ((await findEarliestDueTime(store.db, now, heldJobs())) ?? Infinity) - now;
  }
}
