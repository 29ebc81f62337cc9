/** getJob, asked at a steady pace, while many jobs are due at one instant. */

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openStore } from '../src/store/open.ts';
import type { Store } from '../src/store/database/store.ts';
import type { Options } from './api.ts';
import { latencyOf, temporaryDirectory, type Latency } from './bench.ts';
import { ask, startClient, startJobd, startSink } from './processes.ts';
import { copyStore, isOver, makeDue, recordedRuns, seedStore, type Seed } from './seed.ts';

/** getJob in one storm: before the instant, and while the calls were made. */
export interface StormRound {
  /** From the due instant until the last run was recorded. */
  makespanMs: number;
  idle: Latency;
  during: Latency;
}

/** A getJob is sent every so many milliseconds, whether or not the one before is answered. */
const everyMs = 2;
/** Enough connections that no request waits for one. */
const connections = 256;
const warmRequests = 2_000;
/** How long it is asked before the instant, to compare with. */
const idleMs = 2_000;
/** From the start of jobd until it is asked. */
const startMs = 4_000;
const pollMs = 20;

function longestStormMs(jobs: number): number {
  return 5_000 + jobs / 2;
}

function pacedRequests(jobs: number): number {
  return Math.ceil((idleMs + longestStormMs(jobs)) / everyMs);
}

/** All rounds, each on a copy of one store. */
export async function stormRounds(options: Options): Promise<StormRound[]> {
  using directory = temporaryDirectory();
  await using sink = await startSink();
  const seed = await seedStore(join(directory.path, 'seed'), {
    origin: sink.origin,
    jobs: options.storm,
    requests: warmRequests + pacedRequests(options.storm) + connections,
  });
  const rounds: StormRound[] = [];
  while (rounds.length < options.rounds) rounds.push(await stormRound(options, seed));
  return rounds;
}

/** Throws if a run is not made, or the storm takes longer than the requests. */
async function stormRound(options: Options, seed: Seed): Promise<StormRound> {
  using directory = temporaryDirectory();
  const dataDir = copyStore(seed.dataDir, join(directory.path, 'jobd'));
  const dueAt = Math.ceil((Date.now() + startMs + idleMs) / 1_000) * 1_000;
  await makeDue(dataDir, 'job', dueAt);
  await using server = await startJobd(options, dataDir);
  await using store = await openStore(dataDir);
  await using client = await startClient(server, seed, connections);
  const operation = 'getJob';
  await ask(client, { operation, count: warmRequests, pace: { inFlight: connections } });
  const waitMs = dueAt - idleMs - Date.now();
  if (waitMs < 0) throw new Error('jobd was not up in time: the machine is too busy');
  await setTimeout(waitMs);

  const count = pacedRequests(options.storm);
  const [{ sentAt, latencyMs }, doneAt] = await Promise.all([
    ask(client, { operation, count, pace: { everyMs } }),
    waitUntilOver(store, dueAt, dueAt + longestStormMs(options.storm)),
  ]);

  const runs = await recordedRuns(store, dueAt);
  const made = runs.filter(({ status }) => status === 'success').length;
  if (made !== options.storm) throw new Error(`${made} of ${options.storm} runs succeeded`);
  const between = (from: number, to: number): number[] =>
    [...latencyMs].filter((_, index) => {
      const at = sentAt[index] ?? NaN;
      return at >= from && at < to;
    });
  return {
    makespanMs: doneAt - dueAt,
    // Requests of the last 50 ms may still be open at the instant.
    idle: latencyOf(between(dueAt - idleMs, dueAt - 50)),
    during: latencyOf(between(dueAt, doneAt)),
  };
}

/** Resolves with the time at which every run was recorded, to within 20 ms. */
async function waitUntilOver(store: Store, dueAt: number, giveUpAt: number): Promise<number> {
  await setTimeout(dueAt - Date.now());
  while (!(await isOver(store, dueAt))) {
    if (Date.now() > giveUpAt) throw new Error('the storm was not over in time');
    await setTimeout(pollMs);
  }
  return Date.now();
}
