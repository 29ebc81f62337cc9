/** jobd as users run it: the built bundle in a process of its own. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { sinkTarget } from './seed.ts';

export interface DaemonOptions {
  bundle: string;
  dataDir: string;
  concurrency: number;
  profileDir: string | null;
}

export interface Daemon extends AsyncDisposable {
  readonly pid: number;
  /** From the start of the process until it listened. */
  readonly startUpMs: number;
}

const longestStartMs = 60_000;
const longestStopMs = 60_000;
/** Characters kept of what it says, for the case that it does not start. */
const mostSaid = 2_000;

/** Starts it and resolves once it listens; disposing of it stops it as a service manager would. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { bundle, dataDir, concurrency, profileDir } = options;
  const began = performance.now();
  const profiling = profileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const serving = ['serve', '--data', dataDir, '--port', '0', '--allow-target', sinkTarget];
  const slots = ['--slots', String(concurrency), '--slots-per-host', String(concurrency)];
  const child = spawn(process.execPath, [...profiling, bundle, ...serving, ...slots], {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  // Nothing is left running when the bench itself is ended.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    // What it says about its stop is no news; errors are.
    if (/"level":[56]0/.test(text)) process.stderr.write(text);
    said = (said + text).slice(-mostSaid);
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
    await Promise.race([
      once(lines, 'line', { signal }),
      exited.then(() =>
        Promise.reject(new Error(`${bundle} ended while it started: ${said.trim()}`)),
      ),
    ]);
  } catch (error) {
    await end();
    throw error;
  }
  // A process that has said something has an id.
  const pid = child.pid ?? 0;
  return { pid, startUpMs: performance.now() - began, [Symbol.asyncDispose]: end };
}
