/**
 * Many jobs due at one instant: jobd, run as users run it, beside the same calls made by bare undici with as many
 * connections as suit it best. The rounds of both take turns, so that other load on the machine affects both.
 * docs/benchmarks.md explains the figures.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  common,
  flag,
  grouped,
  medians,
  readWholeNumber,
  run,
  startOutput,
  table,
  temporaryDirectory,
  wholeNumber,
} from './bench.ts';
import type { Option, OptionsOf } from './bench.ts';
import { signKinds, type SignKind } from '../src/domain/jobs/sign.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { dropFromCache, startSink } from './processes.ts';
import {
  bareRound,
  fastestConnections,
  isClean,
  jobdRound,
  measureStartUp,
} from './storm-rounds.ts';
import type { Audit, Round, Setting } from './storm-rounds.ts';
import { authority, servers, type KeyKind } from './target.ts';

const jobs: Option<number[]> = {
  value: 'N[,N...]',
  about: 'jobs due at the instant',
  fallback: '1000,10000',
  read: (given = '', name) =>
    given.split(',').map((text) => readWholeNumber(text, name, 1, 1_000_000)),
};

const tls: Option<KeyKind | null> = {
  value: 'KEY',
  about: `the target uses TLS, with a key of this kind: ${Object.keys(servers).join(' or ')}`,
  read(given) {
    if (given === undefined) return null;
    if (given === 'ecdsa' || given === 'rsa') return given;
    throw new Error(`--tls must be ${Object.keys(servers).join(' or ')}, got ${given}`);
  },
};

const slots: Option<number | null> = {
  value: 'N',
  about: "the most calls in flight of jobd, in all and to one host, instead of jobd's defaults",
  read: (given, name) => (given === undefined ? null : readWholeNumber(given, name, 1, 10_000)),
};

const sign: Option<SignKind | null> = {
  value: 'KIND',
  about: `jobd's jobs say who calls: ${signKinds.join(', ')}`,
  read(given) {
    if (given === undefined) return null;
    const kind = signKinds.find((known) => known === given);
    if (kind !== undefined) return kind;
    throw new Error(`--sign must be one of ${signKinds.join(', ')}, got ${given}`);
  },
};

const declared = {
  jobs,
  rounds: wholeNumber('rounds, of which the medians are shown', [5, 1, 100]),
  slots,
  delay: wholeNumber('milliseconds before the target answers', [0, 0, 10_000]),
  tls,
  hosts: wholeNumber('names of the target, called in turn; 0 for its address', [0, 0, 100_000]),
  warm: wholeNumber('calls to its address before the instant', [0, 0, 10_000]),
  history: wholeNumber('runs kept in the file before the instant', [0, 0, 950_000]),
  noReceipts: flag('jobd signs no receipts'),
  postgres: flag("jobd's data is on a PostgreSQL server of its own, on this machine"),
  secrets: flag("jobd's jobs have headers and bodies, which are sealed"),
  sign,
  ...common,
};
export type Options = OptionsOf<typeof declared>;

/** The storm of one N: every round, the medians, and jobd beside the yardstick. */
interface Storm {
  jobs: number;
  /** With which undici was fastest. */
  connections: number;
  callers: { name: string; rounds: readonly Round[]; median: Round }[];
  audits: readonly Audit[];
  comparison: Comparison;
}

interface Comparison {
  makespanRatio: number;
  /** Without what jobd records after the last call. */
  lastArrivalRatio: number;
  latenessP99Ratio: number;
  cpuPerRunBeyondUs: number;
  jobsPerSecondApartRatio: number;
}

async function storm(setting: Setting, count: number): Promise<Storm> {
  const connections = await fastestConnections(setting, count);
  const own: Round[] = [];
  const audits: Audit[] = [];
  const bare: Round[] = [];
  for (let round = 0; round < setting.options.rounds; round += 1) {
    const { round: figures, audit } = await jobdRound(setting, count);
    own.push(figures);
    audits.push(audit);
    bare.push(await bareRound(setting, count, connections));
  }
  const callers = [caller('jobd', own), caller('undici.request', bare)] as const;
  const comparison = compare(callers[0].median, callers[1].median);
  return { jobs: count, connections, callers: [...callers], audits, comparison };
}

function caller(name: string, rounds: readonly Round[]): Storm['callers'][number] {
  return { name, rounds, median: medians(rounds) };
}

