/** The processes of a benchmark: servers, target, client, and what Linux says about them in /proc. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fsyncSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { sum } from './bench.ts';
import { databaseOf, testSecretKey } from '../test/support/running/local.ts';
import { startChild, type Child } from './child.ts';
import type { Answers, ClientReceived, ClientSent, Task } from './client.ts';
import type { SinkOptions, SinkReceived, SinkSent } from './sink.ts';
import { sinkTarget } from './target.ts';

/** An HTTP server that prints its address as its first line. Disposing of it stops it as a service manager would. */
export interface HttpServer extends AsyncDisposable {
  readonly pid: number;
  /** As `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** From the start of the process until it listened. */
  readonly startUpMs: number;
}

const longestStartMs = 60_000;
const longestStopMs = 60_000;

/** jobd as users run it. */
export async function startJobd(
  { bundle, cpuProf }: { bundle: string; cpuProf: string | null },
  dataDir: string,
  more: { args?: string[]; env?: Record<string, string>; onLog?: (lines: string) => void } = {},
): Promise<HttpServer> {
  const { args = [], env, onLog } = more;
  const serving = ['serve', '--port', '0', '--allow-target', sinkTarget];
  const database = databaseOf(dataDir);
  const place = database === undefined ? ['--data', dataDir] : ['--database', database];
  const keys = database !== undefined && { JOBD_SECRET_KEY: testSecretKey };
  const all = { cpuProf, env: { ...env, ...keys }, onLog };
  return await startServer([bundle, ...serving, ...place, ...args], all);
}

/**
 * Starts a script by Node, or an executable, and resolves once it listens. `env` is its whole environment; `onLog` gets
 * its stderr. Only a script can be profiled.
 */
export async function startServer(
  command: string[],
  options: {
    cpuProf: string | null;
    env?: Record<string, string> | undefined;
    onLog?: ((lines: string) => void) | undefined;
  },
): Promise<HttpServer> {
  const { cpuProf, env = {}, onLog } = options;
  const began = performance.now();
  const isScript = /\.[cm]?[jt]s$/.test(command[0] ?? '');
  const profiling = cpuProf === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${cpuProf}`];
  const [file = '', ...args] = isScript ? [process.execPath, ...profiling, ...command] : command;
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  // If the benchmark itself is ended, nothing keeps running.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    onLog?.(text);
    // jobd's log of its start and stop is no news; warnings and errors are.
    if (!/"level":[1-4]0/.test(text)) process.stderr.write(text);
  });
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const timer = setTimeout(kill, longestStopMs);
    await exited;
    clearTimeout(timer);
  };
  try {
    const lines = createInterface({ input: child.stdout });
    const signal = AbortSignal.timeout(longestStartMs);
    const [line] = (await Promise.race([
      once(lines, 'line', { signal }),
      exited.then(() => Promise.reject(new Error(`${command[0]} ended while it started`))),
    ])) as [string];
    const url = /http:\S+/.exec(line)?.[0];
    if (url === undefined) throw new Error(`${command[0]} did not print its address, got ${line}`);
    const startUpMs = performance.now() - began;
    return { pid: child.pid ?? 0, url, startUpMs, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The running target; disposing of it ends it. */
export interface Sink extends Child<SinkSent, SinkReceived> {
  /** As `http://127.0.0.1:PORT`, or `https:`. */
  origin: string;
}

const answerWithinMs = 30_000;

/** Starts the target and resolves once it listens. */
export async function startSink(options: SinkOptions = { delayMs: 0, tls: null }): Promise<Sink> {
  const child = startChild<SinkSent, SinkReceived>('sink.ts', [JSON.stringify(options)]);
  try {
    const { port } = await child.receive('ready', answerWithinMs);
    const scheme = options.tls === null ? 'http' : 'https';
    return { ...child, origin: `${scheme}://127.0.0.1:${port}` };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}

export type Client = Child<ClientSent, ClientReceived>;

/** However slow a server is: the benchmark is given up if a request takes this long on average. */
const longestRequestMs = 20;

/** A new client for a server. */
export async function startClient(
  { url }: HttpServer,
  { keys, jobIds, pingIds = [] }: { keys: string[]; jobIds: string[]; pingIds?: string[] },
  connections: number,
): Promise<Client> {
  const client = startChild<ClientSent, ClientReceived>('client.ts', []);
  client.send({ kind: 'begin', origin: url, keys, jobIds, pingIds, connections });
  await client.receive('ready', answerWithinMs);
  return client;
}

/** Gives a client a task. Throws unless every request succeeds. */
export async function ask(client: Client, task: Task): Promise<Answers> {
  client.send({ kind: 'ask', task });
  const paceMs = 'everyMs' in task.pace ? task.pace.everyMs : 0;
  const withinMs = answerWithinMs + task.count * (longestRequestMs + paceMs);
  const { answers } = await client.receive('answered', withinMs);
  const { failed, firstFailure } = answers;
  if (failed > 0) throw new Error(`${failed} of ${task.count} failed, the first: ${firstFailure}`);
  return answers;
}

/** The CPU time that a process has had so far, in seconds. */
export interface CpuTimes {
  /** By thread. */
  ran: Map<string, number>;
  /** How long its main thread was ready to run and something else ran. */
  mainWaited: number;
}

/** Reads `/proc/PID/task/TID/schedstat`, which counts nanoseconds (Linux, Documentation/scheduler/sched-stats). */
export function cpuTimes(pid: number): CpuTimes {
  const tasks = `/proc/${pid}/task`;
  const ran = new Map<string, number>();
  let mainWaited = 0;
  for (const id of readdirSync(tasks)) {
    const [ranNs, waitedNs] = readFileSync(`${tasks}/${id}/schedstat`, 'utf8')
      .split(' ')
      .map(Number);
    ran.set(id, (ranNs ?? NaN) / 1e9);
    if (Number(id) === pid) mainWaited = (waitedNs ?? NaN) / 1e9;
  }
  return { ran, mainWaited };
}

/** CPU seconds of all threads of a process so far. */
export function cpuSeconds(pid: number): number {
  return sum([...cpuTimes(pid).ran.values()]);
}

/** What a process used since `before`, in seconds. */
export interface CpuUse {
  cpuSeconds: number;
  busiestThreadSeconds: number;
  mainWaitedSeconds: number;
}

/** Threads that ended meanwhile do not count. */
export function cpuUse(pid: number, before: CpuTimes): CpuUse {
  const now = cpuTimes(pid);
  const ran = [...now.ran].map(([id, seconds]) => seconds - (before.ran.get(id) ?? 0));
  return {
    cpuSeconds: sum(ran),
    busiestThreadSeconds: Math.max(...ran),
    mainWaitedSeconds: now.mainWaited - before.mainWaited,
  };
}

/** The resident memory of a process in MB (10^6 bytes): now, or its highest so far. */
export function residentMb(pid: number, which: 'now' | 'peak'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = which === 'now' ? 'VmRSS' : 'VmHWM';
  const match = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status);
  return (Number(match?.[1]) * 1_024) / 1e6;
}

/**
 * Makes the system drop a file from its page cache, so that the next process reads it from the disk, as after a start of
 * the machine. Of an executable that was just written the system keeps larger pieces, and maps up to 17 MB more of it into
 * a process. Pages that a running process uses stay. Needs GNU dd.
 */
export function dropFromCache(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
  const args = [`if=${path}`, 'iflag=nocache', 'count=0'];
  const { status, stderr, error } = spawnSync('dd', args, { encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`dd cannot drop ${path} from the cache: ${stderr}`);
}
