/**
 * Executor: takes every run from claim to record. `claim` starts what is due and has a free slot, `record` writes what has
 * ended; both may do the work of the other one in the same transaction. Runs that end within 10 ms are recorded together
 * (docs/decisions/0015-writing.md#what-ends-one-after-the-other-is-recorded-and-signed-together). While calls wait for slots, a
 * record claims the next runs once an eighth of the slots is free; for slots of a host or workspace others are searched for, but
 * seldom.
 */

import type { ChangeFeed } from '../../domain/changes.ts';
import type { Meter } from '../../domain/meter.ts';
import { isOfStore } from '../../base/outage.ts';
import { findEarliestDueTime, hasQueuedRuns } from '../../store/runs/claims.ts';
import { createPause, type Pause } from '../pause.ts';
import { announceEnd, announceFollowUp, announceRun } from './announce.ts';
import { createBacklog, type Backlog } from './backlog.ts';
import { declaredGone, dispatch, type Dispatcher } from './dispatch.ts';
import type { Claim } from './claim.ts';
import { isWaiting, type Execution } from './execution.ts';
import { endFields, logDropped, logMissed, logShortage, logWaiting } from './run-log.ts';
import { createHindrances, type Hindrances } from './hindrances.ts';
import { createSlots, type Slots } from './slots.ts';
import { createWriter, type Work, type Writer, type Written, type WriterParts } from './writer.ts';

export interface ExecutorParts
  extends
    Omit<Dispatcher, 'keepAttempt' | 'signal' | 'heldUp' | 'membership'>,
    Omit<WriterParts, 'slots' | 'backlog' | 'hindrances'> {
  /** Counts runs. */
  meter: Meter;
  /** Hears which runs began and ended. */
  changes: ChangeFeed;
  /** The most calls in flight: in all, and to one host. */
  slots: number;
  slotsPerHost: number;
  /** Hears that this work may be waiting. */
  readonly wake: (work: 'claim' | 'record' | 'report' | 'sign' | 'notify') => void;
}

