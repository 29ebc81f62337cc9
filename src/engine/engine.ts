/**
 * Time, the one thing besides people that changes the state. A run goes through the files of this
 * folder in this order: due → claim → dispatch → record → sign, and edges → expand → deliver for what there is to
 * tell. Rescue is for what a dead process left, replan for clocks that were wrong, expire for accounts that are not paid
 * for any more, renew for those that are again, prune for what people deleted and plans do not keep. Watch sees what monitors
 * do not hear of.
 */

import type { Clock } from '../domain/clock.ts';
import type { Egress } from '../egress/egress.ts';
import type { Meter } from '../domain/runs/meter.ts';
import type { Vault } from '../domain/secrets/vault.ts';
import type { Mailer } from '../egress/mail.ts';
import type { Log } from '../log.ts';
import { findEarliestDueTime, hasQueuedRuns } from '../store/runs/claims.ts';
import type { Db, Store } from '../store/database/open.ts';
import type { Attempt, EndedRun } from '../store/runs/results.ts';
import { createClaimer } from './runs/claim.ts';
import type { Claim, ClaimedRun } from './runs/claimed.ts';
import { clockStepMs, watchClock } from './upkeep/clock-watch.ts';
import { dispatch } from './runs/dispatch.ts';
import type { Dispatcher } from './runs/dispatch.ts';
import type { EndedClaim } from './alerts/edges.ts';
import { startLoop } from './loop.ts';
import { startNotifier } from './alerts/notify.ts';
import { createPause } from './pause.ts';
import { createPruner } from './upkeep/prune.ts';
import { createPrunings } from './upkeep/prunings.ts';
import { createRecorder } from './runs/record.ts';
import { createRenewer } from './upkeep/renew.ts';
import { createMonitorReplanner, createReplanner } from './upkeep/replan.ts';
import { rescueRuns } from './runs/rescue.ts';
import { signingBatch } from './receipts/sign.ts';
import type { Signer } from './receipts/sign.ts';
import { createSlots } from './runs/slots.ts';
import { stop } from './stop.ts';
import { createWatch } from './monitors/watch.ts';

export interface EngineParts {
  store: Store;
  egress: Egress;
  /** Opens what is sealed of jobs and channels. */
  vault: Vault;
  clock: Clock;
  log: Log;
  /** Calls in flight at most: in all, and to one host. */
  slots: number;
  slotsPerHost: number;
  /** Ids of the jobs of which no run is to begin now. */
  readonly heldJobs: () => readonly string[];
  /** Signs the receipts; null if none are issued. */
  signer: Signer | null;
  /** Delivers alerts of mail; null if there is no mail server. */
  mailer: Mailer | null;
  /** Counts what is done. */
  meter: Meter;
  /** How long a stop waits for calls in flight. */
  drainMs: number;
}

/** Disposing of it stops claiming, waits for calls in flight, and marks the rest interrupted. */
export interface Engine extends AsyncDisposable {
  /** Says that something may have become due: a job was made or changed, a run was asked for. */
  readonly wake: () => void;
  /** Says that there is an alert to deliver. */
  readonly wakeNotifier: () => void;
  /** Calls in flight, those included whose outcome is still to be written. */
  readonly slotsUsed: () => number;
  /** Why due jobs are not called, outcomes not kept or pings not missed now, in sentences; none if all is well. */
  readonly troubles: () => string[];
}

/** A run whose call is over, as it waits to be recorded. */
type Ended = EndedClaim & { claimed: ClaimedRun };

/** The way out is made ready so long before the first call: a jobd with nothing to call needs no room for it. */
const soonMs = 5_000;
/** Of the slots that are taken: as many are given to calls that wait at once. */
const goodPart = 1 / 8;
/** Runs that end one after the other are recorded together, with one sync of the disk, as many as end in this. */
const gatheringMs = 10;
/** Runs that end one after the other are signed together, as many as end in this. */
const signingEveryMs = 250;
/** While calls wait for slots, signing and pruning take a fiftieth of the time. */
const restsPerBatch = 49;
/** A step that had to wait for others was not at work for all of its time. */
const longestRestMs = 2_000;

/** The reserve of a new data directory is written when what was due at the start is called. */
const settledAfterMs = 5_000;
const diskIsFull =
  'the disk is full: only what is deleted and pruned makes room, and runs go on while the reserve lasts';

function restAfter(tookMs: number): number {
  return Math.min(restsPerBatch * tookMs, longestRestMs);
}

