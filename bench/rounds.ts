/** One round of jobd, and one of a yardstick, against the same sink. */

import { setTimeout } from 'node:timers/promises';
import { openStore } from '../src/store/open.ts';
import { audit } from './audit.ts';
import type { Audit } from './audit.ts';
import type { BareSaid, BareTold, BareWay } from './bare.ts';
import { startChild } from './child.ts';
import { startDaemon } from './daemon.ts';
import { temporaryDirectory } from './directory.ts';
import { roundOf } from './figures.ts';
import type { Round } from './figures.ts';
import { cpuSeconds, cpuTimes, cpuUse, peakRssMb } from './processes.ts';
import { isOver, keepJobs, makeDue, recordedRuns } from './seed.ts';
import type { SinkReport } from './sink.ts';
import type { RunningSink } from './start-sink.ts';
import type { Options } from './storm-options.ts';
import { wallOffset } from './wall-clock.ts';

/** What every round needs. */
export interface Ground {
  options: Options;
  sink: RunningSink;
  /** The environment of every caller. */
  env: Record<string, string>;
  /** How long jobd takes to start with an empty store. */
  startUpMs: number;
}

const answerWithinMs = 30_000;
/** Everybody is up and idle this long before the instant. */
const idleMs = 1_000;
/** CPU time is read this long before the instant, while nothing happens. */
const beforeMs = 20;
/** A look at the store while calls are still coming, and one after the last, when the time counts. */
const lookEveryMs = 50;
const lookOftenEveryMs = 1;

/** However slow the caller is: this long after the instant the round is given up. */
function longestStormMs(jobs: number, delayMs: number): number {
  return 60_000 + jobs * 2 + delayMs * jobs;
}

/** jobd, with a fresh data directory. Throws if the storm is not over in time. */
export async function jobdRound(ground: Ground, jobs: number): Promise<Round & { audit: Audit }> {
  using directory = temporaryDirectory();
  const dataDir = directory.path;
  const { options, sink, env } = ground;
  const { hosts, warm } = options;
  await keepJobs(
    dataDir,
    sink.origin,
    [
      { prefix: 'job', count: jobs, hosts },
      { prefix: 'warm', count: warm },
    ],
    options,
  );
  const upAt = Date.now() + 2 * ground.startUpMs + jobs / 20;
  const warmMs = warm === 0 ? 0 : 2_000 + warm;
  const warmAt = Math.ceil((upAt + idleMs) / 1_000) * 1_000;
  const dueAt = warmAt + Math.ceil(warmMs / 1_000) * 1_000;
  await makeDue(dataDir, 'warm', warmAt);
  await makeDue(dataDir, 'job', dueAt);

  await using daemon = await startDaemon({ ...options, dataDir, env });
  await using store = await openStore(dataDir);
  const inTime = Date.now() < warmAt && (await sleepUntil(dueAt - idleMs / 2));
  if (!inTime || (warm > 0 && !(await isOver(store, warmAt)))) {
    throw new Error('jobd was not up and idle before the instant: the machine is too busy');
  }
  await begin(sink, jobs);
  await sleepUntil(dueAt - beforeMs);
  const cpuBefore = cpuTimes(daemon.pid);
  const sinkBefore = cpuSeconds(sink.pid);
  const offset = wallOffset();

  let allArrived = false;
  const longestMs = longestStormMs(jobs, options.delayMs);
  const noteArrival = (): void => {
    allArrived = true;
  };
  // Too late or never is found by looking at the store.
  const full = sink.hear('full', longestMs).then(noteArrival, noteArrival);
  await sleepUntil(dueAt);
  while (!(await isOver(store, dueAt))) {
    if (Date.now() > dueAt + longestMs) throw new Error(`not over after ${longestMs} ms`);
    await (allArrived
      ? setTimeout(lookOftenEveryMs)
      : Promise.race([full, setTimeout(lookEveryMs)]));
  }
  const doneAt = offset + performance.now();
  const seen = {
    ...cpuUse(daemon.pid, cpuBefore),
    peakRssMb: peakRssMb(daemon.pid),
    sinkCpuSeconds: cpuSeconds(sink.pid) - sinkBefore,
  };
  const arrived = await report(sink);
  const found = audit(jobs, await recordedRuns(store, dueAt), arrived);
  const { arrivedAt } = arrived;
  return { ...roundOf({ jobs, dueAt, arrivedAt, doneAt, ...seen }), audit: found };
}

/** Bare undici, in a fresh process. Throws if it does not call each path once. */
export async function bareRound(ground: Ground, jobs: number, way: BareWay): Promise<Round> {
  const { options, sink, env } = ground;
  const { hosts, concurrency, warm } = options;
  await using bare = startChild<BareSaid, BareTold>('bare.ts', [], env);
  const { origin } = sink;
  bare.tell({ kind: 'warm up', task: { way, origin, hosts, jobs, warm, concurrency } });
  await bare.hear('ready', answerWithinMs);
  const dueAt = Math.ceil((Date.now() + idleMs) / 1_000) * 1_000;
  bare.tell({ kind: 'go', at: dueAt });
  await begin(sink, jobs);
  await sleepUntil(dueAt - beforeMs);
  const cpuBefore = cpuTimes(bare.pid);
  const sinkBefore = cpuSeconds(sink.pid);
  const longestMs = longestStormMs(jobs, options.delayMs);
  const [{ doneAt }] = await Promise.all([
    bare.hear('done', longestMs),
    sink.hear('full', longestMs),
  ]);
  const seen = {
    ...cpuUse(bare.pid, cpuBefore),
    peakRssMb: peakRssMb(bare.pid),
    sinkCpuSeconds: cpuSeconds(sink.pid) - sinkBefore,
  };
  const { arrivedAt, path } = await report(sink);
  if (new Set(path).size !== jobs || path.length !== jobs) {
    throw new Error(`bare ${way} made ${path.length} calls instead of ${jobs}`);
  }
  return roundOf({ jobs, dueAt, arrivedAt, doneAt, ...seen });
}

/** How long jobd takes to start with an empty store, in milliseconds. */
export async function measureStartUp(options: Options): Promise<number> {
  using directory = temporaryDirectory();
  const dataDir = directory.path;
  await using daemon = await startDaemon({ ...options, dataDir, profileDir: null, env: {} });
  return daemon.startUpMs;
}

async function begin(sink: Ground['sink'], expected: number): Promise<void> {
  sink.tell({ kind: 'begin', expected });
  await sink.hear('begun', answerWithinMs);
}

async function report(sink: Ground['sink']): Promise<SinkReport> {
  sink.tell({ kind: 'report' });
  return await sink.hear('report', answerWithinMs);
}

/** Sleeps until a wall-clock instant; false if it had passed already. */
async function sleepUntil(at: number): Promise<boolean> {
  const leftMs = at - Date.now();
  if (leftMs > 0) await setTimeout(leftMs);
  return leftMs > 0;
}
