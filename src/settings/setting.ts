/** Values as people type them, in flags and in the environment: each is parsed, or refused in a sentence that names it. */

import type { Keep } from '../domain/backups.ts';
import { durationOf, unitSeconds } from '../domain/durations.ts';
import { invalidInput } from '../domain/errors.ts';
import { nearest } from '../domain/nearest.ts';
import { parseSize, sizeText } from '../domain/sizes.ts';
import { parseAddress, parseBlock, type Block } from '../domain/targets/address.ts';

export interface Setting {
  /** Flag and variable, for messages. */
  name: string;
  value: string;
}

/** The option of the command line for a field in camel case: `--remind-every` for `remindEvery`. */
export function optionOf(field: string): string {
  return `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The field of an option, as commander names it: `onResult` of `--on-result <url>`, and of `--no-on-result`. */
export function fieldOf(option: string): string {
  const [words = ''] = option.split(' ', 1);
  return words
    .replace(/^--(?:no-)?/, '')
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A URL of a server, without a slash at its end; null if none is given. Throws `invalid_input`. */
export function siteUrl({ name, value }: Setting): string | null {
  if (value === '') return null;
  const url = URL.parse(value);
  const isSite = url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash;
  if (!isSite) throw invalidInput(`${name} must be an http or https URL, got ${value}`);
  if (url.username !== '' || url.password !== '') {
    throw invalidInput(`${name} must not contain a user name or password`);
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/**
 * The URL of a database without its password, for messages and logs. The password ends at the last @: characters of it may not
 * be encoded, and then the URL is refused.
 */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:@/?]*):.*@/s, '$1@').replace(/([?&]password=)[^&]*/g, '$1');
}

/** A URL to call; it often holds a token, so the message does not repeat it. Throws `invalid_input`. */
export function heartbeatUrl({ name, value }: Setting): string | null {
  if (value === '') return null;
  const url = URL.parse(value);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') return url.href;
  throw invalidInput(`${name} must be an http or https URL without a user name`);
}

/** An address, with or without brackets, or a name to listen on. Throws `invalid_input`. */
export function listenHost({ name, value }: Setting): string {
  const host = value.replace(/^\[([^\]]*)\]$/, '$1');
  const [address = '', zone = ''] = host.split('%', 2);
  const isAddress = parseAddress(address) !== null && /^[\w.-]*$/.test(zone);
  if (isAddress || /^[\w.-]+$/.test(host)) return host;
  throw invalidInput(
    `${name} must be an address or a name, such as 127.0.0.1 or ::1, without a port, which --port names; jobd listens on no Unix socket; got ${value}`,
  );
}

/** An address and a port, `127.0.0.1:9464` or `[::1]:9464`; null if none is given. Throws `invalid_input`. */
export function listenAddress({ name, value }: Setting): { host: string; port: number } | null {
  if (value === '') return null;
  const [, host = '', port = ''] = /^([\w.-]+|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(value) ?? [];
  if (port !== '' && Number(port) <= 65_535) {
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  }
  throw invalidInput(`${name} must be HOST:PORT, such as 127.0.0.1:9464, got ${value}`);
}

/** The blocks of addresses that proxies have. Throws `invalid_input`, also for one of all addresses: then anybody could be anybody. */
export function trustedProxies(texts: readonly string[], name: string): readonly Block[] {
  return texts.map((text) => {
    const block = parseBlock(text);
    if (block !== null && block.prefix > 0) return block;
    if (block !== null) {
      throw invalidInput(
        `${name} must not be all addresses, got ${text}: anybody could then be anybody; name those of your proxies`,
      );
    }
    throw invalidInput(
      `${name} must be an address or block such as 127.0.0.1 or 10.0.0.0/8, with no bits set after the prefix, got ${text}`,
    );
  });
}

/** A smaller file would be short of space with a few hundred jobs. */
const leastDatabaseBytes = 32 * 1024 ** 2;

/** The largest size of a database, in bytes; null if none is given. Throws `invalid_input`. */
export function databaseBytes({ name, value }: Setting): number | null {
  if (value === '') return null;
  const bytes = parseSize(value);
  if (bytes !== null && bytes >= leastDatabaseBytes) return bytes;
  const rule = `must be a size such as 512MiB or 20GiB, at least ${sizeText(leastDatabaseBytes)}`;
  throw invalidInput(`${name} ${rule}, got ${value}`);
}

/** More often, a large database would be copied all the time. */
const shortestEveryMs = 60_000;

/** How often backups are made, in milliseconds. Throws `invalid_input`. */
export function backupEveryMs({ name, value }: Setting): number {
  const everyMs = parseDuration(value, name) * 1_000;
  if (everyMs >= shortestEveryMs) return everyMs;
  throw invalidInput(`${name} must be at least 1m, got ${value}`);
}

/** How long backups are kept, or how many: `7d`, `12h`, or a number. Throws `invalid_input`. */
export function parseKeep({ name, value }: Setting): Keep {
  if (/^[1-9]\d{0,5}$/.test(value)) return { count: Number(value) };
  const seconds = /^[1-9]\d{0,5}[smhd]$/.test(value) ? parseDuration(value, name) : 0;
  if (seconds > 0) return { ms: seconds * 1_000 };
  throw invalidInput(
    `${name} must be a duration such as 7d or 12h, or how many to keep, such as 7, got ${value || 'nothing'}`,
  );
}

/** The same as its text, for who passes it on. */
export function checkedKeep(setting: Setting): string {
  parseKeep(setting);
  return setting.value;
}

/** Public keys of age. Where keys are pasted, identities are pasted too: those are never repeated. Throws `invalid_input`. */
export function backupRecipients(texts: readonly string[], name: string): readonly string[] {
  const wrong = texts.find((text) => !/^age1[02-9ac-hj-np-z]{50,}$/.test(text));
  if (wrong === undefined) return texts;
  const rule = `${name} must be a recipient as age-keygen prints it, age1…`;
  if (/^AGE-SECRET-KEY/i.test(wrong)) {
    throw invalidInput(
      `${rule}: this is an identity, which is secret; age-keygen -y FILE prints the recipient`,
    );
  }
  throw invalidInput(`${rule}, got ${wrong.startsWith('ssh-') ? 'an SSH key' : wrong}`);
}

/** Parses one of a few words. Throws `invalid_input` for any other. */
export function parseChoice<Word extends string>(
  text: string,
  flag: string,
  words: readonly Word[],
): Word {
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  const meant = nearest(text, words);
  const hint = meant === undefined ? '' : `, did you mean ${meant}?`;
  throw invalidInput(`${flag} must be one of ${words.join(', ')}, got ${text}${hint}`);
}

/** Parses a whole number. Throws `invalid_input` for other text and out of bounds. */
export function parseWholeNumber(
  text: string,
  flag: string,
  { min, max }: { min: number; max: number },
): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  const rule = `must be a whole number between ${min} and ${max}`;
  throw invalidInput(`${flag} ${rule}, got ${text || 'nothing'}`);
}

interface Bounds {
  min: number;
  max: number;
}

/** Parses `90s`, `5m`, `2h` or `1d` into seconds. A refusal names only forms within the bounds, which are not checked. Throws `invalid_input`. */
export function parseDuration(text: string, flag: string, bounds?: Bounds): number {
  if (text === '0') return 0;
  refuseNumber(text, flag, bounds);
  const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = unitSeconds[unit];
  if (seconds !== undefined) return Number(number) * seconds;
  throw invalidInput(`${flag} must be a duration such as 90s, 5m, 2h or 1d, got ${text}`);
}

/** Checks a length of time, in seconds. Throws `invalid_input`. */
export function checkedSeconds(seconds: number, flag: string, { min, max }: Bounds): number {
  if (seconds >= min && seconds <= max) return seconds;
  const bounds = `${durationOf(min)} and ${durationOf(max)}`;
  throw invalidInput(`${flag} must be between ${bounds}, got ${durationOf(seconds)}`);
}

/** A number could be of seconds, minutes or days: only the person knows. Throws `invalid_input`. */
export function refuseNumber(
  text: string,
  flag: string,
  { min, max }: Bounds = { min: 0, max: Infinity },
): void {
  if (!/^\d{1,9}$/.test(text)) return;
  const isMeant = (size: number): boolean =>
    Number(text) * size >= min && Number(text) * size <= max;
  const forms = Object.keys(unitSeconds).filter((unit) => isMeant(unitSeconds[unit] ?? NaN));
  if (forms.length === 0) return;
  const written = forms.map((unit) => `${text}${unit}`).join(', ');
  throw invalidInput(`${flag} needs a unit: write ${written.replace(/, (\S+)$/, ' or $1')}`);
}

/** Origins are compared as browsers write them, so only that spelling is accepted. `*` is no origin. */
export function corsOrigins(origins: readonly string[], name: string): readonly string[] {
  for (const text of origins) {
    const url = URL.parse(text);
    if (url?.origin === text && /^https?:\/\/[^*]+$/.test(text)) continue;
    throw invalidInput(`${name} must be an origin such as https://app.example.com, got ${text}`);
  }
  return Object.freeze(origins);
}
