/**
 * The engine: everything that happens by time and not by request. A run walks due → claim → dispatch → record → sign,
 * and a health change is handed to notify. `runs/executor.ts` is the middle of that sentence. Beside it, complete ends runs whose
 * targets report later, rescue closes the
 * runs of a dead process, replan corrects due times after a clock change, renew restarts the schedules of renewed
 * accounts, watch finds overdue monitors, and prune deletes what is no longer needed.
 */

import { isoTime } from '../domain/clock.ts';
import { found, type Finding } from '../domain/findings.ts';
import type { WokenLoop } from '../domain/hints.ts';
import { startNotifier } from './alerts/notify.ts';
import type { NotifierParts } from './alerts/attempts.ts';
import { createCallers } from './proof/callers.ts';
import { background, loopFindings, startLoop, type Loop, type Rest, type Step } from './loop.ts';
import { createWatch } from './alerts/monitor-watch.ts';
import { onDuty } from './nodes/membership.ts';
import { createReportStep } from './runs/report.ts';
import { Executor, type ExecutorParts } from './runs/executor.ts';
import { closeLeftRuns, createOwnRunsStep, createRescueStep, rescueAll } from './runs/rescue.ts';
import { signingBatch, type Signer } from './proof/sign.ts';
import { clockStepMs, watchClock } from './clock-watch.ts';
import { createPruner } from './upkeep/prune.ts';
import { createPrunings } from './upkeep/prunings.ts';
import type { SpaceWatch } from './upkeep/space-watch.ts';
import type { Store } from '../store/database/store.ts';
import { createRenewer } from './upkeep/renew.ts';
import { createMonitorReplanner, createReplanner, type Replanner } from './upkeep/replan.ts';
import { createZoneStep } from './upkeep/zone-data.ts';

export interface EngineParts
  extends Omit<ExecutorParts, 'receipts' | 'wake' | 'callers'>, NotifierParts {
  /** The site URL, which is known only once the server listens. */
  readonly siteUrl: () => string;
  space: SpaceWatch;
  /** How long a stop waits for calls in flight. */
  drainMs: number;
  /** Watches the files of the data directory; null if the database is on a server. */
  readonly directory: Loop | null;
  /** Steps of further loops, by name, that one process does in the background. */
  readonly duties: ReadonlyMap<string, Step>;
  /** Says that the loops of other nodes may have work. */
  readonly wakeOthers: (loop: WokenLoop) => void;
}

/** Disposing of it stops claiming, waits for calls in flight, and marks the rest interrupted. */
export interface Engine extends AsyncDisposable {
  /**
   * To be called when something may have become due, as a job was changed or a run queued (`claim`, the default), when there is an
   * alert to deliver (`notify`), and when a target has reported (`complete`).
   */
  readonly wake: (loop?: WokenLoop) => void;
  /** Calls in flight, including those whose outcome is not recorded yet. */
  readonly slotsUsed: () => number;
  /** Why due jobs are not called, outcomes not recorded or pings not missed now, and what else fails. Empty if all is well. */
  readonly findings: () => Finding[];
}

type LoopName =
  | 'claim'
  | 'record'
  | 'report'
  | 'rescue'
  | 'own runs'
  | 'sign'
  | 'notify'
  | 'watch'
  | 'replan'
  | 'time zones'
  | 'renew'
  | 'prune';

/** A stop ends these loops one group after the other, duties with the first. Then calls in flight are drained. */
const stopOrder: readonly (readonly LoopName[])[] = [
  ['claim', 'rescue', 'own runs', 'time zones', 'replan', 'renew', 'watch', 'prune'],
  ['record', 'report'],
  // What is not signed or delivered by then is found by a query after the next start.
  ['sign'],
  ['notify'],
];
/** While one of these fails, jobd does not do its work. */
const essential: readonly string[] = [
  'claim',
  'record',
  'report',
  'rescue',
  'sign',
  'watch',
  'notify',
  'data directory',
];

