/**
 * Many jobs due at one instant: jobd, run as users run it, beside the same calls made by bare undici.
 * Rounds alternate, so that what else the machine does meets all of them alike.
 * docs/benchmarks.md says what the figures mean.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isClean } from './audit.ts';
import type { Audit } from './audit.ts';
import { authority } from './certificates.ts';
import { temporaryDirectory } from './directory.ts';
import { compare, medianRound } from './figures.ts';
import type { Round } from './figures.ts';
import { forgetFile } from './page-cache.ts';
import { describe } from './report.ts';
import type { Storm } from './report.ts';
import { bareRound, jobdRound, measureStartUp } from './rounds.ts';
import type { Ground } from './rounds.ts';
import { startSink } from './start-sink.ts';
import { parseOptions, usage } from './storm-options.ts';
import type { Options } from './storm-options.ts';
import { describeSurroundings, machine } from './surroundings.ts';
import { run } from './run.ts';

const names = { jobd: 'jobd', request: 'undici.request', dispatch: 'undici dispatch' };

async function storm(ground: Ground, jobs: number): Promise<Storm> {
  const jobd: (Round & { audit: Audit })[] = [];
  const request: Round[] = [];
  const dispatch: Round[] = [];
  for (let round = 0; round < ground.options.rounds; round += 1) {
    jobd.push(await jobdRound(ground, jobs));
    request.push(await bareRound(ground, jobs, 'request'));
    dispatch.push(await bareRound(ground, jobs, 'dispatch'));
  }
  const measured = caller(names.jobd, jobd);
  const yardsticks = [caller(names.request, request), caller(names.dispatch, dispatch)];
  return {
    jobs,
    callers: [measured, ...yardsticks],
    audits: jobd.map((round) => round.audit),
    comparisons: yardsticks.map(({ name, median }) => ({
      yardstick: name,
      figures: compare(measured.median, median),
    })),
  };
}

function caller(name: string, rounds: readonly Round[]): Storm['callers'][number] {
  return { name, rounds, median: medianRound(rounds) };
}

/** What the figures were taken on. */
function surroundings(options: Options) {
  return {
    ...machine(),
    undici: versionOf('node_modules/undici/package.json'),
    concurrency: options.concurrency,
    delayMs: options.delayMs,
    tls: options.tls ?? 'no',
    hosts: options.hosts,
    warm: options.warm,
    rounds: options.rounds,
  };
}

function versionOf(packageFile: string): string {
  const text = readFileSync(join(import.meta.dirname, '..', packageFile), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** What lets a program of Node trust the target, as an operator would. */
function trustIn(directory: string): Record<string, string> {
  const file = join(directory, 'authority.pem');
  writeFileSync(file, authority);
  return { NODE_EXTRA_CA_CERTS: file };
}

/** Measures and prints. Returns whether every run was made once and recorded. */
async function main(options: Options): Promise<boolean> {
  const print = (text: string): void => {
    if (!options.json) process.stdout.write(text);
  };
  const on = surroundings(options);
  print(describeSurroundings(on));

  const { delayMs, tls } = options;
  await using sink = await startSink({ delayMs, tls });
  using directory = temporaryDirectory();
  const env = trustIn(directory.path);
  forgetFile(options.bundle);
  const startUpMs = await measureStartUp(options);
  print(`jobd starts in ${Math.round(startUpMs)} ms\n`);
  const ground: Ground = { options, sink, env, startUpMs };
  const storms: Storm[] = [];
  for (const jobs of options.jobs) {
    const found = await storm(ground, jobs);
    storms.push(found);
    print(`\n${describe(found)}`);
  }
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ ...on, startUpMs, storms }, null, 2)}\n`);
  }
  return storms.every(({ jobs, audits }) => audits.every((found) => isClean(jobs, found)));
}

await run({ name: 'storm', usage, parseOptions, main });
