/** A packaged jobd with work to do, attacked by another process, and the effect on others. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { temporaryDirectory } from '../directory.ts';
import { serve } from './executable.ts';
import type { Serving } from './executable.ts';
import { prepareStore } from './prepare.ts';
import type { Preparation } from './prepare.ts';
import { startWitness } from '../fakes/witness.ts';

const periodMs = 60_000;
/** The good jobs: one is due each second. */
const goodJobs = 60;

export interface Victim extends Serving {
  dataDir: string;
  /** A key with write permission. */
  key: string;
  /** Watches from now on until `attack` has ended, and a moment longer. */
  watch<T>(attack: () => Promise<T>): Promise<Toll & { result: T }>;
}

/** On a quiet machine health checks take a quarter of a second; here another test has one of two cores. */
export const longestHealthMs = 3_000;

/** The effects of the attack on others. */
export interface Toll {
  /** The slowest answer of `/healthz`, each on its own connection; Infinity if one never came. */
  healthMs: number;
  /** The number of requests to `/healthz`, and of those without a 200 within 5 s. */
  healthAsked: number;
  healthFailed: number;
  /** The lateness of the latest call of a good job; Infinity if one due in that time never came. */
  latestCallMs: number;
  /** The number of good jobs that were due. */
  due: number;
  /** The peak of resident memory above its start, in MiB. */
  grownMiB: number;
}

interface Options {
  /** More arguments of `jobd serve`. */
  args?: readonly string[];
  /** The wrapper command of the executable; it must not fork. */
  wrapper?: readonly string[];
  /** Stores more before the daemon starts. */
  prepare?: (preparation: Preparation, now: number) => Promise<unknown>;
  dataDir?: string;
}

/** Starts it, with jobs that are due second by second from now on; it ends with the test. */
export async function startVictim(
  t: TestContext,
  { args = [], wrapper = [], prepare, dataDir = temporaryDirectory(t) }: Options = {},
): Promise<Victim> {
  const witness = await startWitness(t);
  // Due times are whole seconds.
  const firstDueAt = Math.ceil(Date.now() / 1_000) * 1_000 + 3_000;
  const key = await prepareStore(dataDir, async (preparation) => {
    for (let number = 0; number < goodJobs; number += 1) {
      const schedule = { scheduleType: 'period', periodSeconds: periodMs / 1_000 } as const;
      const input = { name: `good ${number}`, url: `${witness.url}/${number}`, ...schedule };
      await preparation.addJob(input, firstDueAt + number * 1_000 - periodMs);
    }
    await prepare?.(preparation, firstDueAt);
    return await preparation.addKey();
  });
  const all = ['--data', dataDir, '--allow-target', '127.0.0.0/8:*', ...args];
  const daemon = await serve(t, all, { cwd: dataDir, wrapper });
  const dueBetween = (from: number, to: number): { path: string; dueAt: number }[] =>
    Array.from({ length: goodJobs }, (_, number) => number).flatMap((number) => {
      const first = firstDueAt + number * 1_000;
      const times = Array.from({ length: 10 }, (_, round) => first + round * periodMs);
      return times
        .filter((dueAt) => dueAt >= from && dueAt < to)
        .map((dueAt) => ({ path: `/${number}`, dueAt }));
    });
  const lateness = ({ path, dueAt }: { path: string; dueAt: number }): number => {
    const arrival = witness
      .at(path)
      .find(({ at }) => at >= dueAt - 50 && at < dueAt + periodMs / 2);
    return arrival === undefined ? Infinity : arrival.at - dueAt;
  };
  return {
    ...daemon,
    dataDir,
    key,
    async watch(attack) {
      const before = residentMiB(daemon.pid, 'VmRSS');
      const from = Date.now();
      const over = new AbortController();
      const health = askHealth(daemon.url, over.signal);
      const result = await attack().finally(() => over.abort());
      const to = Date.now();
      const due = dueBetween(from, to);
      for (
        let tries = 0;
        tries < 100 && due.some((one) => lateness(one) === Infinity);
        tries += 1
      ) {
        await setTimeout(100);
      }
      const asked = await health;
      return {
        result,
        healthMs: Math.max(...asked),
        healthAsked: asked.length,
        healthFailed: asked.filter((ms) => ms === Infinity).length,
        latestCallMs: Math.max(0, ...due.map(lateness)),
        due: due.length,
        grownMiB: Math.round(residentMiB(daemon.pid, 'VmHWM') - before),
      };
    },
  };
}

/**
 * Runs a script of test/e2e/attacks to its end, in its own process; resolves with its output as
 * JSON.
 */
export async function runAttack(
  t: TestContext,
  script: string,
  args: readonly string[],
  { timeoutMs = 60_000 } = {},
): Promise<unknown> {
  const path = join(import.meta.dirname, '..', '..', 'e2e', 'attacks', script);
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const timer = globalThis.setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve) => {
    child.once('close', resolve);
  });
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${script} ended with ${String(code)}: ${output}`);
  return output === '' ? null : JSON.parse(output);
}

/** Sends four requests a second until it is over; resolves with the time of each answer. */
async function askHealth(url: string, over: AbortSignal): Promise<number[]> {
  const answers: Promise<number>[] = [];
  while (!over.aborted) {
    answers.push(healthMs(url));
    await setTimeout(250);
  }
  return await Promise.all(answers);
}

function healthMs(url: string): Promise<number> {
  const start = performance.now();
  return new Promise((resolve) => {
    const asking = request(`${url}/healthz`, { agent: false, timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? performance.now() - start : Infinity);
    });
    asking.once('timeout', () => asking.destroy());
    asking.once('error', () => resolve(Infinity));
    asking.end();
  });
}

function residentMiB(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
}
