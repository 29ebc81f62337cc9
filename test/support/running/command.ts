/** The command line, run like a user does, with only the given environment. */

import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../directory.ts';
import { startServe } from './executable.ts';
import { runProgram } from './program.ts';
import type { Ran } from './program.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const bundle = join(root, 'dist', 'jobd.cjs');

/** The built bundle, which starts faster, unless a source is newer; then the sources. */
export const main = isFresh(bundle) ? bundle : join(root, 'src', 'main.ts');

function isFresh(built: string): boolean {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = [
    ...globSync('src/**/*.{ts,tsx,css}', { cwd: root }),
    'build.mjs',
    'package.json',
  ];
  return sources.every((path) => statSync(join(root, path)).mtimeMs < builtAt);
}

/** Runs a command to its end, a minute at most; `input` is its standard input, a pipe. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  input = '',
): Promise<Ran> {
  return await runProgram([process.execPath, main, ...args], { env, input });
}

/** A daemon in its own process, and the environment that commands need to reach it. */
export interface ServedDaemon {
  /** The address it printed. */
  url: string;
  dataDir: string;
  /** Address, data directory and a key with write permission. */
  env: Record<string, string>;
  /** Runs a command with that environment. */
  jobd: (...args: string[]) => Promise<Ran>;
  /** Its stderr so far. */
  log(): string;
  /** Sends a signal and resolves with its result. */
  stop(signal: NodeJS.Signals): Promise<Ran>;
}

/** Starts `jobd serve`, which may call 127.0.0.1, and makes a key; it ends with the test. */
export async function serveCommand(t: TestContext): Promise<ServedDaemon> {
  const dataDir = temporaryDirectory(t);
  const daemon = startServe(t, ['--data', dataDir, '--allow-target', '127.0.0.1/32:*'], {
    cwd: process.cwd(),
    wrapper: [process.execPath],
    executable: main,
  });
  const url = await daemon.listening;
  const created = await runCommand(['key', 'create'], { JOBD_DATA: dataDir });
  const env = { JOBD_URL: url, JOBD_DATA: dataDir, JOBD_API_KEY: created.stdout.trim() };
  return {
    url,
    dataDir,
    env,
    jobd: (...command) => runCommand(command, env),
    log: () => daemon.log(),
    async stop(signal) {
      const exitCode = await daemon.stop(signal);
      await daemon.closed;
      return { exitCode, stdout: daemon.output().replace(/\n$/, ''), stderr: daemon.log() };
    },
  };
}
