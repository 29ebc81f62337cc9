/**
 * The same storm minute after minute: what one that has been up for a while needs for it. jobd calls at each full minute, a process of
 * undici half a minute later.
 */

import { openStore } from '../src/store/open.ts';
import { databaseOf } from '../test/support/running/local.ts';
import {
  common,
  grouped,
  medians,
  run,
  startOutput,
  table,
  temporaryDirectory,
  wholeNumber,
} from './bench.ts';
import type { OptionsOf } from './bench.ts';
import { startSink } from './processes.ts';
import { makeDue, seedJobs } from './seed.ts';
import {
  bareStorm,
  fastestConnections,
  isClean,
  jobdStorm,
  measureStartUp,
  plainStorm,
  sleepUntil,
  startBare,
  startServer,
} from './storm-rounds.ts';
import type { Audit, Round, Setting } from './storm-rounds.ts';

const declared = {
  jobs: wholeNumber('jobs due at each minute', [3_000, 1, 100_000]),
  minutes: wholeNumber('minutes; the medians are of the last half of them', [10, 2, 1_000]),
  hosts: wholeNumber('names of the target, called in turn; 0 for its address', [0, 0, 100_000]),
  ...common,
};

const minuteMs = 60_000;

async function main(options: OptionsOf<typeof declared>): Promise<boolean> {
  const { jobs, minutes, hosts } = options;
  const output = startOutput(options.json, { jobs, minutes, hosts });
  await using sink = await startSink();
  using directory = temporaryDirectory();
  const dataDir = directory.path;
  const setting: Setting = {
    options: { ...plainStorm, ...options, jobs: [jobs] },
    sink,
    env: {},
    startUpMs: 0,
    server: null,
  };
  setting.startUpMs = await measureStartUp(setting.options);
  const connections = await fastestConnections(setting, jobs);
  await seedJobs(dataDir, sink.origin, [{ prefix: 'job', count: jobs, hosts }]);
  const firstAt = Math.ceil((Date.now() + 2 * setting.startUpMs + 5_000) / minuteMs) * minuteMs;
  await makeDue(dataDir, 'job', firstAt, minuteMs);
  await using server = await startServer(setting, dataDir);
  await using store = await openStore(databaseOf(dataDir) ?? dataDir);
  await using bare = await startBare(setting, jobs, connections);

  const own: Round[] = [];
  const bareRounds: Round[] = [];
  const audits: Audit[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    const dueAt = firstAt + minute * minuteMs;
    await sleepUntil(dueAt - 2_000);
    const { round, audit } = await jobdStorm(setting, { store, server }, { jobs, dueAt });
    own.push(round);
    audits.push(audit);
    await sleepUntil(dueAt + minuteMs / 2 - 2_000);
    bareRounds.push(await bareStorm(setting, bare, { jobs, dueAt: dueAt + minuteMs / 2 }));
    output.text(
      `minute ${minute + 1}: jobd ${Math.round(round.makespanMs)} ms, undici ${Math.round(bareRounds.at(-1)?.makespanMs ?? NaN)} ms\n`,
    );
  }
  const last = (rounds: Round[]): Round => medians(rounds.slice(Math.floor(minutes / 2)));
  const callers = [
    { name: 'jobd', median: last(own), rounds: own },
    { name: 'undici.request', median: last(bareRounds), rounds: bareRounds },
  ];
  output.text(describe(callers, connections));
  output.document({ connections, callers, audits });
  return audits.every((found) => isClean(jobs, found));
}

function describe(
  callers: readonly { name: string; median: Round }[],
  connections: number,
): string {
  const head = ['last half', 'p99 ms', 'done ms', 'CPU µs/run', 'busiest thread', 'peak RSS MB'];
  const rows = callers.map(({ name, median }) => [
    name,
    ...[
      median.latenessP99Ms,
      median.makespanMs,
      median.cpuPerRunUs,
      median.busiestThreadPerRunUs,
      median.peakRssMb,
    ].map(grouped),
  ]);
  const [jobd, undici] = callers.map(({ median }) => median.makespanMs);
  const ratio = ((jobd ?? NaN) / (undici ?? NaN)).toFixed(2);
  return `${table([head, ...rows])}jobd over undici.request with ${connections} connections: ${ratio}\n`;
}

await run('minutes', 'the same storm minute after minute, jobd beside bare undici', declared, main);