/** Starts claiming, once what a dead process left behind is marked as interrupted. */
export function startEngine(parts: EngineParts): Engine {
  const { store, egress, vault, clock, log, signer, meter } = parts;
  const slots = createSlots(parts.slots, parts.slotsPerHost);
  const claimer = createClaimer(store, clock, slots, parts.heldJobs);
  const aborter = new AbortController();
  const { signal } = aborter;
  const recorder = createRecorder<Ended>(log, {
    receipts: signer !== null,
    onEdges: () => notifier.wake(),
    signal,
  });
  const replanner = createReplanner(store, clock);
  const renewer = createRenewer(store, clock);
  const monitorReplanner = createMonitorReplanner(store, clock);
  const pruner = createPruner({ store, clock, log }, createPrunings(store, clock));
  const lookAtClock = watchClock(clock);
  const fillAt = clock.monotonicMs() + settledAfterMs;
  /** Runs that wait for this machine to be able to call, by id, and why. */
  const heldUp = new Map<string, string>();
  const dispatcher: Dispatcher = { egress, vault, clock, log, keepAttempt, signal, heldUp };
  let isRescued = false;
  /** Whether calls wait for slots. */
  let isPressed = false;
  /** Whether something is due that is to be claimed with what is recorded next. */
  let isDue = false;
  /** Whether recording and claiming failed together: until a claim works again, each goes alone and tells its own trouble. */
  let isJointBroken = false;
  const gathering = createPause(() => recordLoop.wake());
  const signPause = createPause(() => signLoop.wake());
  let stopping: Promise<void> | undefined;

  const recordLoop = startLoop('record', recordStep, log);
  const claimLoop = startLoop('claim', claimStep, log);
  const replanLoop = startLoop('replan', replanStep, log);
  const renewLoop = startLoop('renew', renewStep, log);
  const watchLoop = startLoop('watch', createWatch(store, clock, log), log);
  const pruneLoop = startLoop('prune', pruneStep, log);
  const signLoop = startLoop('sign', signStep, log);
  const notifier = startNotifier(parts);

  /** Starts what is due and has a slot; rests until the next due time. */
  async function claimStep(): Promise<number> {
    noticeClockStep();
    if (!isRescued) await rescue();
    for (const run of await claimer.settle()) void execute(run);
    if (slots.free <= 0) return Infinity;
    const now = clock.now();
    const held = parts.heldJobs();
    const restMs = ((await findEarliestDueTime(store.db, now, held)) ?? Infinity) - now;
    isPressed &&= restMs <= 0;
    const isToStart = restMs <= 0 || (await hasQueuedRuns(store.db, held));
    // If that fails nothing is claimed.
    if (isToStart || restMs <= soonMs) egress.prepare();
    if (!isToStart) return restMs;
    if (recorder.waiting > 0 && !isJointBroken) {
      isDue = true;
      recordLoop.wake();
      return Infinity;
    }
    const claim = await claimer.claim();
    isJointBroken = false;
    begin(claim);
    if (claim.more) return 0;
    // What is due and was not found waits for slots of its host.
    isPressed = restMs <= 0;
    return Infinity;
  }

  function begin({ runs, missed, expired, more }: Claim): void {
    if (expired > 0) log.info({ accounts: expired }, 'schedules of expired accounts stop');
    if (missed > 0) {
      meter.jobsMissed(missed);
      log.warn({ jobs: missed }, 'due times were missed');
    }
    for (const run of runs) void execute(run);
    isPressed = more && slots.free <= 0;
  }

  /** Before anything is claimed: what is running then is of a process that is gone. */
  async function rescue(): Promise<void> {
    const runs = await rescueRuns(store, clock);
    isRescued = true;
    if (runs > 0) log.warn({ runs }, 'runs of an ended process are interrupted');
  }

  function noticeClockStep(): void {
    const stepMs = Math.round(lookAtClock());
    if (Math.abs(stepMs) < clockStepMs) return;
    log.warn({ stepMs }, 'the wall clock was set, or the machine slept');
    if (stepMs > 0) return;
    replanner.restart();
    monitorReplanner.restart();
    replanLoop.wake();
  }

  async function replanStep(): Promise<number> {
    const jobs = await replanner.step();
    const monitors = await monitorReplanner.step();
    if (jobs.changed > 0 || monitors.changed > 0) {
      const changed = { jobs: jobs.changed, monitors: monitors.changed };
      log.info(changed, 'due times were computed anew');
      claimLoop.wake();
    }
    return Math.min(jobs.restMs, monitors.restMs);
  }

  async function renewStep(): Promise<number> {
    const { restMs, planned } = await renewer.step();
    if (planned > 0) {
      log.info({ jobs: planned }, 'schedules of renewed accounts go on');
      claimLoop.wake();
    }
    return restMs;
  }

  async function execute(run: ClaimedRun): Promise<void> {
    recorder.add({ ended: await dispatch(run, dispatcher), claimed: run });
    recordLoop.wake();
  }

  async function keepAttempt(attempt: Attempt): Promise<void> {
    const kept = recorder.keepAttempt(attempt);
    recordLoop.wake();
    await kept;
  }

  /**
   * Writes what ended, and gives its slots to what is due. What ends one after the other is written together, and
   * with a claim if there is one meanwhile; while calls wait for slots, as soon as there is a good part of them to give.
   */
  async function recordStep(): Promise<number> {
    const enough = isPressed ? Math.ceil((parts.slots - slots.free) * goodPart) : Infinity;
    if (gathering.isOn && !isDue && recorder.waiting < enough) return Infinity;
    const isAny = recorder.waiting > 0;
    const isClaiming = isPressed || isDue;
    isDue = false;
    const written = await recorder.writeBatch(isClaiming ? recordAndClaim : recordAlone);
    if (isAny) gathering.begin(gatheringMs);
    for (const { ended, claimed } of written) {
      const latenessMs = claimed.startedAt - claimed.scheduledFor;
      const { status, durationMs } = ended;
      meter.runEnded({ status, durationMs, latenessMs });
      log.info({ ...summaryOf(ended), latenessMs }, 'run ended');
    }
    if (!isPressed || slots.free > 0) claimLoop.wake();
    signLoop.wake();
    return recorder.waiting > 0 ? 0 : Infinity;
  }

  async function recordAlone<Written>(
    batch: readonly Ended[],
    write: (tx: Db) => Promise<Written>,
  ): Promise<Written> {
    const written = await store.write(write);
    releaseAll(batch);
    return written;
  }

  function releaseAll(batch: readonly Ended[]): void {
    for (const { claimed } of batch) slots.release(claimed.host);
  }

  /**
   * Where calls wait for slots, or something is due, those of a batch are given to the next ones in the transaction that
   * records it: one commit for both. If it fails the batch has its slots again, beside those of a claim in doubt.
   */
  async function recordAndClaim<Written>(
    batch: readonly Ended[],
    write: (tx: Db) => Promise<Written>,
  ): Promise<Written> {
    let written: Written | undefined;
    let isHandedOn = false;
    try {
      const claim = await claimer.claim(async (tx) => {
        written = await write(tx);
        if (stopping !== undefined) return false;
        releaseAll(batch);
        isHandedOn = true;
        return true;
      });
      if (!isHandedOn) releaseAll(batch);
      begin(claim);
      return written as Written;
    } catch (error) {
      if (isHandedOn) for (const { claimed } of batch) slots.takeBack(claimed.host);
      // Whatever it was: the next time the batch is recorded alone, so that no claim keeps it from that.
      isPressed = false;
      isJointBroken = true;
      throw error;
    }
  }

  async function signStep(): Promise<number> {
    if (signPause.isOn) return Infinity;
    const began = clock.monotonicMs();
    const signed = (await signer?.sign()) ?? 0;
    if (signed === 0) return Infinity;
    const tookMs = clock.monotonicMs() - began;
    const isOver = signed < signingBatch;
    if (!isPressed && !isOver) return 0;
    signPause.begin(isPressed ? restAfter(tookMs) : signingEveryMs);
    return Infinity;
  }

  async function pruneStep(): Promise<number> {
    const began = clock.monotonicMs();
    if (store.reserve.isInUse || (!isPressed && began >= fillAt)) await store.reserve.fill();
    const restMs = await pruner.step();
    // On a full disk calls wait for what pruning removes.
    const isSlow = isPressed && !store.reserve.isInUse;
    return isSlow ? Math.max(restMs, restAfter(clock.monotonicMs() - began)) : restMs;
  }

  return {
    wake: claimLoop.wake,
    wakeNotifier: notifier.wake,
    slotsUsed: () => parts.slots - slots.free,
    troubles() {
      if (stopping !== undefined) return ['jobd is stopping'];
      const loops = [claimLoop, recordLoop, signLoop, watchLoop, notifier];
      const stuck = loops.map(({ trouble }) => trouble).filter((trouble) => trouble !== null);
      const waiting = [...new Set(heldUp.values())].map((why) => `calls wait: ${why}`);
      const { isInUse, isMissing, refusal } = store.reserve;
      const full = isMissing ? refusal : diskIsFull;
      return [...(isInUse && full !== null ? [full] : []), ...stuck, ...waiting];
    },
    [Symbol.asyncDispose]: () =>
      (stopping ??= stop({
        beginning: [claimLoop, replanLoop, renewLoop, watchLoop, pruneLoop],
        recordLoop,
        signLoop,
        notifier,
        claimer,
        slots,
        aborter,
        drainMs: parts.drainMs,
      })),
  };
}

function summaryOf({ runId, jobId, status, httpStatus, durationMs, attempts, error }: EndedRun) {
  return { runId, jobId, status, httpStatus, durationMs, attempts, error };
}
