/** The packaged executable, run as a person runs it: alone, with only the environment given. */

import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

/** Where it stands once it is packaged. */
export const executable = join(import.meta.dirname, '..', '..', 'dist', 'jobd');

/** Why tests of the executable cannot run, or false. */
export const notPackaged = existsSync(executable) ? false : 'dist/jobd is not built';

export interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. */
export function jobd(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(executable, args, { env, timeout: 120_000 }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : Number(error.code ?? 1);
      resolve({ exitCode, stdout, stderr });
    });
  });
}

export interface Serving {
  /** The address it printed. */
  url: string;
  pid: number;
  /** Everything it said on stderr so far. */
  log(): string;
  /** Sends a signal and resolves with the exit code, or the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** Starts `jobd serve` and resolves once it listens; it ends with the test. */
export async function serve(t: TestContext, args: string[], cwd: string): Promise<Serving> {
  const child = spawn(executable, ['serve', '--port', '0', ...args], { env: {}, cwd });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      const match = /^listening on (http:\S+)$/.exec(line);
      if (match?.[1] === undefined) reject(new Error(`unexpected first line: ${line}`));
      else resolve(match[1]);
    });
    void ended.then((how) => reject(new Error(`it ended with ${how}: ${said}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    log: () => said,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}
