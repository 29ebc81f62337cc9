/**
 * Many jobs due at one instant, called by one node, by two and by more on one PostgreSQL database, with a target that takes a
 * while: what a machine more is worth. All nodes share the cores of this one. docs/benchmarks.md explains the figures.
 */

import { setTimeout } from 'node:timers/promises';
import { databaseOf, useServer } from '../test/support/running/local.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { openStore } from '../src/store/open.ts';
import {
  common,
  median,
  readWholeNumber,
  run,
  startOutput,
  table,
  temporaryDirectory,
  wholeNumber,
} from './bench.ts';
import type { Option, OptionsOf } from './bench.ts';
import { startJobd, startSink, type Sink } from './processes.ts';
import { isOver, makeDue, recordedRuns, seedJobs } from './seed.ts';

const nodes: Option<number[]> = {
  value: 'N[,N...]',
  about: 'how many nodes serve',
  fallback: '1,2,4',
  read: (given = '', name) => given.split(',').map((text) => readWholeNumber(text, name, 1, 16)),
};

const declared = {
  ...common,
  nodes,
  jobs: wholeNumber('jobs due at the instant', [3_000, 1, 100_000]),
  slots: wholeNumber('slots of each node', [64, 1, 10_000]),
  delay: wholeNumber('how long the target takes, in milliseconds', [200, 0, 60_000]),
  rounds: wholeNumber('rounds of each number of nodes, in turn', [3, 1, 100]),
};
type Options = OptionsOf<typeof declared>;

const longestMs = 300_000;
const pollMs = 10;

async function main(options: Options): Promise<boolean> {
  const { jobs, slots, delay, rounds } = options;
  const output = startOutput(options.json, { jobs, slots, delay, rounds });
  await using server = await startPostgres({ fsync: 'on' });
  await using sink = await startSink({ delayMs: delay, tls: null });
  const all = options.nodes.map((count) => ({ count, runsPerSecond: [] as number[] }));
  let isRight = true;
  for (let round = 0; round < rounds; round += 1) {
    for (const { count, runsPerSecond } of all) {
      const { seconds, calledOnce } = await storm(options, { server: server.url, sink, count });
      runsPerSecond.push(jobs / seconds);
      isRight &&= calledOnce === jobs;
    }
  }
  const figures = all.map(({ count, runsPerSecond }) => ({
    nodes: count,
    runsPerSecond: median(runsPerSecond),
  }));
  const base = figures[0]?.runsPerSecond ?? NaN;
  const rows = figures.map(({ nodes: count, runsPerSecond }) => [
    String(count),
    runsPerSecond.toFixed(0),
    (runsPerSecond / base).toFixed(2),
    ((count * slots * 1_000) / Math.max(delay, 1)).toFixed(0),
  ]);
  output.text(table([['nodes', 'runs/s', 'of the first', 'slots allow'], ...rows]));
  if (!isRight) output.text('not each job was called once\n');
  output.document({ figures, isRight });
  return isRight;
}

/** One storm on a database of its own. Returns how long it took, and how many jobs were called once with success. */
async function storm(
  { jobs, slots, bundle, cpuProf }: Options,
  { server, sink, count }: { server: string; sink: Sink; count: number },
): Promise<{ seconds: number; calledOnce: number }> {
  using directory = temporaryDirectory();
  const dataDir = directory.path;
  await useServer(dataDir, server);
  await seedJobs(dataDir, sink.origin, [{ prefix: 'job', count: jobs }]);
  await using running = new AsyncDisposableStack();
  const args = ['--slots', String(slots), '--slots-per-host', String(slots)];
  for (let started = 0; started < count; started += 1) {
    running.use(await startJobd({ bundle, cpuProf }, dataDir, { args }));
  }
  await using store = await openStore(databaseOf(dataDir) ?? dataDir);
  const dueAt = Date.now() + 3_000;
  await makeDue(dataDir, 'job', dueAt);
  await setTimeout(dueAt - Date.now());
  while (!(await isOver(store, dueAt))) {
    if (Date.now() > dueAt + longestMs) throw new Error(`not over after ${longestMs} ms`);
    await setTimeout(pollMs);
  }
  const seconds = (Date.now() - dueAt) / 1_000;
  const called = (await recordedRuns(store, dueAt)).filter(({ status }) => status === 'success');
  return { seconds, calledOnce: new Set(called.map(({ path }) => path)).size };
}

await run('nodes', 'a storm, called by several nodes', declared, main);