/** Runs that end within this are signed together. */
const signingEveryMs = 250;
/** The reserve of a new data directory is written only when the jobs that were due at the start are called. */
const settledAfterMs = 5_000;

/** Starts all loops. */
export function startEngine(parts: EngineParts): Engine {
  const { store, clock, membership, signer, space, changes, wakeOthers, duties, directory } = parts;
  const loops = new Map<string, Loop>();
  const wake = (name: LoopName): void => loops.get(name)?.wake();
  let stopping: Promise<void> | undefined;
  const wakeFor: ExecutorParts['wake'] = (work) => {
    wake(work);
    // Another node may lead.
    if (work === 'notify' || work === 'report') wakeOthers(work);
  };
  const callers = createCallers(parts);
  const receipts = signer !== null;
  const executor = new Executor({ ...parts, callers, receipts, wake: wakeFor });
  const isPressed = (): boolean => executor.isPressed;
  // Where space is short, calls will wait for what pruning deletes.
  const isPruningSlow = (): boolean =>
    isPressed() && !store.reserve.isInUse && space.causes().length === 0;
  const onPlanned = (): void => {
    wake('claim');
    wakeOthers('claim');
    changes.publishAll();
  };
  // Where one process has the database to itself, what was running is rescued before anything is claimed.
  const isAlone = membership.nodeId === null;
  const isHeld = (runId: string): boolean => executor.isHeld(runId);
  const claim = (): Promise<number> => executor.claim();
  const replanners = [createReplanner(store, clock), createMonitorReplanner(store, clock)] as const;
  const restartPlans = (): void => {
    for (const replanner of replanners) replanner.restart();
  };
  const onOtherZones = (): void => {
    restartPlans();
    wake('replan');
  };
  const steps: [string, () => Promise<Rest>][] = [
    ['claim', isAlone ? afterFirst(() => rescueAll(parts), claim) : claim],
    ['record', () => executor.record()],
    ['watch', createWatch(parts)],
    // Each process: it may be the first one with newer time-zone data.
    ['replan', createReplanStep(parts, { replanners, restartPlans, onPlanned })],
    ['time zones', createZoneStep(parts, onOtherZones)],
  ];
  const nodeSteps: [LoopName, () => Promise<Rest>][] = [
    ['rescue', createRescueStep(parts)],
    ['own runs', createOwnRunsStep(parts, membership, isHeld)],
  ];
  /** What is done once, by whichever process leads. */
  const chores: [string, () => Promise<Rest>][] = [
    ['report', createReportStep({ ...parts, receipts, wake: wakeFor })],
    ['sign', background(() => sign(signer), clock, isPressed)],
    ['renew', createRenewStep(parts, onPlanned)],
    ['prune', background(createPruneStep(parts, isPressed), clock, isPruningSlow)],
    ...Array.from(duties, ([name, step]): [string, () => Promise<Rest>] => [
      name,
      background(step, clock, isPressed),
    ]),
  ];
  if (!isAlone) steps.push(...nodeSteps);
  for (const [name, step] of chores) steps.push([name, onDuty(membership, step)]);
  for (const [name, step] of steps) loops.set(name, startLoop(name, step, parts));
  loops.set('notify', startNotifier(parts));

  async function stop(): Promise<void> {
    executor.close();
    membership.drain();
    for (const [index, group] of stopOrder.entries()) {
      const names = index === 0 ? [...group, ...duties.keys()] : group;
      await Promise.all(names.map(async (name) => await loops.get(name)?.[Symbol.asyncDispose]()));
      if (index === 0) await executor.drain(parts.drainMs);
    }
    executor.end();
    const { nodeId } = membership;
    // Where that fails, another node finds them when this one has ended.
    if (nodeId !== null) await closeLeftRuns(parts, nodeId).catch(() => {});
  }

  function findings(): Finding[] {
    if (stopping !== undefined) return [found('stopping', { calls: executor.slotsUsed })];
    const { trouble } = membership;
    const watched = new Map(loops);
    if (directory !== null) watched.set('data directory', directory);
    return [
      ...(trouble === null ? [] : [found('node-outdated', { reason: trouble })]),
      ...diskFindings(store),
      ...loopFindings(watched, essential),
      ...executor.lacks.map((reason) => found('calls-wait', { reason })),
      ...slotFindings(executor),
    ];
  }

  return {
    wake: (loop = 'claim') => wake(loop),
    slotsUsed: () => executor.slotsUsed,
    findings,
    [Symbol.asyncDispose]: () => (stopping ??= stop()),
  };
}

