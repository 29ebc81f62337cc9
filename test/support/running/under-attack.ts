/** A packaged jobd with work to do, attacked by another process, and the effect on others. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { JobInput } from '../../../src/domain/jobs/job-input.ts';
import { temporaryDirectory } from '../directory.ts';
import { startWitness } from '../fakes/witness.ts';
import { until } from '../until.ts';
import { serve, type Serving } from './executable.ts';
import { prepareStore } from './prepare.ts';

const periodMs = 60_000;
/** The good jobs: one is due each second. */
const goodJobs = 60;
const firstDueInMs = 1_000;
/** Others are served if so many good jobs were called in time, and so many health checks answered. */
const enoughCalls = 4;
const enoughAnswers = 8;
/** A check without an answer for so long has failed. */
const longestAnswerMs = 30_000;

export interface Victim extends Serving {
  dataDir: string;
  /** A key with write permission. */
  key: string;
  /** Makes the jobs due that were prepared. */
  makeDue(): void;
  /** Watches from now on until `attack` has ended, and until what was due by then is called. */
  watch<T>(attack: (untilServed: UntilServed) => Promise<T>): Promise<Toll & { result: T }>;
}

/** The effects of the attack on others. */
export interface Toll {
  /** The number of requests to `/healthz`, and of those without a 200. */
  healthAsked: number;
  healthFailed: number;
  /** The number of good jobs that were called although they became due during the attack. */
  called: number;
  /** Of good jobs that were due during the attack, those that were never called. */
  missing: string[];
  /** The peak of resident memory above its start, in MiB. */
  grownMiB: number;
}

/** Resolves when some good jobs that became due after that were called, and some health checks sent after that were answered. */
export type UntilServed = () => Promise<void>;

interface Options {
  /** More arguments of `jobd serve`. */
  args?: readonly string[];
  /** The wrapper command of the executable; it must not fork. */
  wrapper?: readonly string[];
  /** Stores more jobs, each with the second in which it is due after `makeDue`. */
  prepare?: (addJob: AddJob) => Promise<unknown>;
  dataDir?: string;
}

type AddedJob = Pick<JobInput, 'name' | 'url' | 'timeoutSeconds'>;
type AddJob = (input: AddedJob, second: number) => Promise<void>;
/** The id of a job, and the second in which it is due. */
type Due = readonly [id: string, second: number];

/** Starts it, with jobs that are due second by second once it listens; it ends with the test. */
export async function startVictim(
  t: TestContext,
  { args = [], wrapper = [], prepare, dataDir = temporaryDirectory(t) }: Options = {},
): Promise<Victim> {
  const witness = await startWitness(t);
  const good: Due[] = [];
  const prepared: Due[] = [];
  const key = await prepareStore(dataDir, async ({ addJob, addKey }) => {
    const add = async (input: AddedJob, second: number, periodSeconds = 60): Promise<Due> => {
      const schedule = { scheduleType: 'period', periodSeconds } as const;
      const { id } = await addJob({ ...input, ...schedule }, Date.now());
      return [id, second] as const;
    };
    for (let number = 0; number < goodJobs; number += 1) {
      good.push(await add({ name: `good ${number}`, url: `${witness.url}/${number}` }, number));
    }
    await prepare?.(async (...job) => void prepared.push(await add(...job, 3_600)));
    return await addKey();
  });
  const all = ['--data', dataDir, '--allow-target', '127.0.0.0/8:*', ...args];
  const daemon = await serve(t, all, { cwd: dataDir, wrapper });
  const firstDueAt = Math.ceil(Date.now() / 1_000) * 1_000 + firstDueInMs;
  setDue(dataDir, good, firstDueAt);

  /** The calls of good jobs that became due then. */
  const dueBetween = (from: number, to: number): { path: string; dueAt: number }[] =>
    Array.from({ length: goodJobs }, (_, number) => {
      const first = firstDueAt + number * 1_000;
      const rounds = Math.max(0, Math.ceil((to - first) / periodMs));
      const times = Array.from({ length: rounds }, (__, round) => first + round * periodMs);
      return times
        .filter((dueAt) => dueAt >= from && dueAt < to)
        .map((dueAt) => ({ path: `/${number}`, dueAt }));
    }).flat();
  const isCalled = ({ path, dueAt }: { path: string; dueAt: number }): boolean =>
    witness.at(path).some(({ at }) => at >= dueAt && at < dueAt + periodMs);
  return {
    ...daemon,
    dataDir,
    key,
    makeDue: () => setDue(dataDir, prepared, Date.now()),
    async watch(attack) {
      const before = residentMiB(daemon.pid, 'VmRSS');
      const from = Date.now();
      const over = new AbortController();
      const health = askHealth(daemon.url, over.signal);
      const untilServed: UntilServed = async () => {
        const since = Date.now();
        const { answered } = health;
        await until('calls and health checks', () => {
          const called = dueBetween(since, Date.now()).filter(isCalled);
          return called.length >= enoughCalls && health.answered >= answered + enoughAnswers;
        });
      };
      const result = await attack(untilServed).finally(() => over.abort());
      const due = dueBetween(from, Date.now());
      const called = due.filter(isCalled).length;
      await until('the calls that were due', () => due.every(isCalled)).catch(() => {});
      return {
        result,
        healthAsked: health.asked,
        healthFailed: await health.failed(),
        called,
        missing: due.filter((one) => !isCalled(one)).map(({ path }) => path),
        grownMiB: Math.round(residentMiB(daemon.pid, 'VmHWM') - before),
      };
    },
  };
}

