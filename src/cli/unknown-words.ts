/** What is said of a command or an option that does not exist: the one that is probably meant, and where help is. */

import type { Command } from 'commander';
import { nearest } from '../domain/nearest.ts';

/** Words that people try first, and the commands that they look for. */
const commands: Readonly<Record<string, string>> = {
  add: 'jobs create',
  create: 'jobs create',
  cron: 'jobs create',
  delete: 'jobs delete',
  get: 'jobs get',
  history: 'runs list',
  init: 'serve',
  list: 'jobs list',
  log: 'runs list',
  logs: 'runs list',
  ls: 'jobs list',
  pause: 'jobs pause',
  ps: 'jobs list',
  resume: 'jobs resume',
  rm: 'jobs delete',
  run: 'jobs run',
  show: 'jobs get',
  start: 'serve',
  tail: 'runs tail',
  trigger: 'jobs run',
  update: 'jobs update',
};

/** Options of other programs, and what they are called here. */
const options: Readonly<Record<string, string>> = {
  '--body': '--data',
  '--header-value': '--header',
  '--headers': '--header',
  '--interval': '--every',
  '--json-body': '--data',
  '--period': '--every',
  '--request': '--method',
  '--retry': '--retries',
  '--schedule': '--cron',
  '--timezone': '--tz',
  '--zone': '--tz',
  '-H': '--header',
  '-X': '--method',
  '-d': '--data',
};

const unknown = /^error: unknown (command|option) '(.*)'(?:\n\(Did you mean (.*)\?\))?\s*$/s;

/** What is missing may be there under another name. */
const missing = /^error: required option /;

/** The words of commander for an error of a command, in those of jobd. */
export function usageText(command: Command, text: string): string {
  const odd = missing.test(text) ? command.args.find((word) => /^--./.test(word)) : undefined;
  if (odd !== undefined) return usageText(command, `error: unknown option '${odd}'`);
  const [, kind, word = '', similar] = unknown.exec(text) ?? [];
  if (kind === undefined) return text.replace(/^error: /, 'jobd: ');
  const path = pathOf(command);
  const meant =
    kind === 'command'
      ? (meantCommand(command, path, word) ?? similar)
      : (meantOption(command, path, word) ?? similar);
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return `jobd: unknown ${kind} '${word}'${hint}, see ${['jobd', 'help', ...path].join(' ')}\n`;
}

function meantCommand(command: Command, path: readonly string[], word: string): string | undefined {
  const known = path.length === 0 && Object.hasOwn(commands, word);
  if (known) return `jobd ${commands[word]}`;
  return nearest(
    word,
    command.commands.map((child) => child.name()),
  );
}

/** An option of this command by another name, or an argument that was given as an option. */
function meantOption(command: Command, path: readonly string[], word: string): string | undefined {
  const args = command.registeredArguments.map((argument) => argument.name());
  if (args.includes(word.replace(/^--/, ''))) {
    return ['jobd', ...path, ...args.map((name) => name.toUpperCase())].join(' ');
  }
  const known = command.options.flatMap(({ long }) => long ?? []);
  const option = Object.hasOwn(options, word) ? options[word] : nearest(word, known);
  return option !== undefined && known.includes(option) ? option : undefined;
}

/** The words of a command after `jobd`. */
function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}