function diskFindings({ reserve, file }: Store): Finding[] {
  if (!reserve.isInUse || file === null) return [];
  const { isSpent } = reserve;
  const facts = { freeBytes: file.diskFreeBytes(), isReserveInUse: true, isSpent, isServed: true };
  return [found(reserve.isMissing ? 'reserve-missing' : 'disk-full', facts)];
}

function slotFindings({ fullSince, slotsUsed }: Executor): Finding[] {
  if (fullSince === null) return [];
  return [found('slots-full', { slots: slotsUsed, since: isoTime(fullSince) })];
}

/** A step before which something is done once. */
function afterFirst(first: () => Promise<unknown>, step: Step): Step {
  let isDone = false;
  return async () => {
    if (!isDone) await first();
    isDone = true;
    return await step();
  };
}

async function sign(signer: Signer | null): Promise<number> {
  const signed = (await signer?.sign()) ?? 0;
  if (signed === 0) return Infinity;
  return signed < signingBatch ? signingEveryMs : 0;
}

interface Plans {
  /** Of jobs and of monitors. */
  replanners: readonly [Replanner, Replanner];
  restartPlans: () => void;
  /** Called when due times have changed. */
  onPlanned: () => void;
}

/** Corrects due times after the start, whenever the wall clock was set back, and when other time-zone data is used. */
function createReplanStep(
  { clock, log, meter }: EngineParts,
  { replanners, restartPlans, onPlanned }: Plans,
): Step {
  const clockGain = watchClock(clock);
  return async () => {
    const stepMs = Math.round(clockGain());
    if (Math.abs(stepMs) >= clockStepMs) {
      log.warn({ stepMs }, 'the wall clock was set, or the machine slept');
      meter.clockStepped();
      if (stepMs < 0) restartPlans();
    }
    const [jobs, monitors] = [await replanners[0].step(), await replanners[1].step()];
    if (jobs.changed + monitors.changed > 0) {
      const changed = { jobs: jobs.changed, monitors: monitors.changed };
      log.info(changed, 'due times were corrected');
      onPlanned();
    }
    return Math.min(jobs.restMs, monitors.restMs);
  };
}

/** Restarts the schedules of renewed accounts. */
function createRenewStep({ store, clock, log }: EngineParts, onPlanned: () => void): Step {
  const renewer = createRenewer(store, clock);
  return async () => {
    const { restMs, planned } = await renewer.step();
    if (planned > 0) {
      log.info({ jobs: planned }, 'schedules of renewed accounts continue');
      onPlanned();
    }
    return restMs;
  };
}

/** Deletes what is no longer needed, and fills the reserve when there is space for it. */
function createPruneStep(parts: EngineParts, isPressed: () => boolean): Step {
  const { store, clock, log, space } = parts;
  const pruner = createPruner({ store, clock, log }, createPrunings({ store, clock, log }, space));
  const fillAt = clock.monotonicMs() + settledAfterMs;
  return async () => {
    const isSettled = !isPressed() && clock.monotonicMs() >= fillAt;
    if (store.reserve.isInUse || isSettled) await store.reserve.fill();
    return await pruner.step();
  };
}
