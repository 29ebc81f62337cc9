/**
 * A plan is lowered and most of a long history is pruned, while jobs are called and getJob is asked: latency and
 * lateness meanwhile, beside those of the time before. docs/benchmarks.md explains the figures.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setPlan } from '../src/app/accounts/accounts.ts';
import { systemClock } from '../src/domain/clock.ts';
import { openStore } from '../src/store/open.ts';
import { storePath } from '../src/store/sqlite/reader.ts';
import type { Store } from '../src/store/database/store.ts';
import { countResults } from '../src/store/accounts/usage.ts';
import { common, latencyOf, run, startOutput, temporaryDirectory, wholeNumber } from './bench.ts';
import type { Latency, OptionsOf } from './bench.ts';
import { ask, cpuSeconds, startClient, startJobd, startSink, type Client } from './processes.ts';
import { latenessBetween, makePeriodic, seedHistory } from './seed.ts';

const declared = {
  runs: wholeNumber(
    'runs in the store; all but 100000 are pruned',
    [1_000_000, 120_000, 1_000_000],
  ),
  jobs: wholeNumber('jobs that are called once a minute', [1_000, 10, 1_000]),
  seconds: wholeNumber('how long to measure before the plan is lowered', [60, 5, 600]),
  ...common,
};
type Options = OptionsOf<typeof declared>;

/** A getJob is sent every so many milliseconds, whether or not the one before is answered. */
const everyMs = 5;
const connections = 64;
/** Enough keys for that pace: each may ask 120 times a minute, and is seeded for 100. */
const requestsAMinute = 60_000 / everyMs;
const warmMs = 10_000;
const longestPruneMs = 15 * 60_000;
/** Runs that are made before the plan is lowered. The seeded ones leave room for them below the limit of the plan. */
const runsMeanwhile = 5_000;
/** A log line with more results than this is that of the lowered plan. */
const manyResults = 10_000;

/** What jobd logs about pruning. */
interface Pruned {
  removed: { history?: number };
  longestWriteMs: number;
  at: number;
}

/** What was measured in a period of time. */
interface Period {
  seconds: number;
  getJob: Latency;
  /** Start of each call minus its due time. */
  lateness: Latency;
}

interface Figures {
  runsBefore: number;
  runsAfter: number;
  bytesBefore: number;
  bytesAfter: number;
  /** The write-ahead log. */
  logBytesAfter: number;
  /** From the change of the plan until the first run was removed. */
  waitSeconds: number;
  longestWriteMs: number;
  /** Computed: the CPU time of jobd until the last run was removed, without what it took before in as long, a removed run. */
  cpuPerRunUs: number;
  without: Period;
  during: Period;
}

interface Sample {
  sentAt: number;
  latencyMs: number;
}

async function askFor(client: Client, ms: number): Promise<Sample[]> {
  const task = { operation: 'getJob', count: Math.ceil(ms / everyMs), pace: { everyMs } } as const;
  const { sentAt, latencyMs } = await ask(client, task);
  return [...latencyMs].map((latency, index) => {
    return { sentAt: sentAt[index] ?? NaN, latencyMs: latency };
  });
}

async function periodOf(
  store: Store,
  samples: readonly Sample[],
  [from, to]: [from: number, to: number],
): Promise<Period> {
  const during = samples.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  return {
    seconds: (to - from) / 1_000,
    getJob: latencyOf(during.map(({ latencyMs }) => latencyMs)),
    lateness: latencyOf(await latenessBetween(store, from, to)),
  };
}

