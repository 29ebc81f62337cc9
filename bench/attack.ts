/**
 * Everything at once that a tenant with a key and strangers without one may send, against the packaged executable, while 100 jobs of
 * another tenant are due each minute: none may be missed, and health checks must be answered.
 */

import { execFileSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import type { Attacked, AttackSetting } from './attackers.ts';
import {
  builtFile,
  grouped,
  json,
  run,
  startOutput,
  temporaryDirectory,
  wholeNumber,
} from './bench.ts';
import type { OptionsOf } from './bench.ts';
import { startChild } from './child.ts';
import { cpuTimes, cpuUse, residentMb, startJobd, startSink } from './processes.ts';

const declared = {
  minutes: wholeNumber('minutes of attack', [10, 1, 120]),
  jobs: wholeNumber('jobs of the other tenant, due each minute', [100, 1, 100]),
  flood: wholeNumber('requests a second of strangers', [200, 1, 10_000]),
  executable: builtFile('the packaged jobd', 'jobd'),
  json,
};

/** What others may feel of it. */
const longestP99Ms = 100;
const mostGrownMb = 50;

interface Attackers {
  kind: 'attacked';
  answers: Attacked;
}

async function main(options: OptionsOf<typeof declared>): Promise<boolean> {
  const { minutes, jobs, flood, executable } = options;
  const output = startOutput(options.json, { minutes, jobs, flood });
  await using sink = await startSink();
  using directory = temporaryDirectory();
  await using server = await startJobd({ bundle: executable, cpuProf: null }, directory.path);
  const victim = keyOf(executable, directory.path, 'victim', 'pro');
  const key = keyOf(executable, directory.path, 'tenant', 'business');
  await addJobs(server.url, victim, { origin: sink.origin, jobs });
  // What the process needs for its work alone.
  await setTimeout(70_000);
  const before = { mb: residentMb(server.pid, 'now'), cpu: cpuTimes(server.pid), at: Date.now() };
  const seconds = minutes * 60;
  const setting: AttackSetting = { url: server.url, key, seconds, flood };
  await using attackers = startChild<Attackers, never>('attackers.ts', [JSON.stringify(setting)]);
  const watching = watchHealth(server.url, Date.now() + seconds * 1_000);
  const { answers } = await attackers.receive('attacked', seconds * 1_000 + 120_000);
  const health = await watching;
  const used = cpuUse(server.pid, before.cpu);
  const grownMb = residentMb(server.pid, 'now') - before.mb;
  const peakMb = residentMb(server.pid, 'peak') - before.mb;
  await setTimeout(5_000);
  const missed = await countBad(server.url, victim);
  const figures = { missed, ...health, grownMb, peakMb, ...used, answers };
  output.text(
    `missed or failed ${missed}; health checks ${health.asked}, p50 ${grouped(health.p50Ms)} ms, p99 ${grouped(health.p99Ms)} ms, ` +
      `longest ${grouped(health.maxMs)} ms, without answer ${health.failed}; ${grouped(grownMb)} MB more, at most ${grouped(peakMb)}; ` +
      `CPU ${grouped(used.cpuSeconds)} s in ${seconds} s, of the busiest thread ${grouped(used.busiestThreadSeconds)}\n` +
      `${JSON.stringify(answers)}\n`,
  );
  output.document(figures);
  return missed === 0 && health.p99Ms <= longestP99Ms && grownMb <= mostGrownMb;
}

/** A key of a new account with this plan. */
function keyOf(executable: string, dataDir: string, name: string, plan: string): string {
  const jobd = (...args: string[]): string =>
    execFileSync(executable, [...args, '--data', dataDir], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  jobd('account', 'create', name, '--plan', plan);
  jobd('workspace', 'create', name, '--account', name);
  return jobd('key', 'create', '--workspace', name).trim();
}

async function addJobs(
  url: string,
  key: string,
  { origin, jobs }: { origin: string; jobs: number },
): Promise<void> {
  const definitions = Array.from({ length: jobs }, (_, index) => ({
    key: `job-${index}`,
    name: `job ${index}`,
    url: `${origin}/${index}`,
    cronExpr: '* * * * *',
  }));
  const response = await fetch(`${url}/api/v1/definitions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jobs: definitions }),
  });
  const { changes } = (await response.json()) as { changes: { isDone: boolean }[] };
  const created = changes.filter(({ isDone }) => isDone).length;
  if (created !== jobs) throw new Error(`${created} of ${jobs} jobs were created`);
}

async function watchHealth(url: string, until: number) {
  const seen: number[] = [];
  let failed = 0;
  while (Date.now() < until) {
    const began = performance.now();
    const signal = AbortSignal.timeout(60_000);
    const isOk = await fetch(`${url}/healthz`, { signal }).then(
      async (response) => (await response.text()) !== '' && response.ok,
      () => false,
    );
    if (isOk) seen.push(performance.now() - began);
    else failed += 1;
    await setTimeout(50);
  }
  const sorted = seen.toSorted((one, other) => one - other);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? NaN;
  return {
    asked: seen.length + failed,
    failed,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: sorted.at(-1) ?? NaN,
  };
}

/** Runs of the other tenant that were no success. */
async function countBad(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/overview`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { overview } = (await response.json()) as {
    overview: { lastDay: { failed: number; interrupted: number; missed: number } };
  };
  const { failed, interrupted, missed } = overview.lastDay;
  return failed + interrupted + missed;
}

await run('attack', 'all attacks at once on the packaged jobd', declared, main);
