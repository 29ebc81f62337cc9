/**
 * A steady rate of calls for half an hour: whether memory, open files and the disk space of a run stay the same, and no
 * run is missed. docs/benchmarks.md explains the figures.
 */

import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openStore } from '../src/store/open.ts';
import { storePath } from '../src/store/sqlite/reader.ts';
import type { Store } from '../src/store/database/store.ts';
import { common, latencyOf, run, startOutput, temporaryDirectory, wholeNumber } from './bench.ts';
import type { Latency, OptionsOf } from './bench.ts';
import { cpuSeconds, residentMb, startJobd, startSink } from './processes.ts';
import { makePeriodic, runsBetween, seedStore } from './seed.ts';

const declared = {
  // Each job is called once a minute.
  rate: wholeNumber('runs a second', [500, 1, 5_000]),
  minutes: wholeNumber('how long', [30, 1, 600]),
  ...common,
};
type Options = OptionsOf<typeof declared>;

/** The state at one moment. */
interface Sample {
  /** Seconds since the first due time. */
  second: number;
  rssMb: number;
  /** Open files, sockets included. */
  files: number;
  sockets: number;
  databaseMb: number;
  logMb: number;
  cpuSeconds: number;
  /** Runs that are recorded. */
  runs: number;
}

interface Figures {
  samples: Sample[];
  /** Runs that were due, and how many of them succeeded and were missed. */
  due: number;
  recorded: number;
  missed: number;
  /** Start of each call minus its due time. */
  lateness: Latency;
}

/** The last third of the time over the middle one, when everything is warm. */
interface Verdict {
  rssRatio: number;
  filesRatio: number;
  bytesPerRunRatio: number;
  isSteady: boolean;
}

/** Time for the server to start before the first due time. */
const leadMs = 5_000;
const sampleMs = 10_000;
/** Time for the last calls to end. */
const settleMs = 5_000;

async function measure(options: Options): Promise<Figures> {
  using directory = temporaryDirectory();
  const dataDir = join(directory.path, 'jobd');
  await using sink = await startSink();
  const { origin } = sink;
  await seedStore(dataDir, { origin, jobs: options.rate * 60, requests: 0 });
  const beginsAt = Date.now() + leadMs;
  await makePeriodic(dataDir, beginsAt);
  await using server = await startJobd(options, dataDir);
  await using store = await openStore(dataDir);
  const endsAt = beginsAt + options.minutes * 60_000;
  const samples: Sample[] = [];
  for (let at = beginsAt + sampleMs; at <= endsAt; at += sampleMs) {
    await setTimeout(Math.max(0, at - Date.now()));
    // Else the target would keep a record of every request.
    sink.send({ kind: 'begin', expected: Infinity });
    samples.push(await takeSample(server.pid, store, dataDir, (Date.now() - beginsAt) / 1_000));
  }
  await setTimeout(settleMs);
  const { latenessMs, success, missed } = await runsBetween(store, beginsAt, endsAt);
  const due = options.rate * 60 * options.minutes;
  return { samples, due, recorded: success, missed, lateness: latencyOf(latenessMs) };
}

async function takeSample(
  pid: number,
  store: Store,
  dataDir: string,
  second: number,
): Promise<Sample> {
  const links = readdirSync(`/proc/${pid}/fd`).map((name) => linkOf(`/proc/${pid}/fd/${name}`));
  const { runs } = await store.db
    .selectFrom('jobs')
    .select((of) => of.fn.sum<number>('total_success').as('runs'))
    .executeTakeFirstOrThrow();
  const path = storePath(dataDir);
  return {
    second,
    rssMb: residentMb(pid, 'now'),
    files: links.length,
    sockets: links.filter((link) => link.startsWith('socket:')).length,
    databaseMb: statSync(path).size / 1e6,
    logMb: statSync(`${path}-wal`).size / 1e6,
    cpuSeconds: cpuSeconds(pid),
    runs,
  };
}

/** Empty if it was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

async function main(options: Options): Promise<boolean> {
  const { rate, minutes } = options;
  const output = startOutput(options.json, { rate, minutes });
  const figures = await measure(options);
  const verdict = judge(figures);
  output.text(`\n${describe(figures, verdict)}`);
  output.document({ ...figures, ...verdict });
  return verdict.isSteady;
}

/** A higher ratio is growth, not noise. */
const mostGrowth = 1.1;

function judge({ samples, due, recorded, missed }: Figures): Verdict {
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const ratio = (of: (sample: Sample) => number): number => mean(last, of) / mean(middle, of);
  const rssRatio = ratio(({ rssMb }) => rssMb);
  const filesRatio = ratio(({ files }) => files);
  const bytesPerRunRatio = bytesPerRun(last) / bytesPerRun(middle);
  const grows = [rssRatio, filesRatio, bytesPerRunRatio].some((growth) => growth > mostGrowth);
  const isComplete = missed === 0 && recorded >= due;
  return { rssRatio, filesRatio, bytesPerRunRatio, isSteady: !grows && isComplete };
}

function mean(samples: readonly Sample[], of: (sample: Sample) => number): number {
  return samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
}

function bytesPerRun(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return NaN;
  return ((last.databaseMb - first.databaseMb) * 1e6) / (last.runs - first.runs);
}

function describe(figures: Figures, verdict: Verdict): string {
  const { samples, due, recorded, missed, lateness } = figures;
  const { rssRatio, filesRatio, bytesPerRunRatio, isSteady } = verdict;
  const every = Math.max(1, Math.floor(samples.length / 10));
  const shown = samples.filter((_, index) => index % every === every - 1);
  const last = samples.at(-1);
  const cpu = last === undefined ? NaN : (last.cpuSeconds / last.second) * 100;
  return `${[
    'second  RSS MB  files  sockets  database MB  log MB  runs',
    ...shown.map(({ second, rssMb, files, sockets, databaseMb, logMb, runs }) =>
      [second, rssMb, files, sockets, databaseMb, logMb, runs]
        .map((value) => value.toFixed(0).padStart(6))
        .join('  '),
    ),
    '',
    `${due} due, ${recorded} recorded, ${missed} missed; lateness p50 ${lateness.p50Ms} p99 ${lateness.p99Ms} max ${lateness.maxMs} ms; ${cpu.toFixed(1)} % of a core`,
    `last third over middle third: RSS ${rssRatio.toFixed(3)}, open files ${filesRatio.toFixed(3)}, bytes a run ${bytesPerRunRatio.toFixed(3)} (${bytesPerRun(samples.slice(-Math.ceil(samples.length / 3))).toFixed(0)} bytes)`,
    isSteady ? 'steady' : 'NOT steady',
  ].join('\n')}\n`;
}

await run('soak', 'memory, open files and disk space at a steady rate of calls', declared, main);