function compare(jobd: Round, yardstick: Round): Comparison {
  const ratio = (figure: keyof Round): number => jobd[figure] / yardstick[figure];
  return {
    makespanRatio: ratio('makespanMs'),
    lastArrivalRatio: ratio('latenessMaxMs'),
    latenessP99Ratio: ratio('latenessP99Ms'),
    cpuPerRunBeyondUs: jobd.cpuPerRunUs - yardstick.cpuPerRunUs,
    jobsPerSecondApartRatio: ratio('jobsPerSecondApart'),
  };
}

/** Measures and prints. Returns whether every job was called once and recorded. */
async function main(options: Options): Promise<boolean> {
  const { slots: given, delay, hosts, warm, history, rounds } = options;
  const output = startOutput(options.json, {
    undici: versionOf('node_modules/undici/package.json'),
    slots: given ?? 'default',
    delay,
    tls: options.tls ?? 'no',
    hosts,
    warm,
    history,
    rounds,
  });
  await using sink = await startSink({ delayMs: delay, tls: options.tls });
  await using server = options.postgres ? await startPostgres({ fsync: 'on' }) : null;
  using directory = temporaryDirectory();
  const env = trustAuthority(directory.path);
  dropFromCache(options.bundle);
  const startUpMs = await measureStartUp(options);
  output.text(`jobd starts in ${Math.round(startUpMs)} ms\n`);
  const storms: Storm[] = [];
  for (const count of options.jobs) {
    const found = await storm(
      { options, sink, env, startUpMs, server: server?.url ?? null },
      count,
    );
    storms.push(found);
    output.text(`\n${describe(found)}`);
  }
  output.document({ startUpMs, storms });
  return storms.every((found) => found.audits.every((one) => isClean(found.jobs, one)));
}

function versionOf(packageFile: string): string {
  const text = readFileSync(join(import.meta.dirname, '..', packageFile), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The environment in which a Node program trusts the target, as an operator would set it. */
function trustAuthority(directory: string): Record<string, string> {
  const file = join(directory, 'authority.pem');
  writeFileSync(file, authority);
  return { NODE_EXTRA_CA_CERTS: file };
}

const columns: readonly [title: string, figure: (round: Round) => string][] = [
  ['p50 ms', (round) => milliseconds(round.latenessP50Ms)],
  ['p99 ms', (round) => milliseconds(round.latenessP99Ms)],
  ['last arrival ms', (round) => milliseconds(round.latenessMaxMs)],
  ['done ms', (round) => milliseconds(round.makespanMs)],
  ['jobs/s', (round) => grouped(round.jobsPerSecond)],
  ['waited ms', (round) => milliseconds(round.mainWaitedMs)],
  ['CPU µs/run', (round) => grouped(round.cpuPerRunUs)],
  ['busiest thread', (round) => grouped(round.busiestThreadPerRunUs)],
  ['jobs/s apart', (round) => grouped(round.jobsPerSecondApart)],
  ['target µs/run', (round) => grouped(round.sinkCpuPerRunUs)],
  ['peak RSS MB', (round) => grouped(round.peakRssMb)],
];

function describe({ jobs: count, connections, callers, audits, comparison }: Storm): string {
  const head = [`N = ${grouped(count)}`, ...columns.map(([title]) => title)];
  const rows = callers.map(({ name, median }) =>
    [name].concat(columns.map(([, figure]) => figure(median))),
  );
  const { makespanRatio, lastArrivalRatio, latenessP99Ratio, cpuPerRunBeyondUs } = comparison;
  const line =
    `jobd over undici.request with ${connections} connections: makespan ${makespanRatio.toFixed(2)}` +
    ` (to the last arrival ${lastArrivalRatio.toFixed(2)}),` +
    ` p99 lateness ${latenessP99Ratio.toFixed(2)},` +
    ` CPU ${cpuPerRunBeyondUs < 0 ? '−' : '+'}${grouped(Math.abs(cpuPerRunBeyondUs))} µs a run,` +
    ` jobs/s apart ${comparison.jobsPerSecondApartRatio.toFixed(2)}`;
  const sentences = audits.map((found) => {
    const { recorded, otherwise, missed, double, unknown } = found;
    const words = isClean(count, found) ? 'runs' : 'WRONG RUNS';
    return (
      `${words}: ${recorded} of ${count} recorded as success, ${otherwise} otherwise, ` +
      `${missed} not called, ${double} called twice, ${unknown} unknown`
    );
  });
  return `${table([head, ...rows])}${[line, ...sentences].join('\n')}\n`;
}

function milliseconds(value: number): string {
  return value < 100 ? value.toFixed(1) : grouped(value);
}

await run('storm', 'many jobs due at one instant, jobd beside bare undici', declared, main);
