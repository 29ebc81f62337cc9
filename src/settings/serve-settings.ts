/**
 * The settings of `jobd serve`, one a row: its flag, what it is, and how its text is read. The flags, their variables, the help of
 * both, the known names of variables and what nodes compare follow from these rows.
 */

import { parseMailRules } from '../domain/alerts/mail-allow.ts';
import { parseMailServer } from '../domain/alerts/mail-server.ts';
import { invalidInput } from '../domain/errors.ts';
import { allowTargetText, parseAllowTargets } from '../domain/targets/target.ts';
import type { LogFormat, LogLevel } from '../base/log.ts';
import {
  backupEveryMs,
  backupRecipients,
  checkedKeep,
  corsOrigins,
  databaseBytes,
  fieldOf,
  heartbeatUrl,
  listenAddress,
  listenHost,
  parseChoice,
  parseWholeNumber,
  siteUrl,
  trustedProxies,
} from './setting.ts';
import type { Setting } from './setting.ts';

/** Flags as the command line gives them: text, untouched. */
export type Flags = Readonly<Record<string, string | string[] | boolean | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting. Its flag wins over its variable. */
export interface ServeSetting<Value> {
  /** As help shows it: `--port <port>`. */
  flag: string;
  /** The variable; one that is set to nothing counts as not set. */
  variable: string;
  about: string;
  /** The text that counts where none is given; empty for none. */
  usual: string;
  /** Whether the flag may be repeated; the variable has a list then. */
  isList: boolean;
  /** Reads it. Throws `invalid_input`, naming flag and variable. */
  readonly read: (flags: Flags, env: Environment) => Value;
  /** Its value as text, empty for none, where all nodes of a database should have the same. */
  readonly common?: (value: Value) => string;
}

/** What few settings have. */
interface More<Value> extends Pick<ServeSetting<Value>, 'common'> {
  usual?: string;
  /** Where it is not called as the flag. */
  variable?: string;
}

/** A setting with one value. */
function one<Value>(
  flag: string,
  about: string,
  parse: (setting: Setting) => Value,
  { usual = '', variable = variableOf(flag), ...more }: More<Value> = {},
): ServeSetting<Value> {
  const name = `${optionIn(flag)} (or ${variable})`;
  const read = (flags: Flags, env: Environment): Value => {
    const given = flags[fieldOf(flag)];
    return parse({ name, value: typeof given === 'string' ? given : env[variable] || usual });
  };
  return { flag, variable, about, usual, isList: false, read, ...more };
}

/** A setting with any number of values. */
function many<Value>(
  flag: string,
  about: string,
  parse: (texts: readonly string[], name: string) => Value,
  { variable = variableOf(flag), ...more }: More<Value> = {},
): ServeSetting<Value> {
  const name = `${optionIn(flag)} (or ${variable})`;
  const read = (flags: Flags, env: Environment): Value => {
    const given = flags[fieldOf(flag)] ?? env[variable] ?? [];
    // Perhaps an unset variable of a shell, which hardly means all or none.
    if (Array.isArray(given) && given.some((text) => /^[\s,]*$/.test(text)))
      throw invalidInput(`${optionIn(flag)} has nothing in it: give it a value, or leave it out`);
    const texts = [given].flat().flatMap((text) => String(text).split(/[\s,]+/));
    return parse(texts.filter(Boolean), name);
  };
  return { flag, variable, about, usual: '', isList: true, read, ...more };
}

/** Whether something is done. Where the flag is `--no-…`, it is done by default. */
function whether(flag: string, about: string): ServeSetting<boolean> {
  const variable = variableOf(flag);
  const isUsual = flag.startsWith('--no-');
  const read = (flags: Flags, env: Environment): boolean => {
    const isGiven = flags[fieldOf(flag)] === !isUsual || Boolean(env[variable]);
    return isGiven !== isUsual;
  };
  const common = (value: boolean): string => (value === isUsual ? '' : 'given');
  return { flag, variable, about, usual: '', isList: false, read, common };
}

/** `--slots-per-host` of `--slots-per-host <n>`. */
function optionIn(flag: string): string {
  return flag.split(' ', 1)[0] ?? '';
}

/** `JOBD_SLOTS_PER_HOST` of it. */
function variableOf(flag: string): string {
  return `JOBD_${optionIn(flag).slice(2).replaceAll('-', '_').toUpperCase()}`;
}

function wholeNumberOf(min: number, max: number) {
  return ({ name, value }: Setting): number => parseWholeNumber(value, name, { min, max });
}

const logLevels: readonly LogLevel[] = [
  'fatal',
  'error',
  'warn',
  'info',
  'debug',
  'trace',
  'silent',
];
const logFormats: readonly LogFormat[] = ['human', 'json'];

/** As given: where the data is depends on several settings (`config.ts`). */
const asGiven = ({ value }: Setting): string => value;

