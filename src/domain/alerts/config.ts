/** The config of a channel, by the fields of its kind. */

import { checkLength } from '../characters.ts';
import { invalidInput } from '../errors.ts';
import type { ChannelConfig, ConfigRules } from './kinds/kind.ts';
import { channelKinds, type ChannelType } from './kinds/registry.ts';
import { spellingsOf } from '../secrets/redaction.ts';

/** The longest value of a field, in characters. */
const longestValue = 2_048;

/** Checks a config. Throws `invalid_input`, never repeating a secret. */
export function checkConfig(type: ChannelType, config: ChannelConfig, rules: ConfigRules): void {
  const { fields } = channelKinds[type];
  const kind = `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type} channel`;
  for (const [name, value] of Object.entries(config)) {
    if (!Object.hasOwn(fields, name)) {
      const known = Object.keys(fields).join(', ');
      throw invalidInput(`config.${name} is not a field of ${kind}, known are ${known}`);
    }
    checkLength(`config.${name}`, value, longestValue);
  }
  for (const [name, { isOptional, check }] of Object.entries(fields)) {
    const value = config[name];
    if (value !== undefined) check(value, `config.${name}`, rules);
    else if (!isOptional) throw invalidInput(`config.${name} is required for ${kind}`);
  }
}

/** The values that jobd generates because a new config lacks them, by field; `random` is 32 bytes. */
export function generatedConfig(
  type: ChannelType,
  config: ChannelConfig,
  random: Uint8Array,
): ChannelConfig {
  return Object.fromEntries(
    Object.entries(channelKinds[type].fields).flatMap(([name, { generate }]) =>
      generate === undefined || config[name] !== undefined ? [] : [[name, generate(random)]],
    ),
  );
}

/** A new config with the generated values of the one before that it lacks. `openBefore` is called only if it lacks any. */
export async function keepGenerated(
  type: ChannelType,
  config: ChannelConfig,
  openBefore: () => Promise<ChannelConfig>,
): Promise<ChannelConfig> {
  const lacking = Object.keys(generatedConfig(type, config, new Uint8Array()));
  if (lacking.length === 0) return config;
  const before = await openBefore();
  return { ...config, ...Object.fromEntries(lacking.map((name) => [name, before[name] ?? ''])) };
}

/** The fields of every kind, one line each: for help and documentation. */
export function configSummary(): string[] {
  return Object.entries(channelKinds).map(
    ([type, { fields }]) => `${type}: ${Object.keys(fields).join(', ')}`,
  );
}

/** Parts of a path, a query or a host that are this long may be tokens by themselves. */
const shortestToken = 10;

/** The texts that a reason must not repeat: each value, the secret parts in it, and the spellings of all that. */
export function configSecrets(type: ChannelType, config: ChannelConfig): string[] {
  const { fields } = channelKinds[type];
  const values = Object.entries(config);
  const texts = values.map(([, value]) => value);
  const parts = values.flatMap(([name, value]) => fields[name]?.parts?.(value) ?? []);
  return spellingsOf([...texts, ...parts, ...texts.flatMap(partsOfUrl)]);
}

/** Any part of a URL may hold a token. The scheme and short names do not. */
function partsOfUrl(text: string): string[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const pieces = [
    ...url.pathname.split('/'),
    ...[...url.searchParams].flat(),
    ...url.hostname.split('.'),
  ];
  const tokens = pieces.filter((piece) => piece.length >= shortestToken);
  return [url.href, `${url.pathname}${url.search}`, url.pathname, ...tokens];
}
