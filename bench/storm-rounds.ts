/** A storm, by jobd or by bare undici, against the same target. */

import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { serveSettings } from '../src/settings/serve-settings.ts';
import type { Store } from '../src/store/database/store.ts';
import { openStore } from '../src/store/open.ts';
import type { BareReceived, BareSent } from './bare-client.ts';
import { percentile, temporaryDirectory } from './bench.ts';
import { startChild, wallOffset, type Child } from './child.ts';
import { databaseOf, useServer } from '../test/support/running/local.ts';
import { cpuSeconds, cpuTimes, cpuUse, residentMb, startJobd } from './processes.ts';
import type { HttpServer, Sink } from './processes.ts';
import { addHistory, isOver, makeDue, recordedRuns, seedJobs, type RecordedRun } from './seed.ts';
import type { SinkReport } from './sink.ts';
import type { Options } from './storm.ts';

/** What every round needs. */
export interface Setting {
  options: Options;
  sink: Sink;
  /** The environment of every caller. */
  env: Record<string, string>;
  /** How long jobd takes to start with an empty store. */
  startUpMs: number;
  /** The URL of the PostgreSQL server for jobd's data; null if it is in a file. */
  server: string | null;
}

/** What all options of a storm are in one that is not about them. */
export const plainStorm = {
  rounds: 1,
  slots: null,
  delay: 0,
  tls: null,
  hosts: 0,
  warm: 0,
  history: 0,
  noReceipts: false,
  postgres: false,
  secrets: false,
  sign: null,
} as const;

/** The figures of one round of one caller. */
export interface Round {
  /** Arrival at the target minus due instant. */
  latenessP50Ms: number;
  latenessP99Ms: number;
  latenessMaxMs: number;
  /** From the due instant until the last run was recorded, or the last answer read. */
  makespanMs: number;
  jobsPerSecond: number;
  /** How long the caller's main thread waited for a processor during the makespan. */
  mainWaitedMs: number;
  /** User and system time of the caller, all threads. */
  cpuPerRunUs: number;
  busiestThreadPerRunUs: number;
  /** Computed: jobs a second if all cores were the caller's own, its load spread evenly and no thread waited. */
  jobsPerSecondApart: number;
  /** CPU time of the target's process. */
  sinkCpuPerRunUs: number;
  peakRssMb: number;
}

/** Whether every job was called once and recorded. All but `recorded` are 0 if all went well. */
export interface Audit {
  /** Runs recorded as `success`, and as anything else. */
  recorded: number;
  otherwise: number;
  /** Jobs that were never called. */
  missed: number;
  /** Calls after the first one of their job. */
  double: number;
  /** Calls whose run is not in the store, or belongs to another job. */
  unknown: number;
}

const answerWithinMs = 30_000;
/** How long everything is up and idle before the instant. */
const idleMs = 1_000;
/** CPU time is first read this long before the instant, while nothing happens. */
const beforeMs = 20;
/** How often the store is read while calls are coming, and after the last one, when the time counts. */
const pollMs = 50;
const finalPollMs = 1;

/** After this time the round is given up. */
function longestStormMs(jobs: number, delayMs: number): number {
  return 60_000 + jobs * 2 + delayMs * jobs;
}

/** jobd with a new data directory. Throws if the storm is not over in time. */
export async function jobdRound(
  setting: Setting,
  jobs: number,
): Promise<{ round: Round; audit: Audit }> {
  using directory = temporaryDirectory();
  const dataDir = directory.path;
  if (setting.server !== null) await useServer(dataDir, setting.server);
  const { options, sink } = setting;
  const { hosts, warm, history } = options;
  const batches = [
    { prefix: 'job', count: jobs, hosts },
    { prefix: 'warm', count: warm },
  ];
  await seedJobs(dataDir, sink.origin, batches, options);
  if (history > 0) await addHistory(dataDir, history);
  const upAt = Date.now() + 2 * setting.startUpMs + jobs / 20;
  const warmMs = warm === 0 ? 0 : 2_000 + warm;
  const warmAt = Math.ceil((upAt + idleMs) / 1_000) * 1_000;
  const dueAt = warmAt + Math.ceil(warmMs / 1_000) * 1_000;
  await makeDue(dataDir, 'warm', warmAt);
  await makeDue(dataDir, 'job', dueAt);

  await using server = await startServer(setting, dataDir);
  await using store = await openStore(databaseOf(dataDir) ?? dataDir);
  const inTime = Date.now() < warmAt && (await sleepUntil(dueAt - idleMs / 2));
  if (!inTime || (warm > 0 && !(await isOver(store, warmAt)))) {
    throw new Error('jobd was not up and idle before the instant: the machine is too busy');
  }
  return await jobdStorm(setting, { store, server }, { jobs, dueAt });
}