/** The settings, in the order of the help. */
export const serveSettings = {
  host: one('--host <address>', 'address to listen on', listenHost, { usual: '127.0.0.1' }),
  port: one('--port <port>', 'port to listen on, 0 for any free one', wholeNumberOf(0, 65_535), {
    usual: '8080',
  }),
  data: one('--data <dir>', 'data directory (default ~/.local/share/jobd)', asGiven),
  databaseUrl: one(
    '--database <url>',
    'PostgreSQL database instead of a file; without a password',
    asGiven,
    { variable: 'JOBD_DATABASE_URL' },
  ),
  maxDatabaseBytes: one(
    '--max-database-size <size>',
    'remove history before its time to keep the database file below this, such as 20GiB',
    databaseBytes,
  ),
  baseUrl: one('--base-url <url>', 'public URL of this server', siteUrl, {
    common: (url) => url ?? '',
  }),
  slots: one('--slots <n>', 'maximum calls in flight', wholeNumberOf(1, 10_000), { usual: '512' }),
  slotsPerHost: one(
    '--slots-per-host <n>',
    'maximum calls in flight to one host name',
    wholeNumberOf(1, 10_000),
    { usual: '256' },
  ),
  allowTargets: many(
    '--allow-target <cidr[:port|:*]>',
    'let jobs call these private addresses or ports',
    parseAllowTargets,
    {
      variable: 'JOBD_ALLOW_TARGETS',
      common: (targets) => targets.map(allowTargetText).toSorted().join(' '),
    },
  ),
  corsOrigins: many(
    '--cors-origin <origin>',
    'let pages of these origins use the API from a browser',
    corsOrigins,
    { variable: 'JOBD_CORS_ORIGINS' },
  ),
  trustedProxies: many(
    '--trusted-proxy <cidr>',
    'believe X-Forwarded-For of these proxies',
    trustedProxies,
  ),
  smtp: one('--smtp-url <url>', 'SMTP server for alert email', parseMailServer, {
    // Its password is nobody else's business.
    common: (server) => (server ? 'given' : ''),
  }),
  mailAllow: many(
    '--mail-allow <address|domain>',
    'only send alert email to these',
    parseMailRules,
    { common: (rules) => rules.toSorted().join(' ') },
  ),
  heartbeatUrl: one(
    '--heartbeat-url <url>',
    'URL to call each minute while the scheduler is healthy',
    heartbeatUrl,
  ),
  metrics: one(
    '--metrics <host:port>',
    'address to serve Prometheus metrics on, at GET /metrics',
    listenAddress,
  ),
  backupTo: one('--backup-to <dir>', 'make backups by itself, in this directory', asGiven),
  backupEveryMs: one(
    '--backup-every <duration>',
    'how often to make backups, at least 1m',
    backupEveryMs,
    { usual: '24h' },
  ),
  backupKeep: one(
    '--backup-keep <duration|n>',
    'how long to keep backups, or how many',
    checkedKeep,
    { usual: '7d' },
  ),
  backupRecipients: many(
    '--backup-recipient <age1…>',
    'encrypt backups with age for these public keys',
    backupRecipients,
    { variable: 'JOBD_BACKUP_RECIPIENTS' },
  ),
  signing: whether('--no-signing', 'sign no receipts'),
  traceContext: whether('--trace-context', 'send a W3C traceparent header with each call'),
  logLevel: one(
    '--log-level <level>',
    'fatal, error, warn, info, debug, trace or silent',
    ({ name, value }) => parseChoice(value, name, logLevels),
    { usual: 'info' },
  ),
  logFormat: one(
    '--log-format <format>',
    'human or json (default human on a terminal, else json)',
    ({ name, value }) => (value === '' ? null : parseChoice(value, name, logFormats)),
  ),
};

/** What they are, read. */
export type ServeValues = {
  readonly [Name in keyof typeof serveSettings]: ReturnType<(typeof serveSettings)[Name]['read']>;
};

/** Reads some of them. Throws `invalid_input`, naming flag and variable. */
export function readSettings<Name extends keyof ServeValues>(
  names: readonly Name[],
  flags: Flags,
  env: Environment,
): Pick<ServeValues, Name> {
  const read = names.map((name) => [name, serveSettings[name].read(flags, env)] as const);
  return Object.fromEntries(read) as Pick<ServeValues, Name>;
}

/** The flag or variable that gives a setting; null if none does. */
export function givenName(name: keyof ServeValues, flags: Flags, env: Environment): string | null {
  const { flag, variable } = serveSettings[name];
  if (flags[fieldOf(flag)] !== undefined) return optionIn(flag);
  return env[variable] ? variable : null;
}

/** The flags of `serve` for a command line, with what help says of each. */
export const serveFlags = Object.values(serveSettings).map(({ flag, about, usual, isList }) => {
  const more = isList ? '; may be repeated' : '';
  return { flag, isList, help: about + more + defaultText(usual) };
});

/** What is said of the variables that only `serve` reads. */
export const serveVariables = Object.entries(serveSettings)
  .filter(([name]) => name !== 'data' && name !== 'databaseUrl')
  .map(([, { flag, variable, about, usual, isList }]): [name: string, meaning: string] => {
    const list = isList ? ', comma-separated' : '';
    const isSwitch = !flag.includes('<') ? ', if set to anything' : '';
    return [variable, `serve: ${about}${list}${isSwitch}${defaultText(usual)}`];
  });

function defaultText(usual: string): string {
  return usual === '' ? '' : ` (default ${usual})`;
}

/** What all nodes of a database should have in common, by the names of the options; `none` stands for nothing. */
export function commonSettings(values: Partial<ServeValues>, none: string): Record<string, string> {
  const rows = Object.entries(serveSettings).flatMap(([name, setting]) => {
    // Each row reads what it shows.
    const { flag, common } = setting as ServeSetting<unknown>;
    if (common === undefined) return [];
    return [[optionIn(flag), common(values[name as keyof ServeValues]) || none]];
  });
  return Object.fromEntries(rows);
}
