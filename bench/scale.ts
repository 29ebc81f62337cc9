/**
 * What jobs cost that are stored and not due: start, memory and CPU of jobd when nothing is due, and when 1,000 of them are
 * called once a minute, in a large store and a small one. And what a page of a long history takes, wherever it is.
 * docs/benchmarks.md explains the figures.
 */

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openStore } from '../src/store/open.ts';
import { listRuns } from '../src/store/runs/runs.ts';
import type { RunPosition } from '../src/store/runs/runs.ts';
import { common, median, run, startOutput, temporaryDirectory, wholeNumber } from './bench.ts';
import type { OptionsOf } from './bench.ts';
import { cpuSeconds, dropFromCache, residentMb, startJobd, startSink } from './processes.ts';
import { makePeriodic, seedCopies, seedHistory } from './seed.ts';

const declared = {
  few: wholeNumber('jobs in the small store', [10_000, 1_000, 100_000]),
  many: wholeNumber(
    'jobs in the large one, and runs of the job whose pages are read',
    [1_000_000, 1_000, 2_000_000],
  ),
  due: wholeNumber(
    'jobs of both that are called once a minute in the second part',
    [1_000, 1, 1_000],
  ),
  seconds: wholeNumber('how long to measure each part', [60, 5, 600]),
  ...common,
};
type Options = OptionsOf<typeof declared>;

/** A server is idle once a period of this length took less than this CPU time. */
const quietMs = 2_000;
const quietSeconds = 0.02;
const longestSettleMs = 300_000;
const leadMs = 2_000;

interface Part {
  startUpMs: number;
  /** From the moment it listened until it was idle. */
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

/** `knownSettleMs`: how long the start keeps it busy; null to measure it, which works only if nothing is due. */
async function measurePart(
  options: Options,
  dataDir: string,
  knownSettleMs: number | null,
): Promise<Part> {
  await using server = await startJobd(options, dataDir);
  const { pid, startUpMs } = server;
  if (knownSettleMs !== null) await setTimeout(knownSettleMs);
  const settleMs = knownSettleMs ?? (await settle(pid));
  const before = cpuSeconds(pid);
  await setTimeout(options.seconds * 1_000);
  const spent = cpuSeconds(pid) - before;
  return {
    startUpMs,
    settleMs,
    cpuPercent: (100 * spent) / options.seconds,
    rssMb: residentMb(pid, 'now'),
    peakRssMb: residentMb(pid, 'peak'),
  };
}

/** Waits until a process is idle. Resolves with how long it took, in milliseconds. */
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
  await seedCopies(dataDir, origin, jobs);
  const idle = await measurePart(options, dataDir, null);
  await makePeriodic(dataDir, Date.now() + leadMs, options.due);
  return { jobs, idle, busy: await measurePart(options, dataDir, idle.settleMs) };
}

/** Microseconds for a page of 50 runs: the first, the middle and the last one. */
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
  const output = startOutput(options.json, { few, many, due, seconds });
  await using sink = await startSink();
  const { origin } = sink;
  dropFromCache(options.bundle);
  const stores = [await measure(options, few, origin), await measure(options, many, origin)];
  const pagesUs = await pageTimes(many, origin);
  output.text(describe(stores, pagesUs));
  output.document({ stores, pagesUs });
}

function line(jobs: number, name: string, part: Part): string {
  const { startUpMs, settleMs, cpuPercent } = part;
  return `${jobs} jobs, ${name}: start ${startUpMs.toFixed(0)} ms, idle ${settleMs.toFixed(0)} ms later, ${cpuPercent.toFixed(2)} % of a core, RSS ${part.rssMb.toFixed(0)} MB, peak ${part.peakRssMb.toFixed(0)} MB`;
}

function describe(stores: readonly Figures[], [first = NaN, ...others]: readonly number[]): string {
  return `${[
    ...stores.flatMap(({ jobs, idle, busy }) => [
      line(jobs, 'nothing due', idle),
      line(jobs, 'the same calls', busy),
    ]),
    `page of 50 runs: first ${first.toFixed(0)} µs, middle and end over it ${others.map((us) => (us / first).toFixed(2)).join(', ')}`,
  ].join('\n')}\n`;
}

await run('scale', 'what jobs cost that are not due, and pages of a long history', declared, main);
