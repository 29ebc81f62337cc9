/**
 * Requests to jobd, run as users run it, beside a bare fastify handler that sends the same SQL; and
 * getJob while many runs go out. docs/benchmarks.md says what the figures mean.
 */

import { join } from 'node:path';
import type { Pair, StormRound } from './api-figures.ts';
import { parseOptions, usage } from './api-options.ts';
import type { Options } from './api-options.ts';
import { describe, describeStorms, summarise } from './api-report.ts';
import { plan, requestsOfRound, round } from './api-rounds.ts';
import { seedStore } from './api-seed.ts';
import { requestsOfStorm, stormRound } from './api-storm.ts';
import { temporaryDirectory } from './directory.ts';
import { startSink } from './start-sink.ts';
import { describeSurroundings, machine } from './surroundings.ts';
import { run } from './run.ts';

/** Nothing listens there, and nothing is due. */
const nowhere = 'http://127.0.0.1:9';

async function operationRounds(options: Options): Promise<Pair[]> {
  using directory = temporaryDirectory();
  const { jobs } = options;
  const requests = requestsOfRound(options);
  const seed = await seedStore(join(directory.path, 'seed'), { origin: nowhere, jobs, requests });
  const pairs: Pair[] = [];
  for (let number = 0; number < options.rounds; number += 1) {
    pairs.push(...(await round(options, seed, number)));
  }
  return pairs;
}

async function stormRounds(options: Options): Promise<StormRound[]> {
  using directory = temporaryDirectory();
  await using sink = await startSink();
  const seed = await seedStore(join(directory.path, 'seed'), {
    origin: sink.origin,
    jobs: options.storm,
    requests: requestsOfStorm(options),
  });
  const storms: StormRound[] = [];
  for (let number = 0; number < options.rounds; number += 1) {
    storms.push(await stormRound(options, seed));
  }
  return storms;
}

/** What the figures were taken on. */
function surroundings({ rounds, requests, concurrency, jobs }: Options) {
  return {
    ...machine(),
    rounds,
    requests,
    concurrency,
    jobs,
  };
}

async function main(options: Options): Promise<void> {
  const print = (text: string): void => {
    if (!options.json) process.stdout.write(text);
  };
  const on = surroundings(options);
  print(describeSurroundings(on));

  const pairs = await operationRounds(options);
  const summaries = plan(options).map(({ operation }) =>
    summarise(pairs.filter((pair) => pair.operation === operation)),
  );
  print(`\n${describe(summaries)}`);
  const storms = options.storm > 0 ? await stormRounds(options) : [];
  if (storms.length > 0) print(`\n${describeStorms(options.storm, storms)}`);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ ...on, summaries, pairs, storms }, null, 2)}\n`);
  }
}

await run({ name: 'api', usage, parseOptions, main });
