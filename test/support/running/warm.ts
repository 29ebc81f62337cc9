/**
 * Commands in a process that stays: most of what a command takes is the start of its process, and there are thousands in the
 * tests. Each kind is run as users do until that ended well once, and so is each command for which a process of its own matters.
 */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Ran } from './program.ts';

/** What such a process is asked. */
export interface Asked {
  args: readonly string[];
  env: Record<string, string>;
  /** Its standard input, in Base64. */
  input: string;
  cwd: string;
  /** What it prints at the end on both streams, on stdout with the exit code after it. */
  mark: string;
}

/** The sources of the program. */
export const main = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');

const longestMs = 60_000;
/** Processes that have nothing to do. */
const idle: Warm[] = [];
/** Kinds of commands that ended well in a process of their own. */
const proven = new Set<string>();

/** Words that need a process of their own: those that stay, replace the program, start others, or set what later ones would keep. */
const ownProcess = /^(?:serve|demo|upgrade|ping|tail|--profile.*)$/;
/** Other variables may matter to Node, ICU or the C library. */
const plainVariable = /^(?:JOBD_[A-Z_]+|HOME|XDG_CONFIG_HOME)$/;

/** Whether a command may run in a process with others. */
export function isForWarm(args: readonly string[], env: Record<string, string>): boolean {
  return (
    proven.has(kindOf(args)) &&
    !args.some((word) => ownProcess.test(word)) &&
    Object.keys(env).every((name) => plainVariable.test(name)) &&
    isOwn(dataDirOf(args, env))
  );
}

/** To be called with how a command ended in a process of its own. */
export function noteProven(args: readonly string[], { exitCode }: Ran): void {
  if (exitCode === 0) proven.add(kindOf(args));
}

/** `jobs create`, `backup`, `--version`. */
function kindOf(args: readonly string[]): string {
  const [words] = /^[a-z][a-z-]*(?: [a-z][a-z-]*)?(?= |$)/.exec(args.join(' ')) ?? [];
  return words ?? args[0] ?? '';
}

/** The data directory that a command names; '' if there is none: of `jobs create`, `--data` is the body. */
function dataDirOf(args: readonly string[], env: Record<string, string>): string {
  const named = args.includes('--data') ? args[args.indexOf('--data') + 1] : env['JOBD_DATA'];
  return named !== undefined && existsSync(named) ? named : '';
}

/** Whether it belongs to nobody else, as whom root would act. */
function isOwn(directory: string): boolean {
  return directory === '' || statSync(directory).uid === process.geteuid?.();
}

/** Runs a command to its end, a minute at most, in a process that others were run in. */
export async function runWarm(
  args: readonly string[],
  env: Record<string, string>,
  input: string | Uint8Array,
): Promise<Ran> {
  const data = dataDirOf(args, env);
  // The executable unpacks its database driver there: tests that list it see the same.
  if (existsSync(join(data, 'jobd.db')))
    mkdirSync(join(data, 'native'), { recursive: true, mode: 0o700 });
  const warm = idle.pop() ?? new Warm();
  const ran = await warm.run(args, env, input);
  if (!warm.isGone) idle.push(warm);
  return ran;
}

class Warm {
  isGone = false;
  readonly #child: ChildProcessWithoutNullStreams;
  #stdout = '';
  #stderr = '';
  #look = (): void => {};

  constructor() {
    const { NODE_COMPILE_CACHE = '' } = process.env;
    const child = spawn(process.execPath, [join(import.meta.dirname, 'warm-process.ts')], {
      env: { NODE_COMPILE_CACHE },
    });
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
      this.#look();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
      this.#look();
    });
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.once('close', () => {
      this.isGone = true;
      if (idle.includes(this)) idle.splice(idle.indexOf(this), 1);
      this.#look();
    });
    this.#hold(false);
  }

  async run(
    args: readonly string[],
    env: Record<string, string>,
    input: string | Uint8Array,
  ): Promise<Ran> {
    const mark = `\n${randomBytes(16).toString('hex')} `;
    const { promise, resolve } = Promise.withResolvers<Ran>();
    this.#stdout = '';
    this.#stderr = '';
    this.#look = () => {
      const [stdout = '', code] = this.#stdout.split(mark);
      const [stderr = '', ended] = this.#stderr.split(mark);
      if (code?.endsWith('\n') === true && ended !== undefined) {
        resolve({ exitCode: Number(code), stdout, stderr });
      } else if (this.isGone) {
        const exitCode = this.#child.exitCode ?? this.#child.signalCode;
        resolve({ exitCode, stdout: this.#stdout, stderr: this.#stderr });
      }
    };
    const asked: Asked = {
      args,
      env,
      input: Buffer.from(input).toString('base64'),
      cwd: process.cwd(),
      mark,
    };
    this.#hold(true);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), longestMs);
    this.#child.stdin.write(`${JSON.stringify(asked)}\n`);
    const ran = await promise;
    clearTimeout(timer);
    this.#hold(false);
    return ran;
  }

  /** Whether this process waits for the other one. */
  #hold(isHeld: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const one of [this.#child, stdin, stdout, stderr] as { ref(): void; unref(): void }[]) {
      if (isHeld) one.ref();
      else one.unref();
    }
  }
}
