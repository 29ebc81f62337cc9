/** The options of where a channel leads: one for each field of the kinds, or all of them as JSON. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import type { ConfigField } from '../../domain/alerts/kinds/kind.ts';
import { channelKinds, type ChannelType } from '../../domain/alerts/kinds/registry.ts';
import { invalidInput } from '../../domain/errors.ts';
import { collect, textOrFile } from '../options.ts';
import { optionOf } from '../../settings/setting.ts';

const kinds = Object.entries(channelKinds);
/** The first field of each name says how the option is given. */
const fields = new Map<string, ConfigField>(
  kinds.flatMap(([, kind]) => Object.entries(kind.fields)).toReversed(),
);
const names = [...new Set(kinds.flatMap(([, kind]) => Object.keys(kind.fields)))];

/** What several kinds describe in words of their own. */
const sharedWords: Readonly<Record<string, string>> = {
  url: 'where alerts are sent',
  token: 'access token',
};

/** Adds the options. */
export function withConfigOptions(command: Command): Command {
  for (const name of names) {
    const flags = `${optionOf(name)} ${placeOf(fields.get(name))}`;
    const words = describe(name);
    if (fields.get(name)?.isList) command.option(flags, `${words}; may be repeated`, collect);
    else command.option(flags, words);
  }
  return command.option('--config <@file|->', 'all of these as one JSON object instead');
}

function describe(name: string): string {
  const users = kinds.filter(([, kind]) => kind.fields[name] !== undefined);
  const said = new Set(users.map(([, kind]) => kind.fields[name]?.description));
  const [own = ''] = said;
  const words = said.size === 1 ? own.replaceAll('`', '') : sharedWords[name];
  return `${users.map(([type]) => type).join(', ')}: ${words ?? name}`;
}

/** What help says about them. */
export function configHelp(): string {
  const lines = kinds.map(([type]) => `  ${type.padEnd(10)} ${optionsOf(type as ChannelType)}`);
  return `What each type needs:
${lines.join('\n')}

Tokens and keys are read from a file (@FILE) or standard input (-), as other
users of the machine can see what is typed. The same works for --url: use it
where the URL is a secret, as those of slack, discord and teams are.`;
}

/** The options that a type has, as help writes them. */
export function optionsOf(type: ChannelType): string {
  return Object.entries(channelKinds[type].fields)
    .map(([name, field]) => {
      const option = `${optionOf(name)} ${placeOf(field)}`;
      return field.isOptional ? `[${option}]` : option;
    })
    .join(' ');
}

/** The config that the options give; undefined for none. With a type they must be of that. Throws `invalid_input`, naming the option. */
export async function configOf(
  flags: Flags,
  type?: ChannelType,
): Promise<Record<string, string> | undefined> {
  const given = names.flatMap((name) => {
    const value = flags[name];
    if (value === undefined || typeof value === 'boolean') return [];
    return [[name, Array.isArray(value) ? value.join(',') : value] as const];
  });
  const { config } = flags;
  if (typeof config === 'string') {
    const [other] = given;
    if (other === undefined) return await jsonConfig(config);
    throw invalidInput(`use either --config or ${optionOf(other[0])}, not both`);
  }
  if (type !== undefined) checkNames(type, new Set(given.map(([name]) => name)));
  const fromInput = given.filter(([, value]) => value === '-').map(([name]) => optionOf(name));
  if (fromInput.length > 1) {
    throw invalidInput(`only one option can read standard input, got ${fromInput.join(' and ')}`);
  }
  if (given.length === 0) return undefined;
  const values: Record<string, string> = {};
  for (const [name, value] of given) values[name] = await valueOf(name, value);
  return values;
}

function checkNames(type: ChannelType, given: ReadonlySet<string>): void {
  const known = channelKinds[type].fields;
  for (const name of given) {
    if (known[name] === undefined) {
      throw invalidInput(`${optionOf(name)} is not of type ${type}, which has ${optionsOf(type)}`);
    }
  }
  const isMissing = ([name, { isOptional }]: [string, ConfigField]) =>
    !isOptional && !given.has(name);
  if (Object.entries(known).some(isMissing)) {
    throw invalidInput(`type ${type} needs ${optionsOf(type)}, or --config`);
  }
}

async function valueOf(name: string, text: string): Promise<string> {
  const given = fields.get(name)?.given;
  if (given === 'typed') return text;
  const option = optionOf(name);
  if (given === undefined) requireFile(text, option);
  return (await textOrFile(text, option)).trim();
}

async function jsonConfig(source: string): Promise<Record<string, string>> {
  requireFile(source, '--config');
  const text = await textOrFile(source, '--config');
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    throw invalidInput('--config must hold one JSON object');
  }
}

function requireFile(text: string, option: string): void {
  if (text === '-' || text.startsWith('@')) return;
  throw invalidInput(`${option} must be @FILE or -, as others can see what is typed`);
}

/** What stands for the value in help. */
function placeOf(field: ConfigField | undefined): string {
  if (field?.given === 'either') return '<url|@file|->';
  return field?.given === 'typed' ? '<value>' : '<@file|->';
}
