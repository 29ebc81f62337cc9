/**
 * A steady rate of calls by three nodes on one PostgreSQL database. A third into the time one of them is killed, and two thirds
 * into it another is added. What the lost node had in flight is interrupted; nothing else may be missing, missed or called
 * twice. docs/benchmarks.md explains the figures.
 */

import { setTimeout } from 'node:timers/promises';
import { databaseOf, useServer } from '../test/support/running/local.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { openStore } from '../src/store/open.ts';
import { common, latencyOf, run, startOutput, temporaryDirectory, wholeNumber } from './bench.ts';
import type { Latency, OptionsOf } from './bench.ts';
import { residentMb, startJobd, startSink } from './processes.ts';
import type { HttpServer, Sink } from './processes.ts';
import { makePeriodic, runsBetween, seedJobs } from './seed.ts';

const declared = {
  // Each job is called once a minute.
  rate: wholeNumber('runs a second', [500, 1, 5_000]),
  minutes: wholeNumber('how long', [10, 3, 600]),
  delay: wholeNumber('how long the target takes, in milliseconds', [20, 0, 10_000]),
  ...common,
};
type Options = OptionsOf<typeof declared>;

interface Figures {
  due: number;
  success: number;
  interrupted: number;
  missed: number;
  /** Runs whose target was called more than once. */
  calledTwice: number;
  /** Start of each call minus its due time. */
  lateness: Latency;
  rssMb: number[];
}

const nodeCount = 3;
/** Time for the jobs to be given their due times before the first one. */
const leadMs = 5_000;
/** Time for the last calls to end. */
const settleMs = 5_000;
const reportWithinMs = 60_000;

async function measure(options: Options): Promise<Figures> {
  const { rate, minutes, delay } = options;
  await using server = await startPostgres({ fsync: 'on' });
  await using sink = await startSink({ delayMs: delay, tls: null });
  using directory = temporaryDirectory();
  const dataDir = directory.path;
  await useServer(dataDir, server.url);
  await seedJobs(dataDir, sink.origin, [{ prefix: 'job', count: rate * 60 }]);
  await using running = new AsyncDisposableStack();
  const start = async (): Promise<HttpServer> => running.use(await startJobd(options, dataDir));
  const lost = await start();
  const nodes: HttpServer[] = [];
  while (nodes.length < nodeCount - 1) nodes.push(await start());
  sink.send({ kind: 'begin', expected: Infinity });
  const beginsAt = Date.now() + leadMs;
  const lengthMs = minutes * 60_000;
  await makePeriodic(dataDir, beginsAt);
  await setTimeout(beginsAt + lengthMs / 3 - Date.now());
  process.kill(lost.pid, 'SIGKILL');
  await setTimeout(lengthMs / 3);
  nodes.push(await start());
  const endsAt = beginsAt + lengthMs;
  await setTimeout(endsAt + settleMs - Date.now());
  const rssMb = nodes.map(({ pid }) => residentMb(pid, 'now'));
  await using store = await openStore(databaseOf(dataDir) ?? dataDir);
  const { latenessMs, ...counts } = await runsBetween(store, beginsAt, endsAt);
  const calledTwice = await countCalledTwice(sink);
  return {
    due: rate * 60 * minutes,
    ...counts,
    calledTwice,
    lateness: latencyOf(latenessMs),
    rssMb,
  };
}

async function countCalledTwice(sink: Sink): Promise<number> {
  sink.send({ kind: 'report' });
  const { runId } = await sink.receive('report', reportWithinMs);
  return runId.length - new Set(runId).size;
}

async function main(options: Options): Promise<boolean> {
  const { rate, minutes, delay } = options;
  const output = startOutput(options.json, { rate, minutes, delay });
  const figures = await measure(options);
  const { due, success, interrupted, missed, calledTwice, lateness, rssMb } = figures;
  const isRight = success + interrupted === due && missed === 0 && calledTwice === 0;
  output.text(
    [
      `${due} due: ${success} called, ${interrupted} interrupted, ${missed} missed, ${calledTwice} called twice`,
      `lateness p50 ${lateness.p50Ms} p99 ${lateness.p99Ms} max ${lateness.maxMs} ms`,
      `RSS of each node ${rssMb.map((mb) => mb.toFixed(0)).join(', ')} MB`,
      isRight ? 'nothing is missing\n' : 'NOT everything was called or said to be interrupted\n',
    ].join('\n'),
  );
  output.document({ ...figures, isRight });
  return isRight;
}

await run('steady-nodes', 'a steady rate of calls while a node is lost and added', declared, main);
