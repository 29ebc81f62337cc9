/** getJob, asked at a steady pace, while many jobs are due at one instant. */

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openStore } from '../src/store/open.ts';
import { latencyOf } from './api-figures.ts';
import type { StormRound } from './api-figures.ts';
import type { Options } from './api-options.ts';
import { ask, startClient } from './api-rounds.ts';
import { copyStore } from './api-seed.ts';
import type { Seed } from './api-seed.ts';
import { startJobd } from './api-server.ts';
import { temporaryDirectory } from './directory.ts';
import { isOver, makeDue, recordedRuns } from './seed.ts';

/** One getJob each so many milliseconds, whether or not the one before is answered. */
const everyMs = 2;
/** Enough that a request does not wait for a connection. */
const connections = 256;
const warmRequests = 2_000;
/** Asked before the instant, to compare with. */
const idleMs = 2_000;
/** From the start of jobd until it is asked. */
const startMs = 4_000;
const lookEveryMs = 20;

function longestStormMs(jobs: number): number {
  return 5_000 + jobs / 2;
}

/** Requests of one storm, warming up included. */
export function requestsOfStorm({ storm }: Options): number {
  return warmRequests + pacedRequests(storm) + connections;
}

function pacedRequests(jobs: number): number {
  return Math.ceil((idleMs + longestStormMs(jobs)) / everyMs);
}

/** Throws if a run is not made, or the storm outlasts the requests. */
export async function stormRound(options: Options, seed: Seed): Promise<StormRound> {
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
  const answering = ask(client, { operation, count, pace: { everyMs } });
  const overAt = lookUntilOver(store, dueAt, dueAt + longestStormMs(options.storm));
  const [{ sentAt, latencyMs }, doneAt] = await Promise.all([answering, overAt]);

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
    // Nothing that is still on its way at the instant belongs to the time before.
    idle: latencyOf(between(dueAt - idleMs, dueAt - 50)),
    during: latencyOf(between(dueAt, doneAt)),
  };
}

/** When every run was recorded, to within 20 ms. */
async function lookUntilOver(
  store: Awaited<ReturnType<typeof openStore>>,
  dueAt: number,
  giveUpAt: number,
): Promise<number> {
  await setTimeout(dueAt - Date.now());
  while (!(await isOver(store, dueAt))) {
    if (Date.now() > giveUpAt) throw new Error('the storm was not over in time');
    await setTimeout(lookEveryMs);
  }
  return Date.now();
}
