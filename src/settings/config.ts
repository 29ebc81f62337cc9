/**
 * Parses flags and environment into frozen values, once. Nothing else reads the environment. Flags win over the
 * environment, the environment over defaults (docs/behavior.md#cli-2).
 */

import { readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { BackupPlan } from '../domain/backups.ts';
import { invalidInput } from '../domain/errors.ts';
import { fileProblem } from '../domain/file-problem.ts';
import { spanSettings, type SpanSettings } from '../domain/runs/call-span-settings.ts';
import { inHome, ownHome, usualDataDir } from './home.ts';
import { givenName, readSettings, serveSettings } from './serve-settings.ts';
import type { Environment, Flags, ServeValues } from './serve-settings.ts';
import { siteUrl, withoutPassword, type Setting } from './setting.ts';

export type { Environment, Flags };

/** Whether `--host` stands for all addresses of the machine, so that it says nothing about the URL that people use. */
export function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The URL of a server on this machine that listens there. */
export function urlHere({ host, port }: { host: string; port: number | string }): string {
  const place = isEveryAddress(host) ? serveSettings.host.usual : host;
  return new URL(`http://${place.includes(':') ? `[${place}]` : place}:${port}`).origin;
}

/** The server that commands ask by default. */
export const defaultServerUrl = urlHere({
  host: serveSettings.host.usual,
  port: serveSettings.port.usual,
});

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

/** Settings that say together where the data is, and what backups are made. */
type Together = 'data' | 'databaseUrl' | `backup${'To' | 'EveryMs' | 'Keep' | 'Recipients'}`;

/** What `jobd serve` runs with. */
export interface ServeConfig extends Omit<ServeValues, Together> {
  /** Empty where the database is on a server. */
  dataDir: string;
  /** The URL of a PostgreSQL database; null if it is a file in the data directory. */
  database: string | null;
  /** The backups that it makes by itself; null for none. */
  backups: BackupPlan | null;
  /** Where spans are sent; null if they are not; why they cannot be. */
  spans: SpanSettings | null | { problem: string };
  /** The master keys from the environment. */
  secretKeys: GivenKeys;
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

/** All but those that say where the data is, which is not up to each alone. */
const serveNames = (Object.keys(serveSettings) as (keyof ServeValues)[]).filter(
  (name) => name !== 'data' && name !== 'databaseUrl',
);

/** Reads the configuration of `jobd serve`. Throws `invalid_input`, naming flag and variable. */
export function serveConfig(flags: Flags, env: Environment = process.env): ServeConfig {
  const database = databaseUrl(flags, env);
  const { backupTo, backupEveryMs, backupKeep, backupRecipients, ...others } = readSettings(
    serveNames,
    flags,
    env,
  );
  // Whoever says how backups are made would be surprised to have none.
  if (backupTo === '') refuseGiven(['backupEveryMs', 'backupKeep', 'backupRecipients'], flags, env);
  if (database !== null) requireNoFile(backupTo !== '', others.maxDatabaseBytes !== null);
  return Object.freeze({
    ...others,
    dataDir: database === null ? dataDir(flags, env) : '',
    database,
    backups:
      backupTo === ''
        ? null
        : {
            directory: resolve(backupTo),
            everyMs: backupEveryMs,
            keep: backupKeep,
            recipients: backupRecipients,
          },
    spans: spanSettings(env),
    secretKeys: secretKeys(env),
  });
}

/** Refuses what has no effect without `--backup-to`. */
function refuseGiven(names: readonly (keyof ServeValues)[], flags: Flags, env: Environment): void {
  for (const name of names) {
    const given = givenName(name, flags, env);
    if (given === null) continue;
    throw invalidInput(
      `${given} has no effect without --backup-to (or JOBD_BACKUP_TO): name the directory for backups there, or leave ${given} out`,
    );
  }
}

/** Refuses with a database on a server what is only for a file. */
function requireNoFile(hasBackups: boolean, hasLimit: boolean): void {
  if (hasLimit) {
    throw invalidInput(
      '--max-database-size (or JOBD_MAX_DATABASE_SIZE) is only for a database in a file: PostgreSQL keeps the space of deleted rows, so removing history would not make it smaller. Leave it out, and watch the disk of the server',
    );
  }
  if (!hasBackups) return;
  throw invalidInput(
    '--backup-to (or JOBD_BACKUP_TO) is for a database in a file: back up a PostgreSQL server with its own tools, such as pg_dump',
  );
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

/** Of a process, beside its variables: its working directory, and the home of its user, who may have none. */
export interface ProcessPlaces {
  cwd?: string;
  home?: string | null;
}

/** The data directory of a process, and who named it. Throws `invalid_input` if nobody did, and its user has no home. */
export function namedDataDir(
  flags: Flags,
  env: Environment = process.env,
  { cwd = '', home = ownHome() }: ProcessPlaces = {},
): NamedDirectory {
  const flag = textOf(flags['data']);
  if (flag) return { path: resolve(cwd, flag), namedBy: '--data' };
  for (const namedBy of ['JOBD_DATA', 'STATE_DIRECTORY'] as const) {
    const named = env[namedBy];
    if (named) return { path: resolve(cwd, named), namedBy };
  }
  const path = usualDataDir(env, home);
  if (path === null) throw invalidInput('this user has no home directory: set HOME, or use --data');
  return { path, namedBy: null };
}

/** Whether commands of this user find this data directory by themselves. */
export function isFoundByItself(directory: string, env: Environment = process.env): boolean {
  const named = env['JOBD_DATA'] || env['STATE_DIRECTORY'];
  return directory === (named ? resolve(named) : usualDataDir(env, ownHome()));
}

/** The cache directory of this user's jobd (XDG Base Directory Specification); null for a user who has no home. */
export function cacheDir(env: Environment = process.env): string | null {
  const shared = env['XDG_CACHE_HOME'];
  return shared && isAbsolute(shared)
    ? join(shared, 'jobd')
    : inHome(env, ownHome(), '.cache', 'jobd');
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

/** Reads which server commands ask. `profile` is the flag, which wins over the whole environment. Throws `invalid_input`. */
export function clientSettings(
  profile: string | null = null,
  env: Environment = process.env,
): ClientSettings {
  const config = env['XDG_CONFIG_HOME'] || inHome(env, ownHome(), '.config');
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

/** A variable by its name, for what only one place reads; definition files refer to any. */
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

function textOf(flag: Flags[string]): string | undefined {
  return typeof flag === 'string' ? flag : undefined;
}