/** A storm of jobd at an instant to come. Throws if it is not over in time. */
export async function jobdStorm(
  { options, sink }: Pick<Setting, 'options' | 'sink'>,
  { store, server }: { store: Store; server: HttpServer },
  { jobs, dueAt }: { jobs: number; dueAt: number },
): Promise<{ round: Round; audit: Audit }> {
  const watched = await watch(sink, server.pid, { jobs, dueAt });
  const longestMs = longestStormMs(jobs, options.delay);
  let allArrived = false;
  const noteArrival = (): void => {
    allArrived = true;
  };
  // A call that never comes is found in the store, not here.
  const full = sink.receive('full', longestMs).then(noteArrival, noteArrival);
  await sleepUntil(dueAt);
  while (!(await isOver(store, dueAt))) {
    if (Date.now() > dueAt + longestMs) throw new Error(`not over after ${longestMs} ms`);
    await (allArrived ? setTimeout(finalPollMs) : Promise.race([full, setTimeout(pollMs)]));
  }
  const { round, arrived } = await watched.end(watched.offset + performance.now());
  return { round, audit: audit(jobs, await recordedRuns(store, dueAt), arrived) };
}

/** jobd as it is in every round. */
export async function startServer(
  { options, env }: Pick<Setting, 'options' | 'env'>,
  dataDir: string,
): Promise<HttpServer> {
  const slots = options.slots === null ? [] : [String(options.slots)];
  const given = slots.flatMap((count) => ['--slots', count, '--slots-per-host', count]);
  const args = options.noReceipts ? [...given, '--no-signing'] : given;
  return await startJobd(options, dataDir, { args, env });
}

/** Numbers of connections among which undici's fastest is found. */
const candidates = [64, 128, 256];

/** With how many connections bare undici makes these calls fastest, each tried once. A target that takes its time gets jobd's slots. */
export async function fastestConnections(setting: Setting, jobs: number): Promise<number> {
  const { delay, slots } = setting.options;
  if (delay > 0) return slots ?? Number(serveSettings.slotsPerHost.usual);
  const tried: { connections: number; makespanMs: number }[] = [];
  for (const connections of candidates) {
    const { makespanMs } = await bareRound(setting, jobs, connections);
    tried.push({ connections, makespanMs });
  }
  const [fastest] = tried.toSorted((one, other) => one.makespanMs - other.makespanMs);
  return fastest?.connections ?? NaN;
}

/** Bare undici in a new process. Throws if it does not call each path once. */
export async function bareRound(
  setting: Setting,
  jobs: number,
  connections: number,
): Promise<Round> {
  await using bare = await startBare(setting, jobs, connections);
  return await bareStorm(setting, bare, { jobs, dueAt: nextSecond() });
}

/** A process of undici, its calls of a storm in it. */
export type Bare = Child<BareSent, BareReceived>;

/** Starts bare undici, which has made the warm-up calls. */
export async function startBare(
  { options, sink, env }: Pick<Setting, 'options' | 'sink' | 'env'>,
  jobs: number,
  connections: number,
): Promise<Bare> {
  const { hosts, warm } = options;
  const bare = startChild<BareSent, BareReceived>('bare-client.ts', [], env);
  const task = { origin: sink.origin, hosts, jobs, warm, connections };
  bare.send({ kind: 'warm up', task });
  await bare.receive('ready', answerWithinMs);
  return bare;
}

