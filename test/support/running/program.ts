/** A program, run to its end with only the given environment. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface Ran {
  exitCode: number | NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  env?: Record<string, string>;
  /** Its standard input, a pipe. */
  input?: string | Uint8Array;
  timeoutMs?: number;
  cwd?: string;
}

/** Runs this command, by default for a minute at most. Rejects if there is no such program. */
export async function runProgram(
  [file = '', ...args]: readonly string[],
  { env = {}, input = '', timeoutMs = 60_000, cwd }: Running = {},
): Promise<Ran> {
  const child = spawn(file, args, { env, timeout: timeoutMs, cwd });
  // A program that does not read its input may end before the input is written.
  child.stdin.on('error', () => {}).end(input);
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  return { exitCode: code ?? signal, stdout, stderr };
}
