/** What is said of a command or an option that does not exist: the one that is probably meant, and where help is. */

import type { Command } from 'commander';
import { nearest } from '../domain/nearest.ts';

/** Commands, and the words by which people look for them first. */
const commands: Readonly<Record<string, string>> = {
  'jobs create': 'add create cron',
  'jobs delete': 'del delete remove rm',
  'jobs get': 'get show',
  'jobs list': 'list ls ps',
  'jobs pause': 'pause disable stop',
  'jobs resume': 'resume unpause enable',
  'jobs run': 'run trigger',
  'jobs update': 'update edit',
  'runs list': 'history log logs',
  'runs replay': 'replay',
  'runs tail': 'tail',
  serve: 'init start',
  'windows create': 'hold maintenance mute silence snooze',
};

/** Options, and what they are called in other programs. */
const options: Readonly<Record<string, string>> = {
  '--cron': '--schedule',
  '--data': '--body --json-body -d',
  '--every': '--interval --period',
  '--header': '--header-value --headers -H',
  '--method': '--request -X',
  '--retries': '--retry',
  '--selector': '--label --labels',
  '--tz': '--timezone --zone',
  '--version': '-v',
};

function lookedFor(table: Readonly<Record<string, string>>, word: string): string | undefined {
  return Object.keys(table).find((name) => table[name]?.split(' ').includes(word));
}

const unknown = /^error: unknown (command|option) '(.*)'(?:\n\(Did you mean (.*)\?\))?\s*$/s;

const excess = /^error: too many arguments .*? but got (\d+):/s;

/** What is missing may be there under another name. */
const missing = /^error: required option /;

/** The words of commander for an error of a command, in those of jobd. */
export function usageText(command: Command, text: string): string {
  const odd = missing.test(text) ? command.args.find((word) => /^--./.test(word)) : undefined;
  if (odd !== undefined) return usageText(command, `error: unknown option '${odd}'`);
  const [, kind, word = '', similar] = unknown.exec(text) ?? [];
  const path = pathOf(command);
  const help = `see ${['jobd', 'help', ...path].join(' ')}\n`;
  const more = Number(excess.exec(text)?.[1] ?? 0);
  if (more >= 4 && command.getOptionValue('cron') !== undefined)
    return `jobd: ${unquotedText(1 + more)}\n`;
  if (kind === undefined) return text.replace(/^error: /, 'jobd: ').replace(/\.?\n$/, `; ${help}`);
  const find = kind === 'command' ? meantCommand : meantOption;
  const meant = find(command, path, word) ?? similar;
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return `jobd: unknown ${kind} '${word}'${hint}, ${help}`;
}

/** Of a cron expression that a shell took apart: it has five words, and names of files in the place of an asterisk. */
export function unquotedText(count: number): string {
  return `put the expression in quotes, such as '0 9 * * mon': it arrived as ${count} arguments`;
}

function meantCommand(command: Command, path: readonly string[], word: string): string | undefined {
  const known = lookedFor(commands, word);
  const isOfJobs = path[0] === 'jobs' && known !== 'serve';
  if (known !== undefined && (path.length === 0 || isOfJobs)) return `jobd ${known}`;
  const names = command.commands.map((child) => child.name());
  return names.find((name) => known === `jobs ${name}`) ?? nearest(word, names);
}

/** An option of this command by another name, or an argument that was given as an option. */
function meantOption(command: Command, path: readonly string[], word: string): string | undefined {
  const args = command.registeredArguments.map((argument) => argument.name());
  if (args.includes(word.replace(/^--/, ''))) {
    return ['jobd', ...path, ...args.map((name) => name.toUpperCase())].join(' ');
  }
  const known = command.options.flatMap(({ long }) => long ?? []);
  const option = lookedFor(options, word) ?? nearest(word, known);
  return option !== undefined && known.includes(option) ? option : undefined;
}

/** The words of a command after `jobd`. */
function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}
