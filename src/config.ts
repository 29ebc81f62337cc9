/**
 * Flags and environment become one frozen configuration; nothing else reads the environment. Flags
 * win over the environment, the environment over defaults.
 */

import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { invalidInput, JobdError } from './domain/errors.ts';
import { parseMailRules } from './domain/alerts/mail-allow.ts';
import type { MailRule } from './domain/alerts/mail-allow.ts';
import { parseMailServer } from './domain/alerts/mail-server.ts';
import type { MailServer } from './domain/alerts/mail-server.ts';
import { parseAllowTargets } from './domain/targets/target.ts';
import type { AllowedTarget } from './domain/targets/target.ts';
import type { LogLevel } from './log.ts';
import { profileNamed, readProfiles } from './profiles.ts';
import type { Profile } from './profiles.ts';

/** What `jobd serve` runs with. */
export interface ServeConfig {
  host: string;
  /** 0 takes a free one. */
  port: number;
  slots: number;
  slotsPerHost: number;
  dataDir: string;
  /** The site URL people reach the service by; null for the address it listens on. */
  baseUrl: string | null;
  allowTargets: readonly AllowedTarget[];
  /** Origins whose pages may ask the API from a browser. */
  corsOrigins: readonly string[];
  /** Whether receipts are signed. */
  signing: boolean;
  /** The master key from the environment; null if it is a file in the data directory. */
  secretKey: string | null;
  /** Where mail goes out; null if none does. */
  smtp: MailServer | null;
  /** Whom mail may be sent to; anybody if there are none. */
  mailAllow: readonly MailRule[];
  /** What is called each minute while the scheduler is healthy. */
  heartbeatUrl: string | null;
  /** Where metrics are asked for; null if they are not. */
  metrics: { host: string; port: number } | null;
  logLevel: LogLevel;
}

/** What commands that ask a running jobd go by. */
export interface ClientConfig {
  /** Site URL, without a slash at its end. */
  url: string;
  apiKey: string | null;
}

/** Flags as the command line gives them: text, untouched. */
export type Flags = Readonly<Record<string, string | string[] | boolean | undefined>>;
type Environment = Readonly<Record<string, string | undefined>>;

const logLevelNames: readonly LogLevel[] = [
  'fatal',
  'error',
  'warn',
  'info',
  'debug',
  'trace',
  'silent',
];

/** Reads the configuration of `jobd serve`. Throws `invalid_input`, naming flag and variable. */
export function serveConfig(flags: Flags, env: Environment = process.env): ServeConfig {
  const setting = (flag: string, variable: string, fallback: string): Setting => ({
    name: `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} (or ${variable})`,
    // A variable set to nothing counts as not set.
    value: textOf(flags[flag]) ?? (env[variable] || fallback),
  });
  return Object.freeze({
    host: setting('host', 'JOBD_HOST', '127.0.0.1').value,
    port: wholeNumber(setting('port', 'JOBD_PORT', '8080'), 0, 65_535),
    slots: wholeNumber(setting('slots', 'JOBD_SLOTS', '512'), 1, 10_000),
    slotsPerHost: wholeNumber(setting('slotsPerHost', 'JOBD_SLOTS_PER_HOST', '256'), 1, 10_000),
    dataDir: dataDir(flags, env),
    baseUrl: siteUrl(setting('baseUrl', 'JOBD_BASE_URL', '')),
    allowTargets: allowTargets(flags, env),
    corsOrigins: corsOrigins(flags, env),
    signing: flags['signing'] !== false && !env['JOBD_NO_SIGNING'],
    secretKey: secretKeys(env).current,
    smtp: parseMailServer(setting('smtpUrl', 'JOBD_SMTP_URL', '')),
    mailAllow: mailAllow(flags['mailAllow'], env['JOBD_MAIL_ALLOW']),
    heartbeatUrl: heartbeatUrl(setting('heartbeatUrl', 'JOBD_HEARTBEAT_URL', '')),
    metrics: listenAddress(setting('metrics', 'JOBD_METRICS', '')),
    logLevel: logLevel(setting('logLevel', 'JOBD_LOG_LEVEL', 'info')),
  });
}