/** A storm of bare undici. Throws if it does not call each path once. */
export async function bareStorm(
  { options, sink }: Pick<Setting, 'options' | 'sink'>,
  bare: Bare,
  { jobs, dueAt }: { jobs: number; dueAt: number },
): Promise<Round> {
  bare.send({ kind: 'go', at: dueAt });
  const watched = await watch(sink, bare.pid, { jobs, dueAt });
  const longestMs = longestStormMs(jobs, options.delay);
  const [{ doneAt }] = await Promise.all([
    bare.receive('done', longestMs),
    sink.receive('full', longestMs),
  ]);
  const { round, arrived } = await watched.end(doneAt);
  if (new Set(arrived.path).size !== jobs || arrived.path.length !== jobs) {
    throw new Error(`undici made ${arrived.path.length} calls instead of ${jobs}`);
  }
  return round;
}

function nextSecond(): number {
  return Math.ceil((Date.now() + idleMs) / 1_000) * 1_000;
}

/** How long jobd takes to start with an empty store, in milliseconds. */
export async function measureStartUp(options: Options): Promise<number> {
  using directory = temporaryDirectory();
  await using server = await startJobd({ ...options, cpuProf: null }, directory.path);
  return server.startUpMs;
}

/** Has the target record calls, and reads the CPU times just before the instant. */
async function watch(sink: Sink, pid: number, { jobs, dueAt }: { jobs: number; dueAt: number }) {
  sink.send({ kind: 'begin', expected: jobs });
  await sink.receive('begun', answerWithinMs);
  await sleepUntil(dueAt - beforeMs);
  const cpuBefore = cpuTimes(pid);
  const sinkBefore = cpuSeconds(sink.pid);
  return {
    offset: wallOffset(),
    async end(doneAt: number): Promise<{ round: Round; arrived: SinkReport }> {
      const cpu = cpuUse(pid, cpuBefore);
      const peakRssMb = residentMb(pid, 'peak');
      const sinkCpuSeconds = cpuSeconds(sink.pid) - sinkBefore;
      sink.send({ kind: 'report' });
      const arrived = await sink.receive('report', answerWithinMs);
      const lateness = arrived.arrivedAt.map((at) => at - dueAt).toSorted();
      const makespanMs = doneAt - dueAt;
      const shareOfCores = cpu.cpuSeconds / availableParallelism();
      const round = {
        latenessP50Ms: percentile(lateness, 50),
        latenessP99Ms: percentile(lateness, 99),
        latenessMaxMs: percentile(lateness, 100),
        makespanMs,
        jobsPerSecond: jobs / (makespanMs / 1_000),
        mainWaitedMs: cpu.mainWaitedSeconds * 1e3,
        cpuPerRunUs: (cpu.cpuSeconds * 1e6) / jobs,
        busiestThreadPerRunUs: (cpu.busiestThreadSeconds * 1e6) / jobs,
        jobsPerSecondApart: jobs / Math.max(cpu.busiestThreadSeconds, shareOfCores),
        sinkCpuPerRunUs: (sinkCpuSeconds * 1e6) / jobs,
        peakRssMb,
      };
      return { round, arrived };
    },
  };
}

/** Compares the recorded runs with the calls that arrived. */
function audit(jobs: number, runs: readonly RecordedRun[], arrived: SinkReport): Audit {
  const success = runs.filter(({ status }) => status === 'success');
  const pathOf = new Map(runs.map(({ id, path }) => [id, path]));
  const called = new Set(arrived.path);
  return {
    recorded: success.length,
    otherwise: runs.length - success.length,
    missed: jobs - called.size,
    double: arrived.path.length - called.size,
    unknown: arrived.runId.filter((id, index) => pathOf.get(id) !== arrived.path[index]).length,
  };
}

/** Whether nothing went wrong. */
export function isClean(jobs: number, found: Audit): boolean {
  const { recorded, otherwise, missed, double, unknown } = found;
  return recorded === jobs && otherwise + missed + double + unknown === 0;
}

/** Sleeps until a wall-clock instant; false if it had already passed. */
export async function sleepUntil(at: number): Promise<boolean> {
  const leftMs = at - Date.now();
  if (leftMs > 0) await setTimeout(leftMs);
  return leftMs > 0;
}