/** Egress is prepared this long before the first call: a jobd with nothing to call needs no memory for it. */
const prepareMs = 5_000;
const gatheringMs = 10;
/** Under pressure, a record waits for no more than this share of the slots in use. */
const enoughShare = 1 / 8;
/** A batch of that share shows for this long that calls end as fast as they are recorded: longer than other steps hold it up. */
const crowdedMs = 1_000;
/** While calls wait for their host or workspace, a search for others rests this long. */
const searchEveryMs = 50;
/** It rests this many times as long as the last one took: where very many calls wait, it reads all of them. */
const searchRests = 20;
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
  /** The shortage of slots that the log tells of: since when it lasts. */
  #shortSince: number | null = null;
  readonly #gathering: Pause;
  readonly #crowded: Pause;
  /** Between two searches, while calls wait for their host or workspace. */
  readonly #searchRest: Pause;
  readonly #hindrances: Hindrances;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
    this.#slots = createSlots(parts.slots, parts.slotsPerHost);
    this.#backlog = createBacklog(this.#stopper.signal);
    this.#hindrances = createHindrances(parts.clock);
    this.#writer = createWriter({
      ...parts,
      slots: this.#slots,
      backlog: this.#backlog,
      hindrances: () =>
        [...this.#hindrances.known(), parts.membership.downtime].filter((one) => one !== null),
    });
    const keepAttempt: Dispatcher['keepAttempt'] = (attempt) => {
      const kept = this.#backlog.keepAttempt(attempt);
      parts.wake('record');
      return kept;
    };
    const { signal } = this.#calls;
    this.#dispatcher = { ...parts, keepAttempt, signal, heldUp: new Map() };
    this.#stopper.signal.addEventListener('abort', () => this.#calls.abort());
    parts.membership.onGone(() => this.#giveUp());
    this.#gathering = createPause(parts.clock, () => parts.wake('record'));
    this.#crowded = createPause(parts.clock);
    this.#searchRest = createPause(parts.clock, () => parts.wake('claim'));
  }

  /** Whether calls wait that are made as fast as runs can be written. Those that wait for a slow host press nobody. */
  get isPressed(): boolean {
    return this.#isPressed && (this.#slots.free <= 0 || this.#crowded.isOn);
  }

  /** Slots in use, including those of runs that are not recorded yet. */
  get slotsUsed(): number {
    return this.#parts.slots - this.#slots.free;
  }

  /** Why calls wait for this machine, in clauses; empty if none does. */
  get lacks(): string[] {
    return [...new Set(this.#dispatcher.heldUp.values())];
  }

  /** Since when no slot is free, to one workspace at least (epoch milliseconds); null unless that lasts. */
  get fullSince(): number | null {
    return this.#hindrances.shortage()?.from ?? null;
  }

  /** Whether this process executes a run, or is about to record how it ended. */
  isHeld(runId: string): boolean {
    return this.#held.has(runId);
  }

  /** Starts runs that are due and have a free slot. Returns how long to rest, in milliseconds. */
  async claim(): Promise<number> {
    const { membership } = this.#parts;
    if (this.#isClosed) return Infinity;
    this.#hindrances.look();
    this.#noteShortage();
    if (!membership.mayBegin()) {
      this.#hindrances.ended(membership.trouble !== null);
      return Infinity;
    }
    try {
      const restMs = await this.#claim();
      this.#hindrances.ended(true);
      return restMs;
    } catch (error) {
      this.#hindrances.ended(!isOfStore(error));
      throw error;
    }
  }

  /** Tells the log when a shortage begins, and when it is over. */
  #noteShortage(): void {
    const { fullSince } = this;
    if (fullSince === this.#shortSince) return;
    this.#shortSince = fullSince;
    logShortage(this.#parts.log, fullSince, this.slotsUsed);
  }

  async #claim(): Promise<number> {
    this.#start(await this.#writer.settle());
    if (this.#slots.free <= 0) return Infinity;
    if (this.#isPressed && this.#searchRest.isOn) return Infinity;
    const { store, egress, heldJobs, clock } = this.#parts;
    const untilDueMs = await this.#untilDueMs();
    const isDue = untilDueMs <= 0;
    const mayStart = isDue || (await hasQueuedRuns(store.db, heldJobs()));
    this.#isPressed &&= mayStart;
    // If this fails, nothing is claimed.
    if (mayStart || untilDueMs <= prepareMs) egress.prepare();
    if (!mayStart) return untilDueMs;
    const beganMs = clock.monotonicMs();
    const claim = await this.#write({ records: !this.#isJointBroken, claims: 'all' });
    if (claim === null) return Infinity;
    if (claim.more) return 0;
    // What was not found waits for slots of its host, or of its workspace.
    this.#isPressed = true;
    const tookMs = clock.monotonicMs() - beganMs;
    this.#searchRest.begin(Math.max(searchEveryMs, tookMs * searchRests));
    return Infinity;
  }

  /** Records ended runs. Under pressure it gives their slots to the next ones. Returns how long to rest, in milliseconds. */
  async record(): Promise<number> {
    if (this.#backlog.size === 0) return Infinity;
    const enough = this.#isPressed ? Math.ceil(this.slotsUsed * enoughShare) : Infinity;
    if (this.#backlog.size >= enough) this.#crowded.begin(crowdedMs);
    else if (this.#gathering.isOn) return Infinity;
    await this.#write({ records: true, claims: this.#isPressed ? 'refill' : 'none' });
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
    const { clock } = this.#parts;
    using timers = new DisposableStack();
    timers.use(clock.after(drainMs, () => this.#stopper.abort()));
    timers.use(clock.after(drainMs + longestLastWriteMs, givenUp.resolve));
    await Promise.race([this.#slots.allReleased(), givenUp.promise]);
  }

  /** To be called when nothing records any more: tells the log which outcomes are lost with this process. */
  end(): void {
    for (const pause of [this.#gathering, this.#crowded, this.#searchRest]) pause.end();
    const { log } = this.#parts;
    for (const execution of this.#backlog.unwritten)
      log.error(endFields(execution), 'the outcome of a run could not be stored before the stop');
  }

  /** One transaction. After its commit the claimed runs start. Returns the claim; null if nothing may be claimed now. */
  async #write(work: Work): Promise<Claim | null> {
    const isJoint = work.claims !== 'none' && work.records && this.#backlog.size > 0;
    try {
      const claims = this.#isClosed ? 'none' : work.claims;
      const written = await this.#writer.write({ ...work, claims });
      const { followUp, claim } = written;
      if (work.claims !== 'none') {
        this.#isJointBroken = false;
        this.#begin(claim);
      }
      this.#report(written);
      announceFollowUp(this.#parts, followUp);
      if (claim !== null) announceFollowUp(this.#parts, claim.followUp);
      return claim;
    } catch (error) {
      if (isJoint) {
        this.#isPressed = false;
        this.#isJointBroken = true;
      }
      throw error;
    } finally {
      this.#hindrances.filled(this.#slots.isUsedUp);
    }
  }

  #begin(claim: Claim | null): void {
    const { changes, log, meter } = this.#parts;
    const { executions = [], missed = [], stopped = [], expired = 0, more = false } = claim ?? {};
    if (expired > 0) log.info({ accounts: expired }, 'schedules of expired accounts stop');
    if (missed.length > 0) {
      meter.jobsMissed(missed.length);
      for (const run of missed) logMissed(log, run, claim?.followUp.queued ?? []);
    }
    logDropped(log, claim?.dropped ?? [], executions);
    for (const run of missed) announceRun(this.#parts, run, 'missed');
    if (changes.isHeard) {
      for (const { id, workspaceId } of stopped) changes.publish(workspaceId, { jobs: [id] });
    }
    this.#start(executions);
    this.#isPressed = more && this.#slots.isShort;
  }

  #start(executions: readonly Execution[]): void {
    for (const execution of executions) {
      void this.#execute(execution);
      announceRun(this.#parts, execution, 'running');
    }
  }

  /** Calls the target. The run is then ready for `record`, which gives its slot back. */
  async #execute(claimed: Execution): Promise<void> {
    this.#held.add(claimed.runId);
    this.#backlog.add(await dispatch(claimed, this.#dispatcher));
    this.#parts.wake('record');
  }

  /** Tells the log, the meter and those who listen what was written. */
  #report({ batch, closed, waiting }: Written): void {
    const { executions, attempts } = batch;
    const { log, wake } = this.#parts;
    for (const execution of executions) {
      const { claimed } = execution;
      const statusOnRecord = closed.get(claimed.runId);
      this.#held.delete(claimed.runId);
      if (statusOnRecord !== undefined) {
        const about = { ...endFields(execution), statusOnRecord };
        log.warn(about, 'a run that ended was not running any more');
      } else if (isWaiting(execution)) {
        logWaiting(log, execution);
        announceRun(this.#parts, claimed, 'running');
      } else announceEnd(this.#parts, execution);
    }
    if (executions.length + attempts.length > 0) this.#gathering.begin(gatheringMs);
    if (executions.length > 0) wake('sign');
    // What was reported during a call ends its run now.
    if (waiting.size > 0) wake('report');
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
