/** Commands on the store of this machine, as rows of a table: each understands what was typed, opens the store, does one thing in it, and prints what came of it. */

import type { Command } from 'commander';
import { isoTimeOrNull } from '../../domain/clock.ts';
import type { Flags } from '../../settings/config.ts';
import type { Local } from '../../serve/local-store.ts';
import type { Context } from '../context.ts';
import { printDone, printJson, printRows, type Columns, type Output } from '../terminal/output.ts';
import { confirm } from '../terminal/prompt.ts';
import { openStoreFor } from './local.ts';
import { withPlace } from './place-options.ts';

/** What a command has, beside its arguments. */
export interface Opened {
  /** Opens the store: once what was typed is understood. */
  readonly open: () => Promise<Local>;
  flags: Flags;
  output: Output;
  /** Asks, unless `--yes` is given. Throws if the answer is no. */
  readonly confirm: (question: string) => Promise<void>;
}

/** Prints what came of a command, as JSON or for people. */
export type Print = (flags: Flags, output: Output) => void;

export interface StoreCommand {
  about: string;
  /** Each with its meaning: `['<name>', 'name of the account']`. */
  words?: readonly (readonly [argument: string, meaning: string])[];
  options?: (command: Command) => Command;
  examples: readonly string[];
  /** What help says below them. */
  notes?: string;
  /** Whether it names the data directory if nobody did. */
  saysWhere?: boolean;
  readonly run: (opened: Opened, ...words: string[]) => Promise<Print>;
}

/** Returns what adds a group of commands. */
export function storeCommands(
  group: string,
  about: string,
  commands: Readonly<Record<string, StoreCommand>>,
): (program: Command, context: Context) => void {
  return (program, { output }) => {
    const parent = program.command(group).description(about);
    for (const [name, row] of Object.entries(commands)) {
      const command = parent.command(name).description(row.about);
      for (const [argument, meaning] of row.words ?? []) command.argument(argument, meaning);
      withPlace(row.options?.(command) ?? command)
        .addHelpText('after', examplesText(row))
        .action(async (...given: unknown[]) => {
          // The arguments, the options, and the command itself.
          const words = given.slice(0, -2) as string[];
          const flags = given.at(-2) as Flags;
          await using opened = new AsyncDisposableStack();
          const open = async () => opened.use(await openStoreFor(flags, output, row));
          const ask = (question: string) => confirm(question, flags['yes'] === true);
          (await row.run({ open, flags, output, confirm: ask }, ...words))(flags, output);
        });
    }
  };
}

function examplesText({ examples, notes }: StoreCommand): string {
  const title = examples.length === 1 ? 'Example' : 'Examples';
  const lines = examples.map((example) => `\n  jobd ${example}`);
  return `\n${title}:${lines.join('')}${notes === undefined ? '' : `\n\n${notes}`}`;
}

/** Adds `--yes`. */
export function withYes(command: Command): Command {
  return command.option('--yes', 'do not ask');
}

/** Prints a table, or a document with the rows under a name. */
export function table<Row>(
  name: string,
  rows: readonly Row[],
  columns: Columns<Row>,
  more: { none?: string; optional?: readonly string[] } = {},
): Print {
  return (flags, output) => {
    if (flags['json']) printJson(output, { [name]: rows });
    else printRows(output, rows, columns, { ...more, isWide: flags['wide'] === true });
  };
}

/** Prints a document, or what people read instead. */
export function printed(document: unknown, print: (output: Output) => void): Print {
  return (flags, output) => (flags['json'] ? printJson(output, document) : print(output));
}

/** Says that something was done. */
export function done(sentence: string): Print {
  return (flags, output) => printDone(output, flags, sentence);
}

/** A record whose times are in ISO 8601. */
export type InIsoTimes<Record_, Field extends keyof Record_> = Omit<Record_, Field> & {
  [Name in Field]: null extends Record_[Name] ? string | null : string;
};

/** Puts these times of a record, in epoch milliseconds, into ISO 8601. */
export function inIsoTimes<Record_ extends object, Field extends keyof Record_>(
  record: Record_,
  fields: readonly Field[],
): InIsoTimes<Record_, Field> {
  const times = fields.map((name) => [name, isoTimeOrNull(record[name] as number | null)]);
  return { ...record, ...Object.fromEntries(times) } as InIsoTimes<Record_, Field>;
}
