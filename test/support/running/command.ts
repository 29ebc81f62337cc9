/** The command line, run like a user does, with only the given environment. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../directory.ts';
import { untilFullHourIsFar } from '../full-hour.ts';
import { executable, startServe } from './executable.ts';
import { runProgram, type Ran } from './program.ts';
import { isForWarm, noteProven, runWarm } from './warm.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const bundle = join(root, 'dist', 'jobd.cjs');
const sourcesChangedAt = newest(['build.mjs', 'package.json', ...filesIn('src')]);

/** The built bundle, unless a source is newer; then the sources. */
export const script = isFresh(bundle) ? bundle : join(root, 'src', 'main.ts');

/** The words that start jobd: the packaged executable, which starts fastest, unless a source is newer; then Node with the script. */
export const program: readonly string[] = isFresh(executable)
  ? [executable]
  : [process.execPath, script];

/** The same, for `startServe`. */
export const programToServe = { wrapper: program.slice(0, -1), executable: program.at(-1) ?? '' };

/** Where Node keeps what it compiles of the script, which halves the start of a command. The executable has its own. */
const compileCache: Record<string, string> =
  program.length === 1
    ? {}
    : { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled-commands') };

function isFresh(built: string): boolean {
  const { mtimeMs = 0 } = statSync(built, { throwIfNoEntry: false }) ?? {};
  return sourcesChangedAt < mtimeMs;
}

function newest(paths: readonly string[]): number {
  return Math.max(...paths.map((path) => statSync(join(root, path)).mtimeMs));
}

/** The directories too: they change when a file is removed. */
function filesIn(directory: string): string[] {
  const names = readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' });
  return names.map((name) => join(directory, name));
}

/** Runs a command to its end, a minute at most; `input` is its standard input, a pipe. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  input: string | Uint8Array = '',
): Promise<Ran> {
  if (isForWarm(args, env)) return await runWarm(args, env, input);
  const ran = await runProgram([...program, ...args], { env: { ...compileCache, ...env }, input });
  noteProven(args, ran);
  return ran;
}

/** Starts a command; it ends with the test at the latest. */
export function startCommand(
  t: TestContext,
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcessWithoutNullStreams {
  const [file = '', ...words] = program;
  const child = spawn(file, [...words, ...args], { env: { ...compileCache, ...env } });
  t.after(() => child.kill('SIGKILL'));
  return child;
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
export async function serveCommand(
  t: TestContext,
  dataDir = temporaryDirectory(t),
): Promise<ServedDaemon> {
  await untilFullHourIsFar();
  const daemon = startServe(t, ['--data', dataDir, '--allow-target', '127.0.0.1/32:*'], {
    cwd: process.cwd(),
    ...programToServe,
    env: compileCache,
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
