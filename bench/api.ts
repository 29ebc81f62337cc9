/**
 * Requests to jobd, run as users run it, beside a bare fastify server that does the same SQL; and getJob during a storm.
 * docs/benchmarks.md explains the figures.
 */

import { join } from 'node:path';
import { stormRounds, type StormRound } from './api-storm.ts';
import {
  common,
  latencyOf,
  median,
  medians,
  run,
  startOutput,
  sum,
  table,
  temporaryDirectory,
  wholeNumber,
} from './bench.ts';
import type { Option, OptionsOf } from './bench.ts';
import type { Answers, Operation } from './client.ts';
import { ask, cpuSeconds, startClient, startJobd, startServer } from './processes.ts';
import type { Client, HttpServer } from './processes.ts';
import { copyStore, countPings, seedStore, type Seed } from './seed.ts';

/** The part of `--requests` that each operation is asked. */
const shares: Readonly<Record<Operation, number>> = {
  getJob: 1,
  listJobs: 1 / 5,
  createJob: 1 / 4,
  ping: 1,
};

const operations: Option<Operation[]> = {
  value: 'NAMES',
  about: `what is asked, of ${Object.keys(shares).join(', ')}`,
  fallback: 'getJob,listJobs,createJob',
  read: (given = '', name) =>
    given.split(',').map((word) => {
      if (word in shares) return word as Operation;
      throw new Error(`${name} must be of ${Object.keys(shares).join(', ')}, got ${word}`);
    }),
};

const declared = {
  operations,
  requests: wholeNumber(
    'requests of getJob and ping a round; a fifth of listJobs, a quarter of createJob',
    [20_000, 1_000, 100_000],
  ),
  rounds: wholeNumber('rounds, of which the medians are shown', [5, 1, 100]),
  concurrency: wholeNumber('requests in flight, each on its own connection', [16, 1, 1_000]),
  jobs: wholeNumber('jobs in the store, and monitors', [10_000, 100, 1_000_000]),
  storm: wholeNumber('jobs due at once while getJob is asked; 0 for none', [10_000, 0, 100_000]),
  ...common,
};
export type Options = OptionsOf<typeof declared>;

interface Side {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** User and system time of the server, all threads. */
  serverCpuUs: number;
  /** The share of one core that the client used. Near 1, the client would be the bottleneck. */
  clientLoad: number;
}

/** One operation on both servers in one round. */
interface Pair {
  operation: Operation;
  jobd: Side;
  bare: Side;
}

/** The medians of an operation's rounds. `ratios` has the medians of each round's own ratio. */
interface Summary extends Pair {
  ratios: Side;
}

interface Asked {
  server: HttpServer;
  client: Client;
  dataDir: string;
  slices: { answers: Answers; serverCpuSeconds: number }[];
}

/** Nothing listens there, and nothing is due. */
const nowhere = 'http://127.0.0.1:9';
/** Requests that are not counted in `plan`: to compare answers, and for halves that are rounded up. */
const spareRequests = 100;
/** The store keeps this many pings of a monitor; above it, pings could not be counted. */
const pingsPerMonitor = 500;

/** How often each operation is asked in a round, and before it to warm up. */
function plan({ operations: names, requests }: Options) {
  return names.map((operation) => {
    const count = Math.ceil(requests * shares[operation]);
    return { operation, count, warm: Math.ceil(count / 4) };
  });
}

async function operationRounds(options: Options): Promise<Pair[]> {
  using directory = temporaryDirectory();
  const { jobs } = options;
  const requests = sum(plan(options).map(({ count, warm }) => count + warm)) + spareRequests;
  const dataDir = join(directory.path, 'seed');
  const seed = await seedStore(dataDir, { origin: nowhere, jobs, requests, monitors: jobs });
  const pairs: Pair[] = [];
  for (let number = 0; number < options.rounds; number += 1) {
    pairs.push(...(await round(options, seed, number)));
  }
  return pairs;
}

/** Both servers are new, on copies of one store, and asked in turns: jobd, bare, bare, jobd, or the other way round. */
async function round(options: Options, seed: Seed, number: number): Promise<Pair[]> {
  using directory = temporaryDirectory();
  const { concurrency } = options;
  const dataDirOf = (name: string): string => copyStore(seed.dataDir, join(directory.path, name));
  const dirs = { jobd: dataDirOf('jobd'), bare: dataDirOf('bare') };
  const bareCommand = [join(import.meta.dirname, 'bare-server.ts'), dirs.bare];
  const pairs: Pair[] = [];
  let pings = 0;
  {
    await using jobdServer = await startJobd(options, dirs.jobd);
    await using bareServer = await startServer(bareCommand, options);
    await using jobdClient = await startClient(jobdServer, seed, concurrency);
    await using bareClient = await startClient(bareServer, seed, concurrency);
    await compareAnswers(jobdServer.url, bareServer.url, seed);
    const jobd = { server: jobdServer, client: jobdClient, dataDir: dirs.jobd };
    const bare = { server: bareServer, client: bareClient, dataDir: dirs.bare };
    for (const { operation, count, warm } of plan(options)) {
      const half = Math.ceil(count / 2);
      const [a, b]: [Asked, Asked] = [
        { ...jobd, slices: [] },
        { ...bare, slices: [] },
      ];
      const task = { operation, pace: { inFlight: concurrency } };
      for (const { client } of [a, b]) await ask(client, { ...task, count: warm });
      for (const asked of number % 2 === 0 ? [a, b, b, a] : [b, a, a, b]) {
        const cpuBefore = cpuSeconds(asked.server.pid);
        const answers = await ask(asked.client, { ...task, count: half });
        const serverCpuSeconds = cpuSeconds(asked.server.pid) - cpuBefore;
        asked.slices.push({ answers, serverCpuSeconds });
      }
      pairs.push({ operation, jobd: sideOf(a.slices), bare: sideOf(b.slices) });
      if (operation === 'ping') pings = warm + 2 * half;
    }
  }
  for (const dataDir of [dirs.jobd, dirs.bare]) {
    const kept = await countPings(dataDir);
    if (kept !== pings) throw new Error(`${dataDir} has kept ${kept} of ${pings} pings`);
  }
  return pairs;
}

