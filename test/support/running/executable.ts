/** The packaged executable, run like a user does: alone, with only the given environment. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { runProgram, type Ran } from './program.ts';

/** Its path after packaging. */
export const executable = join(import.meta.dirname, '..', '..', '..', 'dist', 'jobd');

/** Why tests of the executable cannot run, or false. */
export const notPackaged = existsSync(executable) ? false : 'dist/jobd is not built';

/** Runs a command to its end, two minutes at most. */
export async function jobd(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  return await runProgram([executable, ...args], { env, timeoutMs: 120_000 });
}

/** A started `jobd serve`; it may end at any moment, even before it listens. */
export interface Process {
  pid: number;
  /** Resolves with the address it printed; rejects with its output if it ended earlier. */
  listening: Promise<string>;
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<Ending>;
  /** Its stdout and stderr so far. */
  output(): string;
  log(): string;
  /** Resolves when it has ended and its output is complete. */
  closed: Promise<unknown>;
  /** Sends a signal and resolves as `ended` does. */
  stop(signal?: NodeJS.Signals): Promise<Ending>;
}

export type Ending = number | NodeJS.Signals | null;

export interface Serving extends Process {
  /** The address it printed. */
  url: string;
}

export interface Surroundings {
  cwd: string;
  /**
   * A wrapper command: `strace …`, `nsenter …`. It must not fork: the process it starts is the one
   * that signals go to.
   */
  wrapper?: readonly string[];
  /** Run as this user. */
  uid?: number;
  env?: Readonly<Record<string, string>>;
  /** Another executable to run instead. */
  executable?: string;
}

/** Starts `jobd serve`; it ends with the test at the latest. */
export function startServe(
  t: Pick<TestContext, 'after'>,
  args: readonly string[],
  { cwd, wrapper = [], uid, env = {}, executable: copy = executable }: Surroundings,
): Process {
  const words = [...wrapper, copy, 'serve', '--port', '0', ...args];
  // What a wrapper leaves behind is in its process group.
  const hasGroup = wrapper.length > 0;
  const child = spawn(words[0] ?? copy, words.slice(1), {
    env,
    cwd,
    detached: hasGroup,
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const ended = new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => {
      if (hasGroup) killGroup(child.pid);
      resolve(code ?? signal);
    });
  });
  const closed = new Promise((resolve) => {
    child.once('close', resolve);
  });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const listening = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      const match = /^listening on (http:\S+)$/.exec(line);
      if (match?.[1] === undefined) reject(new Error(`unexpected first line: ${line}`));
      else resolve(match[1]);
    });
    void closed.then(async () => reject(new Error(`it ended with ${await ended}: ${said}`)));
  });
  // Only a caller that waits for it sees the rejection.
  listening.catch(() => {});
  return {
    pid: child.pid ?? 0,
    listening,
    ended,
    closed,
    output: () => output,
    log: () => said,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

/** A tracer whose process was killed before it was attached would wait for ever, and hold the output of that open. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing was left.
  }
}

/** Starts `jobd serve` and resolves once it listens; it ends with the test. */
export async function serve(
  t: Pick<TestContext, 'after'>,
  args: readonly string[],
  surroundings: string | Surroundings,
): Promise<Serving> {
  const started = startServe(
    t,
    args,
    typeof surroundings === 'string' ? { cwd: surroundings } : surroundings,
  );
  return { ...started, url: await started.listening };
}
