/**
 * Parses flags and environment into frozen values, once. Nothing else reads the environment. Flags win over the
 * environment, the environment over defaults (docs/behavior.md#cli-2).
 */

import { readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { parseBackupPlan } from './backup-plan.ts';
import type { BackupPlan } from '../domain/backups.ts';
import { invalidInput, JobdError } from '../domain/errors.ts';
import { fileProblem } from '../domain/file-problem.ts';
import { parseMailRules } from '../domain/alerts/mail-allow.ts';
import type { MailRule } from '../domain/alerts/mail-allow.ts';
import { parseMailServer } from '../domain/alerts/mail-server.ts';
import type { MailServer } from '../domain/alerts/mail-server.ts';
import type { Block } from '../domain/targets/address.ts';
import { parseAllowTargets } from '../domain/targets/target.ts';
import { spanSettings } from '../domain/runs/span-settings.ts';
import type { SpanSettings } from '../domain/runs/span-settings.ts';
import type { AllowedTarget } from '../domain/targets/target.ts';
import { inHome, usualDataDir } from './home.ts';
import type { LogFormat, LogLevel } from '../base/log.ts';
import {
  corsOrigins,
  databaseLimit,
  heartbeatUrl,
  listenAddress,
  listenHost,
  optionOf,
  parseChoice,
  parseWholeNumber,
  siteUrl,
  trustedProxies,
  withoutPassword,
} from './setting.ts';
import type { Setting } from './setting.ts';

/** The defaults of `jobd serve` that are more than "none". */
export const serveDefaults = {
  host: '127.0.0.1',
  port: 8080,
  slots: 512,
  slotsPerHost: 256,
  logLevel: 'info',
  backupEvery: '24h',
  backupKeep: '7d',
} as const;

/** Whether `--host` stands for all addresses of the machine, so that it says nothing about the URL that people use. */
export function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The server that commands ask by default. */
export const defaultServerUrl = `http://${serveDefaults.host}:${serveDefaults.port}`;

/** A master key of the environment, as text. */
export interface GivenKey {
  /** The variable that has it or names its file, for messages. */
  name: string;
  text: string;
}

/** Master keys of the environment: null for what it does not have. */
export interface GivenKeys {
  current: GivenKey | null;
  /** The one to rotate to. */
  next: GivenKey | null;
}

/** What `jobd serve` runs with. */
export interface ServeConfig {
  host: string;
  /** 0 takes a free port. */
  port: number;
  slots: number;
  slotsPerHost: number;
  /** Empty where the database is on a server. */
  dataDir: string;
  /** The URL of a PostgreSQL database; null if it is a file in the data directory. */
  database: string | null;
  /** The size at which history is removed before its time, in bytes; null for none. */
  maxDatabaseBytes: number | null;
  /** The site URL that people use; null for the address it listens on. */
  baseUrl: string | null;
  allowTargets: readonly AllowedTarget[];
  /** Origins whose pages may use the API from a browser. */
  corsOrigins: readonly string[];
  /** Proxies whose X-Forwarded-For is believed. */
  trustedProxies: readonly Block[];
  /** Whether receipts are signed. */
  signing: boolean;
  /** Whether calls carry a `traceparent`. */
  traceContext: boolean;
  /** Where spans are sent; null if they are not; why they cannot be. */
  spans: SpanSettings | null | { problem: string };
  /** The master keys from the environment. */
  secretKeys: GivenKeys;
  /** The SMTP server for alert email; null for no email. */
  smtp: MailServer | null;
  /** Allowed recipients of email; anybody if empty. */
  mailAllow: readonly MailRule[];
  /** Called each minute while the scheduler is healthy. */
  heartbeatUrl: string | null;
  /** Where metrics are served; null if they are not. */
  metrics: { host: string; port: number } | null;
  /** The backups that it makes by itself; null for none. */
  backups: BackupPlan | null;
  logLevel: LogLevel;
  /** How lines of the log look; null: for people on a terminal, else JSON. */
  logFormat: LogFormat | null;
}

/** What flags and environment say about the server that commands ask. */
export interface ClientSettings {
  /** Site URL, without a slash at its end. */
  url: string | null;
  apiKey: string | null;
  profile: string | null;
  /** The file that profiles are kept in; null if this user has no place for one. */
  profilesFile: string | null;
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

const logFormatNames: readonly LogFormat[] = ['human', 'json'];

/** Reads the configuration of `jobd serve`. Throws `invalid_input`, naming flag and variable. */
export function serveConfig(flags: Flags, env: Environment = process.env): ServeConfig {
  const setting = (flag: string, variable: string, fallback: string | number = ''): Setting => ({
    name: `${optionOf(flag)} (or ${variable})`,
    // A variable set to nothing counts as not set.
    value: textOf(flags[flag]) ?? (env[variable] || String(fallback)),
  });
  const { host, port, slots, slotsPerHost, logLevel, backupEvery, backupKeep } = serveDefaults;
  return Object.freeze({
    host: listenHost(setting('host', 'JOBD_HOST', host)),
    port: wholeNumber(setting('port', 'JOBD_PORT', port), 0, 65_535),
    slots: wholeNumber(setting('slots', 'JOBD_SLOTS', slots), 1, 10_000),
    slotsPerHost: wholeNumber(
      setting('slotsPerHost', 'JOBD_SLOTS_PER_HOST', slotsPerHost),
      1,
      10_000,
    ),
    dataDir: databaseUrl(flags, env) === null ? dataDir(flags, env) : '',
    database: databaseUrl(flags, env),
    maxDatabaseBytes: databaseLimit(
      setting('maxDatabaseSize', 'JOBD_MAX_DATABASE_SIZE'),
      databaseUrl(flags, env),
    ),
    baseUrl: siteUrl(setting('baseUrl', 'JOBD_BASE_URL')),
    allowTargets: allowTargets(flags, env),
    corsOrigins: corsOrigins(listOf(flags['corsOrigin'], env['JOBD_CORS_ORIGINS'])),
    trustedProxies: trustedProxies(listOf(flags['trustedProxy'], env['JOBD_TRUSTED_PROXY'])),
    signing: flags['signing'] !== false && !env['JOBD_NO_SIGNING'],
    traceContext: flags['traceContext'] === true || Boolean(env['JOBD_TRACE_CONTEXT']),
    spans: spanSettings(env),
    secretKeys: secretKeys(env),
    smtp: parseMailServer(setting('smtpUrl', 'JOBD_SMTP_URL')),
    mailAllow: mailAllow(flags['mailAllow'], env['JOBD_MAIL_ALLOW']),
    heartbeatUrl: heartbeatUrl(setting('heartbeatUrl', 'JOBD_HEARTBEAT_URL')),
    metrics: listenAddress(setting('metrics', 'JOBD_METRICS')),
    backups: parseBackupPlan({
      to: setting('backupTo', 'JOBD_BACKUP_TO'),
      every: setting('backupEvery', 'JOBD_BACKUP_EVERY', backupEvery),
      keep: setting('backupKeep', 'JOBD_BACKUP_KEEP', backupKeep),
      recipients: listOf(flags['backupRecipient'], env['JOBD_BACKUP_RECIPIENTS']),
      isOnServer: databaseUrl(flags, env) !== null,
    }),
    logLevel: logLevelOf(setting('logLevel', 'JOBD_LOG_LEVEL', logLevel)),
    logFormat: logFormatOf(setting('logFormat', 'JOBD_LOG_FORMAT')),
  });
}

/** A data directory, and who named it: a flag or a variable; null if it is the default of this user. */
export interface NamedDirectory {
  path: string;
  namedBy: '--data' | 'JOBD_DATA' | 'STATE_DIRECTORY' | null;
}

/** The data directory: from the flag, the environment, or the place for state that systemd or the desktop names. */
export function dataDir(flags: Flags, env: Environment = process.env): string {
  return namedDataDir(flags, env).path;
}

/**
 * The URL of the database on a server; null if it is a file in the data directory. `--data` wins over JOBD_DATABASE_URL. Throws
 * `invalid_input`, without the URL, which may hold a password.
 */
export function databaseUrl(flags: Flags, env: Environment = process.env): string | null {
  const [flag, directory] = [textOf(flags['database']), textOf(flags['data'])];
  if (flag !== undefined && directory !== undefined) {
    throw invalidInput('either --data for a file, or --database for a server');
  }
  const url = flag ?? (directory === undefined ? env['JOBD_DATABASE_URL']?.trim() : undefined);
  if (url === undefined) return null;
  // Unlike other variables: a secret that is missing where it is put together must not lead to a new file without jobs.
  if (url === '' && flag === undefined) {
    throw invalidInput('JOBD_DATABASE_URL is empty: set it to the URL of a database, or remove it');
  }
  if (!/^postgres(ql)?:\/\//.test(url)) {
    const name = flag === undefined ? 'JOBD_DATABASE_URL' : '--database';
    throw invalidInput(
      `${name} must be the URL of a PostgreSQL database: postgres://USER@HOST/DATABASE`,
    );
  }
  if (flag !== undefined && withoutPassword(flag) !== flag) {
    throw invalidInput(
      'everybody on this machine can read a password in --database: put the URL into JOBD_DATABASE_URL, or the password into PGPASSWORD or ~/.pgpass',
    );
  }
  return url;
}

/** The data directory, and who named it. Throws `invalid_input` if nobody did, and this user has no home. */
export function namedDataDir(flags: Flags, env: Environment = process.env): NamedDirectory {
  const flag = textOf(flags['data']);
  if (flag) return { path: resolve(flag), namedBy: '--data' };
  for (const namedBy of ['JOBD_DATA', 'STATE_DIRECTORY'] as const) {
    const named = env[namedBy];
    if (named) return { path: resolve(named), namedBy };
  }
  const path = usualDataDir(env);
  if (path === null) throw invalidInput('this user has no home directory: set HOME, or use --data');
  return { path, namedBy: null };
}

/** Whether commands of this user find this data directory by themselves. */
export function isFoundByItself(directory: string, env: Environment = process.env): boolean {
  const named = env['JOBD_DATA'] || env['STATE_DIRECTORY'];
  return directory === (named ? resolve(named) : usualDataDir(env));
}

/** The file of the public key that signs releases; null if signatures are not checked. */
export function upgradePublicKey(flags: Flags, env: Environment = process.env): string | null {
  return textOf(flags['publicKey']) || env['JOBD_UPGRADE_PUBLIC_KEY'] || null;
}

/** Where the compiled time-zone files of this machine are: `TZDIR`, as for the C library, or the usual place. */
export function zoneDirectory(env: Environment = process.env): string {
  return env['TZDIR'] || '/usr/share/zoneinfo';
}

/** The cache directory of this user's jobd (XDG Base Directory Specification); null for a user who has no home. */
export function cacheDir(env: Environment = process.env): string | null {
  const shared = env['XDG_CACHE_HOME'];
  return shared && isAbsolute(shared) ? join(shared, 'jobd') : inHome(env, '.cache', 'jobd');
}

/**
 * Master keys of the environment, as text: the current one, and the one to rotate to. Each is in a variable, or in the file that
 * another names, as systemd's credentials are. There are no flags for them, since everybody on a machine can read the arguments
 * of its processes. Throws `invalid_input`.
 */
export function secretKeys(env: Environment = process.env): GivenKeys {
  return { current: givenKey('JOBD_SECRET_KEY', env), next: givenKey('JOBD_SECRET_KEY_NEW', env) };
}

function givenKey(name: string, env: Environment): GivenKey | null {
  const text = env[name]?.trim() || null;
  const fileName = `${name}_FILE`;
  const path = env[fileName] || null;
  if (path === null) return text === null ? null : { name, text };
  if (text !== null) throw invalidInput(`either ${name} or ${fileName}, not both`);
  try {
    const inFile = readFileSync(path, 'utf8').trim();
    if (inFile !== '') return { name: fileName, text: inFile };
  } catch (error) {
    throw invalidInput(`${fileName}: ${fileProblem(path, error)}`);
  }
  throw invalidInput(`${fileName}: ${path} is empty`);
}

/**
 * Reads which server commands ask. `profile` is the flag of this name: it wins over the whole environment. Throws
 * `invalid_input`.
 */
export function clientSettings(
  profile: string | null = null,
  env: Environment = process.env,
): ClientSettings {
  const config = env['XDG_CONFIG_HOME'] || inHome(env, '.config');
  const profilesFile = config && join(config, 'jobd', 'profiles.json');
  if (profile !== null) return Object.freeze({ url: null, apiKey: null, profile, profilesFile });
  return Object.freeze({
    url: apiSite({ name: 'JOBD_URL', value: env['JOBD_URL'] ?? '' }),
    apiKey: env['JOBD_API_KEY']?.trim() || null,
    profile: env['JOBD_PROFILE'] || null,
    profilesFile,
  });
}

/** The server that `jobd login` is told to ask: by the flag, else JOBD_URL; null by neither. Throws `invalid_input`. */
export function loginUrl(flag?: string, env: Environment = process.env): string | null {
  const given = flag === undefined ? env['JOBD_URL'] : flag;
  const name = flag === undefined ? 'JOBD_URL' : '--url';
  return apiSite({ name, value: given ?? '' });
}

/** The site of a server, which people may give as the URL of its API or of its pages. */
function apiSite(setting: Setting): string | null {
  return siteUrl(setting)?.replace(/\/api\/v1$/, '') ?? null;
}

/** The variable of the ping URL for `jobd ping`; null if it is not set. */
export function pingVariable(env: Environment = process.env): {
  name: string;
  value: string | null;
} {
  const name = 'JOBD_PING_URL';
  return { name, value: env[name]?.trim() || null };
}

/** A variable by its name, for what is no setting: definition files refer to any. */
export function environmentVariable(
  name: string,
  env: Environment = process.env,
): string | undefined {
  return env[name];
}

/** The names of all variables. */
export function variableNames(env: Environment = process.env): string[] {
  return Object.keys(env);
}

/** Whether the user wants no colours (no-color.org). */
export function noColor(env: Environment = process.env): boolean {
  return Boolean(env['NO_COLOR']);
}

/** Which stream the journal of systemd reads, as systemd says it; null without one. */
export function journalStream(env: Environment = process.env): string | null {
  return env['JOURNAL_STREAM'] || null;
}

/** Whether the terminal can print lines only. */
export function isDumbTerminal(env: Environment = process.env): boolean {
  return env['TERM'] === 'dumb';
}

function textOf(flag: Flags[string]): string | undefined {
  return typeof flag === 'string' ? flag : undefined;
}

function wholeNumber({ name, value }: Setting, min: number, max: number): number {
  return parseWholeNumber(value, name, { min, max });
}

function logLevelOf({ name, value }: Setting): LogLevel {
  return parseChoice(value, name, logLevelNames);
}

function logFormatOf({ name, value }: Setting): LogFormat | null {
  return value === '' ? null : parseChoice(value, name, logFormatNames);
}

/** The values of a flag that may be repeated, else the list in the variable. */
function listOf(flag: Flags[string], variable: string | undefined): string[] {
  const given = Array.isArray(flag) ? flag : (variable ?? '').split(/[\s,]+/);
  return given.filter((text) => text !== '');
}

/** An empty list allows everybody. An empty flag, perhaps an unset shell variable, hardly means that. */
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