/** Others were served, and the attack cost little memory. */
export function assertHarmless(toll: Toll, mostMiB = 100): void {
  assert.deepEqual(toll.missing, [], 'good jobs that were due');
  assert.equal(toll.healthFailed, 0, `of ${toll.healthAsked} health checks`);
  assert.ok(toll.grownMiB <= mostMiB, `${toll.grownMiB} MiB more`);
}

/** Makes jobs due, each in its second after a moment. */
function setDue(dataDir: string, jobs: readonly Due[], from: number): void {
  const database = new Database(join(dataDir, 'jobd.db'), { timeout: 60_000 });
  const set = database.prepare(
    'update jobs set next_run_at = @at, anchor_at = @at - 1000 * period_seconds where id = @id',
  );
  const setAll = database.transaction(() => {
    for (const [id, second] of jobs) set.run({ id, at: from + second * 1_000 });
  });
  setAll.immediate();
  database.close();
}

/** An attack by a script of test/e2e/attacks, in a process of its own. */
export interface Attack {
  /** Resolves when it is in full swing. */
  hasBegun(): Promise<unknown>;
  /** Ends it, if it does not end by itself. Resolves with what it prints last, as JSON. */
  end(): Promise<unknown>;
}

/** Starts an attack. It writes a line once it is in full swing, and continues until its input ends, or until its work is done. */
export function startAttack(t: TestContext, script: string, ...args: readonly string[]): Attack {
  const path = join(import.meta.dirname, '..', '..', 'e2e', 'attacks', script);
  const child = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  child.stdin.on('error', () => {});
  const lines: string[] = [];
  const closed = once(child, 'close');
  createInterface({ input: child.stdout }).on('line', (line) => void lines.push(line));
  const ended = async (): Promise<unknown> => {
    const [code] = (await closed) as [number | null];
    if (code !== 0) throw new Error(`${script} ended with ${String(code)}: ${lines.join()}`);
    return JSON.parse(lines.at(-1) ?? 'null');
  };
  return {
    hasBegun: () =>
      until(`${script} in full swing`, () => lines.length > 0 || child.exitCode !== null),
    end() {
      child.stdin.end();
      return ended();
    },
  };
}

/** Watches an attack in full swing until others were served, and ends it. */
export async function withstand(
  t: TestContext,
  victim: Victim,
  script: string,
  ...args: readonly string[]
): Promise<Toll & { result: unknown }> {
  return await victim.watch(async (untilServed) => {
    const attack = startAttack(t, script, ...args);
    await attack.hasBegun();
    await untilServed();
    return await attack.end();
  });
}

/** Runs an attack that ends by itself. Resolves with what it prints last, as JSON. */
export async function runAttack(
  t: TestContext,
  script: string,
  ...args: readonly string[]
): Promise<unknown> {
  return await startAttack(t, script, ...args).end();
}

interface Health {
  asked: number;
  answered: number;
  /** Resolves with the number of those without an answer, once that is known. */
  failed(): Promise<number>;
}

/** Sends four requests a second until it is over, each on its own connection. */
function askHealth(url: string, over: AbortSignal): Health {
  const answers: Promise<boolean>[] = [];
  const health: Health = {
    asked: 0,
    answered: 0,
    async failed() {
      await asking;
      return (await Promise.all(answers)).filter((isGood) => !isGood).length;
    },
  };
  const asking = (async () => {
    while (!over.aborted) {
      health.asked += 1;
      const answer = isHealthy(url);
      answers.push(answer);
      void answer.then((isGood) => (health.answered += Number(isGood)));
      await setTimeout(250);
    }
  })();
  return health;
}

function isHealthy(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { agent: false, timeout: longestAnswerMs };
    const asking = request(`${url}/healthz`, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asking.once('timeout', () => asking.destroy());
    asking.once('error', () => resolve(false));
    asking.end();
  });
}

function residentMiB(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
}
