/** Command lines of the benchmarks: each states its options once, and gets its help and its parser. */

import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** One option, and how its value is read. */
export interface Option<Value> {
  /** As the help shows it: `--rounds N`, or `--json` if it takes no value. */
  typed: string;
  about: string;
  /** Read if it is not given. */
  fallback?: string;
  /** Gets an empty text for an option without a value. Throws an Error with a sentence for people. */
  readonly read: (given: string | undefined) => Value;
}

/** A benchmark's command line; its options are in the order of the help. */
interface CommandLine<Values> {
  name: string;
  about: string;
  options: { [Name in keyof Values]: Option<Values[Name]> };
}

interface Command<Values> {
  usage: string;
  /** Reads the options. Throws an Error with a sentence for people. */
  readonly parseOptions: (args: string[]) => Values | 'help';
}

/** What a parser gives. */
export type OptionsOf<Parse extends (args: string[]) => unknown> = Exclude<
  ReturnType<Parse>,
  'help'
>;

const typedWidth = 19;

/** Makes help and parser; `--help` is an option of every benchmark. */
export function defineOptions<Values extends object>(line: CommandLine<Values>): Command<Values> {
  const options = Object.entries<Option<unknown>>(line.options).map(([key, option]) => {
    const [dashed = '', value] = option.typed.split(' ');
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return { key, name: dashed.slice('--'.length), type, option };
  });
  const rows = options.map(({ option: { typed, about, fallback } }) => {
    const preset = fallback === undefined ? '' : ` (default ${fallback})`;
    return `  ${typed.padEnd(typedWidth)}${about}${preset}\n`;
  });
  const known = Object.fromEntries(options.map(({ name, type }) => [name, { type }]));
  return {
    usage: `node bench/${line.name}.ts: ${line.about}\n\n${rows.join('')}`,
    parseOptions(args) {
      const { values } = parseArgs({ args, options: { ...known, help: { type: 'boolean' } } });
      const given = new Map(Object.entries(values));
      if (given.has('help')) return 'help';
      const read = options.map(({ key, name, option }) => {
        const value = given.get(name) ?? option.fallback;
        return [key, option.read(typeof value === 'boolean' ? '' : value)];
      });
      return Object.fromEntries(read) as Values;
    },
  };
}

/** An option that is a whole number within bounds. */
export function wholeNumber(
  typed: string,
  about: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): Option<number> {
  const [name = ''] = typed.split(' ');
  return {
    typed,
    about,
    fallback: String(fallback),
    read: (given = '') => readWholeNumber(name, given, min, max),
  };
}

/** A whole number within bounds; throws an Error that names the option. */
export function readWholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`${name} must be a whole number between ${min} and ${max}, got ${text}`);
}

/** An option that takes no value: whether it is given. */
export function flag(typed: string, about: string): Option<boolean> {
  return { typed, about, read: (given) => given !== undefined };
}

/** A file that the build makes, unless another is given. */
export function builtFile(typed: string, about: string, name: string): Option<string> {
  return {
    typed,
    about: `${about} (default dist/${name})`,
    read: (given) => given ?? join(import.meta.dirname, '..', 'dist', name),
  };
}

/** The options of every benchmark of the bundle, in the words of each. */
export function commonOptions(about: { profile: string; json: string }) {
  return {
    /** The built jobd to measure. */
    bundle: builtFile('--bundle FILE', 'the built jobd', 'jobd.cjs'),
    /** Where CPU profiles are left; null for no profile. */
    profileDir: {
      typed: '--cpu-prof DIR',
      about: `${about.profile} in Chrome's DevTools`,
      read: (given: string | undefined): string | null => given ?? null,
    },
    json: flag('--json', about.json),
  };
}
