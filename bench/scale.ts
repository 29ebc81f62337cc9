/**
 * What it costs to keep many jobs that are not due: start, memory and CPU of an idle jobd, and of one that makes the
 * same calls, beside a small store. And what a page of a long history takes, wherever it is. docs/benchmarks.md says
 * what the figures mean.
 */

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openStore } from '../src/store/open.ts';
import { listRuns } from '../src/store/runs.ts';
import type { RunPosition } from '../src/store/runs.ts';
import { startJobd } from './api-server.ts';
import { temporaryDirectory } from './directory.ts';
import { forgetFile } from './page-cache.ts';
import { cpuSeconds, peakRssMb, rssMb } from './processes.ts';
import { makePeriodic, seedHistory } from './prune-seed.ts';
import { run } from './run.ts';
import { parseOptions, usage } from './scale-options.ts';
import type { Options } from './scale-options.ts';
import { seedJobs } from './scale-seed.ts';
import { startSink } from './start-sink.ts';
import { median } from './statistics.ts';
import { describeSurroundings, machine } from './surroundings.ts';

/** What a start does is over when so long a stretch takes hardly any CPU time. */
const quietMs = 2_000;
const quietSeconds = 0.02;
const longestSettleMs = 300_000;
const leadMs = 2_000;

interface Part {
  startUpMs: number;
  /** Until it is at rest, after it listened. */
  settleMs: number;
  /** Percent of one core. */
  cpuPercent: number;
  rssMb: number;
  peakRssMb: number;
}

interface Figures {
  jobs: number;
  idle: Part;
  busy: Part;
}

/** `restMs`: how long it takes to come to rest; null to find out, which can be done only where nothing is due. */
async function look(options: Options, dataDir: string, restMs: number | null): Promise<Part> {
  await using server = await startJobd(options, dataDir);
  const { pid, startUpMs } = server;
  if (restMs !== null) await setTimeout(restMs);
  const settleMs = restMs ?? (await settle(pid));
  const before = cpuSeconds(pid);
  await setTimeout(options.seconds * 1_000);
  const spent = cpuSeconds(pid) - before;
  return {
    startUpMs,
    settleMs,
    cpuPercent: (100 * spent) / options.seconds,
    rssMb: rssMb(pid),
    peakRssMb: peakRssMb(pid),
  };
}

/** Waits until a process is at rest. Resolves with how long it took, in milliseconds. */
async function settle(pid: number): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < longestSettleMs) {
    const before = cpuSeconds(pid);
    await setTimeout(quietMs);
    if (cpuSeconds(pid) - before < quietSeconds) break;
  }
  return performance.now() - began - quietMs;
}

async function measure(options: Options, jobs: number, origin: string): Promise<Figures> {
  using directory = temporaryDirectory();
  const dataDir = join(directory.path, 'jobd');
  await seedJobs(dataDir, origin, jobs);
  const idle = await look(options, dataDir, null);
  await makePeriodic(dataDir, Date.now() + leadMs, options.due);
  return { jobs, idle, busy: await look(options, dataDir, idle.settleMs) };
}

/** Microseconds that a page of 50 takes: the first, one of the middle, one of the end. */
async function pageTimes(runs: number, origin: string): Promise<[number, number, number]> {
  using directory = temporaryDirectory();
  const dataDir = join(directory.path, 'jobd');
  const seed = await seedHistory(dataDir, { origin, jobs: 1, runs, requests: 0 });
  await using store = await openStore(dataDir);
  const jobId = seed.jobIds[0] ?? '';
  const scheduledFor = async (offset: number): Promise<RunPosition> =>
    await store.db
      .selectFrom('runs')
      .select(['scheduled_for as scheduledFor', 'source'])
      .orderBy('scheduled_for', 'desc')
      .limit(1)
      .offset(offset)
      .executeTakeFirstOrThrow();
  const places = [null, await scheduledFor(runs >> 1), await scheduledFor(runs - 60)];
  const times = places.map((): number[] => []);
  for (let round = 0; round < 500; round += 1) {
    for (const [index, before] of places.entries()) {
      const began = performance.now();
      await listRuns(store.db, jobId, { limit: 50, before });
      times[index]?.push((performance.now() - began) * 1_000);
    }
  }
  const [first = NaN, middle = NaN, last = NaN] = times.map(median);
  return [first, middle, last];
}

async function main(options: Options): Promise<void> {
  const { few, many, due, seconds } = options;
  const on = { ...machine(), few, many, due, seconds };
  if (!options.json) process.stdout.write(describeSurroundings(on));
  await using sink = await startSink();
  const { origin } = sink;
  forgetFile(options.bundle);
  const stores = [await measure(options, few, origin), await measure(options, many, origin)];
  const pagesUs = await pageTimes(many, origin);
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ ...on, stores, pagesUs }, null, 2)}\n`
      : describe(stores, pagesUs),
  );
}

function line(jobs: number, name: string, part: Part): string {
  const { startUpMs, settleMs, cpuPercent } = part;
  return `${jobs} jobs, ${name}: start ${startUpMs.toFixed(0)} ms, at rest ${settleMs.toFixed(0)} ms later, ${cpuPercent.toFixed(2)} % of a core, RSS ${part.rssMb.toFixed(0)} MB, peak ${part.peakRssMb.toFixed(0)} MB`;
}

function describe(stores: readonly Figures[], pagesUs: readonly number[]): string {
  const [first = NaN, ...others] = pagesUs;
  return `${[
    ...stores.flatMap(({ jobs, idle, busy }) => [
      line(jobs, 'nothing due', idle),
      line(jobs, 'the same calls', busy),
    ]),
    `page of 50 runs: first ${first.toFixed(0)} µs, middle and end over it ${others.map((us) => (us / first).toFixed(2)).join(', ')}`,
  ].join('\n')}\n`;
}

await run({ name: 'scale', usage, parseOptions, main });