async function measure(options: Options): Promise<Figures> {
  using directory = temporaryDirectory();
  const dataDir = join(directory.path, 'jobd');
  await using sink = await startSink();
  const seed = await seedHistory(dataDir, {
    origin: sink.origin,
    jobs: options.jobs,
    runs: options.runs - runsMeanwhile,
    requests: 3 * requestsAMinute,
  });
  await makePeriodic(dataDir, Date.now() + 2_000);
  const pruned: Pruned[] = [];
  const onLog = (lines: string): void => {
    for (const line of lines.split('\n')) {
      if (!line.includes('"msg":"pruned"')) continue;
      pruned.push({ ...(JSON.parse(line) as Pruned), at: Date.now() });
    }
  };
  await using server = await startJobd(options, dataDir, { onLog });
  await using store = await openStore(dataDir);
  await using client = await startClient(server, seed, connections);
  const { id } = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();

  await askFor(client, warmMs);
  const beganAt = Date.now();
  const cpuBegan = cpuSeconds(server.pid);
  const before = await askFor(client, options.seconds * 1_000);
  const loweredAt = Date.now();
  const cpuLowered = cpuSeconds(server.pid);
  const runsBefore = await countResults(store.db, id);
  const bytesBefore = statSync(storePath(dataDir)).size;
  if (pruned.length > 0) throw new Error('something was pruned before the plan was lowered');
  await setPlan({ store, clock: systemClock }, 'default', 'business');

  const giveUpAt = loweredAt + longestPruneMs;
  const firstAt = waitForFirst(store, id, { runsBefore, giveUpAt });
  const end = (): Pruned | undefined =>
    pruned.find(({ removed }) => (removed.history ?? 0) > manyResults);
  const samples: Sample[] = [];
  while (end() === undefined) {
    if (Date.now() > giveUpAt) throw new Error('pruning does not end');
    samples.push(...(await askFor(client, 5_000)));
  }
  const cpuPruned = cpuSeconds(server.pid) - cpuLowered;
  const usualShare = (cpuLowered - cpuBegan) / (loweredAt - beganAt);
  const cpuPruning = cpuPruned - usualShare * (Date.now() - loweredAt);
  const range: [number, number] = [await firstAt, end()?.at ?? NaN];
  const runsAfter = await countResults(store.db, id);
  return {
    runsBefore,
    runsAfter,
    bytesBefore,
    bytesAfter: statSync(storePath(dataDir)).size,
    logBytesAfter: statSync(`${storePath(dataDir)}-wal`).size,
    waitSeconds: (range[0] - loweredAt) / 1_000,
    longestWriteMs: Math.max(...pruned.map(({ longestWriteMs }) => longestWriteMs)),
    cpuPerRunUs: (cpuPruning * 1e6) / (runsBefore - runsAfter),
    without: await periodOf(store, before, [beganAt, loweredAt]),
    during: await periodOf(store, samples, range),
  };
}

/** Resolves with the time at which the first run was removed, to within 100 ms. */
async function waitForFirst(
  store: Store,
  accountId: string,
  { runsBefore, giveUpAt }: { runsBefore: number; giveUpAt: number },
): Promise<number> {
  while (Date.now() < giveUpAt && (await countResults(store.db, accountId)) >= runsBefore) {
    await setTimeout(100);
  }
  return Date.now();
}

async function main(options: Options): Promise<void> {
  const { runs, jobs, seconds } = options;
  const output = startOutput(options.json, { runs, jobs, seconds });
  const figures = await measure(options);
  output.text(`\n${describe(figures)}`);
  output.document(figures);
}

function describe(figures: Figures): string {
  const { without, during, runsBefore, runsAfter, bytesBefore, bytesAfter } = figures;
  return `${[
    `runs ${runsBefore} → ${runsAfter}, file ${megabytes(bytesBefore)} → ${megabytes(bytesAfter)}, log ${megabytes(figures.logBytesAfter)}`,
    `pruning began after ${figures.waitSeconds.toFixed(1)} s and took ${during.seconds.toFixed(1)} s; longest write ${figures.longestWriteMs} ms; ${figures.cpuPerRunUs.toFixed(0)} µs of CPU a run`,
    ...rows('getJob', without.getJob, during.getJob),
    ...rows('lateness', without.lateness, during.lateness),
  ].join('\n')}\n`;
}

function rows(name: string, without: Latency, during: Latency): string[] {
  return [
    `${name} without: ${cells(without)}`,
    `${name} during:  ${cells(during)}`,
    `${name} p99 during / without: ${(during.p99Ms / without.p99Ms).toFixed(2)}`,
  ];
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function cells({ requests, p50Ms, p99Ms, maxMs }: Latency): string {
  return `${requests} times, p50 ${p50Ms.toFixed(1)} p99 ${p99Ms.toFixed(1)} max ${maxMs.toFixed(1)} ms`;
}

await run('prune', 'getJob and lateness of calls while a lowered plan is pruned', declared, main);