/** The data directory: flag, environment, where systemd or the desktop keeps state. */
export function dataDir(flags: Flags, env: Environment = process.env): string {
  const named = textOf(flags['data']) || env['JOBD_DATA'] || env['STATE_DIRECTORY'];
  if (named) return resolve(named);
  const shared = env['XDG_DATA_HOME'];
  return shared ? join(shared, 'jobd') : join(homedir(), '.local', 'share', 'jobd');
}

/** Where this user's programs keep what they can make again (XDG Base Directory Specification). */
export function cacheDir(env: Environment = process.env): string {
  const shared = env['XDG_CACHE_HOME'];
  return join(shared && isAbsolute(shared) ? shared : join(homedir(), '.cache'), 'jobd');
}

/**
 * Master keys of the environment, as text: the current one, and the one to rotate to. There are no flags for
 * them, since everybody on a machine can read the arguments of its processes.
 */
export function secretKeys(env: Environment = process.env): {
  current: string | null;
  next: string | null;
} {
  const read = (name: string): string | null => env[name]?.trim() || null;
  return { current: read('JOBD_SECRET_KEY'), next: read('JOBD_SECRET_KEY_NEW') };
}

/**
 * Reads where the server is and the key to use: `--profile`, the environment, the profile that is named there or
 * current. The key of a profile goes to the server of that profile only. Throws `invalid_input` and `usage`.
 */
export function clientConfig(env: Environment = process.env): ClientConfig {
  const [givenUrl, givenKey] = [env['JOBD_URL'] || null, env['JOBD_API_KEY']?.trim() || null];
  if (chosenProfile !== null) return Object.freeze(requireProfile(chosenProfile, env));
  const given = givenUrl === null ? null : serverUrl(givenUrl, 'JOBD_URL');
  if (given !== null && givenKey !== null) return Object.freeze({ url: given, apiKey: givenKey });
  const profile = profileOf(env);
  const url = given ?? profile?.url ?? defaultUrl;
  const apiKey = givenKey ?? (profile?.url === url ? profile.apiKey : null);
  return Object.freeze({ url, apiKey });
}

const defaultUrl = 'http://127.0.0.1:8080';

/** What `--profile` named on this command line; null if it was not given. */
let chosenProfile: string | null = null;

/** Lets all that asks a server in this process go by a profile. */
export function useProfile(name: string): void {
  chosenProfile = name;
}

/** The profile that a command means: `--profile`, JOBD_PROFILE, or none of them. */
export function namedProfile(env: Environment = process.env): string | null {
  return chosenProfile ?? (env['JOBD_PROFILE'] || null);
}

/** The URL of a server as it is kept and compared. Throws `invalid_input`, by the name of the setting. */
export function serverUrl(value: string, name: string): string {
  return siteUrl({ name, value }) ?? defaultUrl;
}

/** Where `jobd login` goes unless it is told: JOBD_URL, else this machine. */
export function loginUrl(env: Environment = process.env): string {
  return serverUrl(env['JOBD_URL'] || defaultUrl, 'JOBD_URL');
}

/** The file that profiles are kept in. */
export function profilesFile(env: Environment = process.env): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'jobd', 'profiles.json');
}

function profileOf(env: Environment): Profile | undefined {
  const named = env['JOBD_PROFILE'];
  if (named) return requireProfile(named, env);
  const kept = readProfiles(profilesFile(env));
  return profileNamed(kept, kept.current);
}

function requireProfile(name: string, env: Environment): Profile {
  const profile = profileNamed(readProfiles(profilesFile(env)), name);
  if (profile !== undefined) return profile;
  throw new JobdError('usage', `there is no profile ${name}: say jobd login --profile ${name}`);
}

/** A variable that a file of definitions names. */
export function environmentVariable(
  name: string,
  env: Environment = process.env,
): string | undefined {
  return env[name];
}

