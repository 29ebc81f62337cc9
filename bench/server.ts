/** An HTTP server in a process of its own that prints its address as its first line. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface HttpServer extends AsyncDisposable {
  readonly pid: number;
  /** As `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** From the start of the process until it listened. */
  readonly startUpMs: number;
}

const longestStartMs = 60_000;
const longestStopMs = 60_000;

/**
 * Starts a script by node, or an executable, with this command and resolves once it listens; disposing of it stops it as a service manager
 * would. `onLog` gets what it writes to stderr; `env` is all its environment.
 */
export async function startServer(
  command: string[],
  profileDir: string | null,
  onLog: (lines: string) => void = () => {},
  env: Record<string, string> = {},
): Promise<HttpServer> {
  const began = performance.now();
  const profiling = profileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const [file = '', ...args] = isScript(command)
    ? [process.execPath, ...profiling, ...command]
    : command;
  const child = spawn(file, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  // Nothing is left running when the bench itself is ended.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    onLog(text);
    // What jobd logs of its start and stop is no news; all else is.
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
    // A process that has said something has an id.
    const startUpMs = performance.now() - began;
    return { pid: child.pid ?? 0, url, startUpMs, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The packaged executable starts by itself, and cannot be profiled. */
function isScript([file = '']: readonly string[]): boolean {
  return /\.[cm]?[jt]s$/.test(file);
}