function sideOf(slices: Asked['slices']): Side {
  const { requests, p50Ms, p99Ms } = latencyOf(
    slices.flatMap(({ answers }) => [...answers.latencyMs]),
  );
  const seconds = sum(slices.map(({ answers }) => answers.seconds));
  return {
    requestsPerSecond: requests / seconds,
    p50Ms,
    p99Ms,
    serverCpuUs: (sum(slices.map((slice) => slice.serverCpuSeconds)) * 1e6) / requests,
    clientLoad: sum(slices.map(({ answers }) => answers.cpuSeconds)) / seconds,
  };
}

/** Throws if the yardstick does not answer reads as jobd does: it would do other work. */
async function compareAnswers(jobd: string, bare: string, { keys, jobIds }: Seed): Promise<void> {
  const headers = { authorization: `Bearer ${keys[0]}` };
  for (const path of [`/api/v1/jobs/${jobIds[0]}`, '/api/v1/jobs']) {
    const [ours, theirs] = await Promise.all(
      [jobd, bare].map(async (url) => {
        const body = (await (await fetch(url + path, { headers })).json()) as object;
        // Cursors may be written differently.
        return JSON.stringify({ ...body, nextCursor: '' });
      }),
    );
    if (ours !== theirs) throw new Error(`${path}: jobd answers ${ours}, bare ${theirs}`);
  }
}

function summarise(operation: Operation, pairs: readonly Pair[]): Summary {
  const ratio = (figure: keyof Side): number =>
    median(pairs.map(({ jobd, bare }) => jobd[figure] / bare[figure]));
  return {
    operation,
    jobd: medians(pairs.map(({ jobd }) => jobd)),
    bare: medians(pairs.map(({ bare }) => bare)),
    ratios: {
      requestsPerSecond: ratio('requestsPerSecond'),
      p50Ms: ratio('p50Ms'),
      p99Ms: ratio('p99Ms'),
      serverCpuUs: ratio('serverCpuUs'),
      clientLoad: ratio('clientLoad'),
    },
  };
}

async function main(options: Options): Promise<void> {
  const { rounds, requests, concurrency, jobs, storm } = options;
  const isTooMany = requests * 1.5 > jobs * pingsPerMonitor;
  if (isTooMany) throw new Error('--requests is too high for so few --jobs');
  const output = startOutput(options.json, { rounds, requests, concurrency, jobs });
  const pairs = await operationRounds(options);
  const summaries = options.operations.map((operation) =>
    summarise(
      operation,
      pairs.filter((pair) => pair.operation === operation),
    ),
  );
  output.text(`\n${describe(summaries)}`);
  const storms = storm > 0 ? await stormRounds(options) : [];
  if (storms.length > 0) output.text(`\n${describeStorms(storm, storms)}`);
  output.document({ summaries, pairs, storms });
}

function describe(summaries: readonly Summary[]): string {
  const head = ['', 'server', 'requests/s', 'p50 ms', 'p99 ms', 'server CPU µs', 'client load'];
  const rows = summaries.flatMap(({ operation, jobd, bare, ratios }) => [
    [operation, 'jobd', ...cells(jobd, 0)],
    ['', 'bare', ...cells(bare, 0)],
    ['', 'jobd/bare', ...cells(ratios, 2).slice(0, -1), ''],
  ]);
  return table([head, ...rows]);
}

function cells(side: Side, digits: number): string[] {
  return [
    side.requestsPerSecond.toFixed(digits),
    side.p50Ms.toFixed(2),
    side.p99Ms.toFixed(2),
    side.serverCpuUs.toFixed(digits),
    side.clientLoad.toFixed(2),
  ];
}

function describeStorms(jobs: number, storms: readonly StormRound[]): string {
  const row = (name: string, when: 'idle' | 'during'): string[] => {
    const { requests, p50Ms, p99Ms, maxMs } = medians(storms.map((storm) => storm[when]));
    return [name, requests.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1), maxMs.toFixed(1)];
  };
  const makespanMs = median(storms.map((storm) => storm.makespanMs));
  return (
    table([
      ['getJob while', 'requests', 'p50 ms', 'p99 ms', 'max ms'],
      row('nothing is due', 'idle'),
      row(`${jobs} runs are made`, 'during'),
    ]) + `the storm took ${makespanMs.toFixed(0)} ms\n`
  );
}

await run('api', 'requests to jobd beside a bare fastify server with the same SQL', declared, main);