/** Whether people asked for no colours (no-color.org). */
export function noColor(env: Environment = process.env): boolean {
  return Boolean(env['NO_COLOR']);
}

/** Whether the terminal can only print lines, one after the other. */
export function isDumbTerminal(env: Environment = process.env): boolean {
  return env['TERM'] === 'dumb';
}

interface Setting {
  /** Flag and variable, for messages. */
  name: string;
  value: string;
}

function textOf(flag: Flags[string]): string | undefined {
  return typeof flag === 'string' ? flag : undefined;
}

function wholeNumber({ name, value }: Setting, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
  if (number >= min && number <= max) return number;
  throw invalidInput(`${name} must be a whole number between ${min} and ${max}, got ${value}`);
}

function siteUrl({ name, value }: Setting): string | null {
  if (value === '') return null;
  const url = URL.parse(value);
  const isSite = url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash;
  if (!isSite) throw invalidInput(`${name} must be an http or https URL, got ${value}`);
  if (url.username !== '' || url.password !== '') {
    throw invalidInput(`${name} must not contain a user name or password`);
  }
  return url.href.replace(/\/+$/, '');
}

/** It often holds a token: what came is not repeated. */
function heartbeatUrl({ name, value }: Setting): string | null {
  if (value === '') return null;
  const url = URL.parse(value);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') return url.href;
  throw invalidInput(`${name} must be an http or https URL without a user name`);
}

/** An address and a port, `127.0.0.1:9464` or `[::1]:9464`; a port alone is one of this machine. */
function listenAddress({ name, value }: Setting): ServeConfig['metrics'] {
  if (value === '') return null;
  const [, host = '127.0.0.1', port = ''] =
    /^(?:([\w.-]+|\[[\da-f:.]+\]):)?(\d{1,5})$/i.exec(value) ?? [];
  if (port !== '' && Number(port) <= 65_535) {
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  }
  throw invalidInput(`${name} must be like 127.0.0.1:9464, got ${value}`);
}

function logLevel({ name, value }: Setting): LogLevel {
  const level = logLevelNames.find((known) => known === value);
  if (level !== undefined) return level;
  throw invalidInput(`${name} must be one of ${logLevelNames.join(', ')}, got ${value}`);
}

/** What was given by a flag that may be repeated, else what the variable lists. */
function listOf(flag: Flags[string], variable: string | undefined): string[] {
  const given = Array.isArray(flag) ? flag : (variable ?? '').split(/[\s,]+/);
  return given.filter((text) => text !== '');
}

/** An empty list would allow everybody. A flag without a value, such as an unset variable, hardly means that. */
function mailAllow(flag: Flags[string], variable: string | undefined): readonly MailRule[] {
  if (Array.isArray(flag) && flag.includes('')) {
    throw invalidInput(
      '--mail-allow has nothing in it: name an address or a domain, or leave it out to allow every address',
    );
  }
  return parseMailRules(listOf(flag, variable), '--mail-allow (or JOBD_MAIL_ALLOW)');
}

function allowTargets(flags: Flags, env: Environment): readonly AllowedTarget[] {
  try {
    return parseAllowTargets(listOf(flags['allowTarget'], env['JOBD_ALLOW_TARGETS']));
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
    throw invalidInput(
      error.message.replace('allow-target', '--allow-target (or JOBD_ALLOW_TARGETS)'),
    );
  }
}

/** Origins are compared as browsers write them, so only that spelling is taken; `*` is none. */
function corsOrigins(flags: Flags, env: Environment): readonly string[] {
  const origins = listOf(flags['corsOrigin'], env['JOBD_CORS_ORIGINS']);
  for (const text of origins) {
    const url = URL.parse(text);
    if (url?.origin === text && /^https?:\/\/[^*]+$/.test(text)) continue;
    throw invalidInput(
      `--cors-origin (or JOBD_CORS_ORIGINS) must be an origin such as https://app.example.com, got ${text}`,
    );
  }
  return Object.freeze(origins);
}
