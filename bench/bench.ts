/** What the benchmark programs share: options, how they run and print, statistics. */

import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** One option of a program. Its name on the command line is its key: `cpuProf` is `--cpu-prof`. */
export interface Option<Value> {
  /** The value as help shows it; null if the option takes none. */
  value: string | null;
  about: string;
  fallback?: string;
  /** Throws an Error with a sentence for people. */
  readonly read: (given: string | undefined, name: string) => Value;
}

export type OptionsOf<Declared> = {
  [Key in keyof Declared]: Declared[Key] extends Option<infer Value> ? Value : never;
};

/** An option that is a whole number within bounds. */
export function wholeNumber(
  about: string,
  [fallback, min, max]: [fallback: number, min: number, max: number],
): Option<number> {
  const read = (given = '', name: string): number => readWholeNumber(given, name, min, max);
  return { value: 'N', about, fallback: String(fallback), read };
}

/** A whole number within bounds; throws an Error that names the option. */
export function readWholeNumber(text: string, name: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`${name} must be a whole number between ${min} and ${max}, got ${text}`);
}

/** An option without a value. */
export function flag(about: string): Option<boolean> {
  return { value: null, about, read: (given) => given !== undefined };
}

/** A file of dist/, unless another one is given. */
export function builtFile(about: string, name: string): Option<string> {
  const file = join(import.meta.dirname, '..', 'dist', name);
  return {
    value: 'FILE',
    about: `${about} (default dist/${name})`,
    read: (given) => given ?? file,
  };
}

export const json = flag('print one JSON document with every figure');

/** The options of every program that starts jobd. */
export const common = {
  bundle: builtFile('the built jobd', 'jobd.cjs'),
  /** The directory for CPU profiles; null for none. */
  cpuProf: {
    value: 'DIR',
    about: "write CPU profiles for Chrome's DevTools there, which slows the servers down",
    read: (given: string | undefined): string | null => given ?? null,
  },
  json,
};

/** Runs a program with the arguments of this process. It failed if `main` throws or resolves with false. */
export async function run<Values extends object>(
  name: string,
  about: string,
  declared: { [Key in keyof Values]: Option<Values[Key]> },
  main: (options: Values) => Promise<boolean | void>,
): Promise<void> {
  // An exit, unlike a signal, also ends the processes that were started and removes the directories.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  try {
    const options = parseOptions<Values>(declared);
    if (options === 'help') process.stdout.write(usage(name, about, declared));
    else if ((await main(options)) === false) process.exitCode = 1;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`bench/${name}: ${why}\n`);
    process.exitCode = 1;
  }
}

function dashed(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function parseOptions<Values extends object>(declared: {
  [Key in keyof Values]: Option<Values[Key]>;
}): Values | 'help' {
  const rows = Object.entries<Option<unknown>>(declared);
  const known = Object.fromEntries(
    rows.map(([key, { value }]) => [dashed(key), { type: value ? 'string' : 'boolean' } as const]),
  );
  const { values } = parseArgs({ options: { ...known, help: { type: 'boolean' } } });
  const given = new Map(Object.entries(values));
  if (given.has('help')) return 'help';
  const read = rows.map(([key, option]) => {
    const value = given.get(dashed(key)) ?? option.fallback;
    return [key, option.read(typeof value === 'boolean' ? '' : value, `--${dashed(key)}`)];
  });
  return Object.fromEntries(read) as Values;
}

function usage(name: string, about: string, declared: object): string {
  const rows = Object.entries<Option<unknown>>({ ...declared });
  const lines = rows.map(([key, { value, about: meaning, fallback }]) => {
    const preset = fallback === undefined ? '' : ` (default ${fallback})`;
    return `  ${`--${dashed(key)} ${value ?? ''}`.padEnd(20)}${meaning}${preset}\n`;
  });
  return `node bench/${name}.ts: ${about}\n\n${lines.join('')}`;
}

/** Where results go: text for people as they come, or one JSON document at the end. */
export interface Output {
  readonly text: (text: string) => void;
  readonly document: (figures: object) => void;
}

/** Prints the machine and these settings first. */
export function startOutput(isJson: boolean, settings: Record<string, string | number>): Output {
  const on = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    fileSystem: fileSystemOf(tmpdir()),
    ...settings,
  };
  const text = (words: string): void => {
    if (!isJson) process.stdout.write(words);
  };
  text(
    `${Object.entries(on)
      .map((setting) => setting.join(' '))
      .join(', ')}\n`,
  );
  if (on.fileSystem === 'tmpfs') text('TMPDIR is on tmpfs, where a sync costs nothing\n');
  return {
    text,
    document(figures) {
      if (isJson) process.stdout.write(`${JSON.stringify({ ...on, ...figures }, null, 2)}\n`);
    },
  };
}

/** The type of the file system that holds a directory: `ext4`, `tmpfs`. */
function fileSystemOf(directory: string): string {
  const path = realpathSync(directory);
  let found = { point: '', type: 'unknown' };
  for (const mount of readFileSync('/proc/self/mounts', 'utf8').trim().split('\n')) {
    const [, point = '', type = ''] = mount.split(' ');
    const holds = path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`);
    // If several are mounted on one point, the last one is visible.
    if (holds && point.length >= found.point.length) found = { point, type };
  }
  return found.type;
}

/** A directory on the disk that holds the system's temporary files; disposing of it removes it. */
export function temporaryDirectory(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'jobd-bench-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', remove);
      remove();
    },
  };
}

/** The rows as columns as wide as their widest cell; figures to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return `${rows.map((row) => row.map(pad).join('  ')).join('\n')}\n`;
}

/** A whole number with separators: 12,345. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The middle value; of two middle ones, the mean. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** The median of each figure by itself. */
export function medians<Figures extends { [Key in keyof Figures]: number }>(
  rounds: readonly Figures[],
): Figures {
  const keys = Object.keys(rounds[0] ?? {}) as (keyof Figures)[];
  const rows = keys.map((key) => [key, median(rounds.map((round) => round[key]))]);
  return Object.fromEntries(rows) as Figures;
}

/** The smallest value that this percentage of the values does not exceed; NaN if there is none. */
export function percentile(sorted: readonly number[] | Float64Array, percent: number): number {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
}

/** Latencies in milliseconds. */
export interface Latency {
  requests: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export function latencyOf(latencies: readonly number[]): Latency {
  const sorted = Float64Array.from(latencies).toSorted();
  return {
    requests: sorted.length,
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
    maxMs: percentile(sorted, 100),
  };
}
