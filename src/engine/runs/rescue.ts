/**
 * Rescue: closes runs that are `running` in the store although nobody executes them. Nobody knows whether their targets were
 * reached, so they are interrupted and never sent again (docs/behavior.md#run-3).
 */

import type { Db } from '../../store/database/store.ts';
import {
  findAbandonedRuns,
  findRunningRuns,
  findRunningRunsOf,
  holdRunningRuns,
} from '../../store/runs/ended.ts';
import type { RunningRun } from '../../store/runs/ended.ts';
import { nodeName } from '../../domain/nodes.ts';
import type { Step } from '../loop.ts';
import type { Membership } from '../nodes/membership.ts';
import { interruptedRun, type Interruption } from './execution.ts';
import type { ExecutorParts } from './executor.ts';
import { recordBatch } from './record.ts';
import { logEnded, noteDropped } from './run-log.ts';

/** Runs that one transaction closes. */
const largestBatch = 500;
/** How often a node compares the runs that the store has as its own with those it executes. */
const compareEveryMs = 5_000;
/** A run that a node does not execute is closed when it was seen for this long: its claim may be under way at first. */
const unknownForMs = 10_000;

const processEnded = cutOff('the process that executed it ended before the outcome was known');
const stopped = cutOff('jobd stopped before its claim or its outcome was known to be stored');
const outcomeLost = cutOff('the database lost its outcome after it had confirmed it');
const claimLost: Interruption = { reason: 'unsent', detail: 'its claim could not be confirmed' };

function cutOff(detail: string): Interruption {
  return { reason: 'cut_off', detail };
}

/** A node that others declared gone may live: it was frozen, or cut off. */
function leftBehind({ host, pid }: RunningRun): Interruption {
  if (host === null || pid === null) return processEnded;
  const node = nodeName({ host, pid });
  return cutOff(`${node} gave no sign of life any more before the outcome was known`);
}

export type RescueParts = Pick<ExecutorParts, 'store' | 'clock' | 'log' | 'meter' | 'changes'>;

/** Closes all running runs, where one process has the database to itself and has just started. Returns how many. */
export async function rescueAll(parts: RescueParts): Promise<number> {
  return await rescue(parts, findRunningRuns, () => processEnded);
}

async function findLeftBehind(tx: Db): Promise<RunningRun[]> {
  return await findAbandonedRuns(tx, largestBatch);
}

/** Makes a step that closes the runs of nodes that ended. */
export function createRescueStep(parts: RescueParts): Step {
  return async () => {
    const count = await rescue(parts, findLeftBehind, leftBehind);
    return count === largestBatch ? 0 : Infinity;
  };
}

/** Makes a step that closes the runs of this node that it does not execute. */
export function createOwnRunsStep(
  parts: RescueParts,
  membership: Membership,
  isHeld: (runId: string) => boolean,
): Step {
  const { store, clock } = parts;
  let compareAt = 0;
  /** Since when each run is seen that is not executed, by the monotonic clock. */
  let unknown = new Map<string, number>();

  return async () => {
    const now = clock.monotonicMs();
    const { nodeId } = membership;
    if (nodeId === null || !membership.mayBegin()) return Infinity;
    if (now < compareAt) return compareAt - now;
    compareAt = now + compareEveryMs;
    const own = await findRunningRunsOf(store.db, nodeId);
    const seen = own.filter(({ runId }) => !isHeld(runId));
    unknown = new Map(seen.map(({ runId }) => [runId, unknown.get(runId) ?? now]));
    const isLost = ({ runId }: RunningRun): boolean =>
      now - (unknown.get(runId) ?? now) >= unknownForMs && !isHeld(runId);
    if (!seen.some(isLost)) return compareEveryMs;
    const find = async (tx: Db): Promise<RunningRun[]> =>
      (await findRunningRunsOf(tx, nodeId)).filter(isLost);
    const why = ({ runId }: RunningRun): Interruption =>
      membership.confirmed?.knowsEnd(runId) ? outcomeLost : claimLost;
    await rescue(parts, find, why);
    return compareEveryMs;
  };
}

/** Closes what a node leaves when it stops: claims in doubt, and outcomes that could not be stored in time. */
export async function closeLeftRuns(parts: RescueParts, nodeId: string): Promise<void> {
  const find = (tx: Db): Promise<RunningRun[]> => findRunningRunsOf(tx, nodeId);
  await rescue(parts, find, () => stopped);
}

/** Closes what is found. Returns how many runs that were. */
async function rescue(
  { store, clock, log, meter, changes }: RescueParts,
  find: (tx: Db) => Promise<RunningRun[]>,
  why: (run: RunningRun) => Interruption,
): Promise<number> {
  if ((await find(store.db)).length === 0) return 0;
  const { ended: rescued, followUp } = await store.write(async (tx) => {
    const found = await holdRunningRuns(tx, await find(tx));
    const executions = found.map((run) => closed(run, why(run), clock.now()));
    return await recordBatch(tx, { executions }, { receipts: false });
  });
  for (const run of rescued) logEnded(log, run);
  noteDropped({ log, meter }, followUp.dropped);
  meter.runsRescued(rescued.length);
  if (rescued.length > 0) changes.publishAll();
  return rescued.length;
}

function closed(claimed: RunningRun, { reason, detail }: Interruption, now: number) {
  const { attempts, reported } = claimed;
  const also = reported === null ? '' : `; its target had reported ${reported}`;
  const why = { reason, detail: detail + also };
  // The wall clock may have been set back.
  const finishedAt = Math.max(now, claimed.startedAt);
  return { claimed, ended: interruptedRun(claimed, { why, attempts, finishedAt }) };
}
