/** The service of this machine, as install.sh or the Debian package makes it: the data directory that its settings and its unit name. */

import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isEveryAddress, serveConfig, serveDefaults } from '../../settings/config.ts';
import type { Flags } from '../../settings/config.ts';
import { parseEnvironmentFile, parseUnit } from '../../domain/unit-files.ts';
import type { Unit } from '../../domain/unit-files.ts';
import { readRootsFile } from './owner/roots-files.ts';

/** The data directory of a service, and the file that names it. */
export interface Service {
  dataDir: string;
  namedIn: string;
}

/** Where the unit of install.sh is, and that of the package. systemd prefers the first. */
const units = ['/etc/systemd/system/jobd.service', '/usr/lib/systemd/system/jobd.service'] as const;

/** Where the settings, the unit and the changes to it (`systemctl edit jobd`) are. */
export const serviceFiles = {
  settings: '/etc/jobd/jobd.env',
  get unit(): string {
    return units.find((path) => existsSync(path)) ?? units[0];
  },
  changes: '/etc/systemd/system/jobd.service.d',
};
type ServiceFiles = typeof serviceFiles;

/** All that the files of the service say, as far as only root can have written them and this user may read them. */
interface ServiceTexts {
  unit: Unit;
  /** Null if the file is not there, or tells nothing. */
  settings: string | null;
  /** Those of the file win over those of the unit. */
  variables: Readonly<Record<string, string>>;
  /** Lines of the files that systemd ignores. */
  ignored: readonly string[];
}

function readService({ settings, unit: unitFile, changes }: ServiceFiles): ServiceTexts {
  const texts = [unitFile, ...changesIn(changes)].map((path) => readRootsFile(path) ?? '');
  const unit = parseUnit(texts, 'jobd.service');
  const files = [...unit.environmentFiles.filter((path) => path !== settings), settings];
  const parsed = files.map((path) => ({
    path,
    ...parseEnvironmentFile(readRootsFile(path) ?? ''),
  }));
  return {
    unit,
    settings: readRootsFile(settings),
    variables: Object.assign({}, unit.variables, ...parsed.map(({ variables }) => variables)),
    ignored: parsed.flatMap(({ path, ignored }) => ignored.map((line) => `${path}, ${line}`)),
  };
}

function changesIn(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith('.conf'));
    return names.toSorted().map((name) => join(directory, name));
  } catch {
    return [];
  }
}

/**
 * The service, or null if there is none. A file that somebody besides root could have written, or that this user may not
 * read, names nothing. Never throws.
 */
export function findService(files: ServiceFiles = serviceFiles): Service | null {
  const { unit, settings } = readService(files);
  const inFile = parseEnvironmentFile(settings ?? '').variables['JOBD_DATA'];
  return (
    named(textOf(flagsOf(unit.command)['data']), files.unit) ??
    named(inFile, files.settings) ??
    named(unit.variables['JOBD_DATA'], files.unit) ??
    named(unit.stateDirectory, files.unit)
  );
}

/** Whether systemd starts it with the machine. */
export function isServiceEnabled(): boolean {
  return existsSync('/etc/systemd/system/multi-user.target.wants/jobd.service');
}

/** The environment of the service. */
export interface ServiceEnvironment {
  /** The options of its command. */
  flags: Flags;
  variables: Readonly<Record<string, string>>;
  /** Lines of its files that systemd ignores. */
  ignored: readonly string[];
}

/**
 * The environment that systemd gives the service, but with the master keys of `own`, the variables of this command, if it has
 * some: the service may get its key as a credential. Null without a service, and if its settings may not be read. Never throws.
 */
export function findServiceEnvironment(
  own: (name: string) => string | undefined,
  files = serviceFiles,
): ServiceEnvironment | null {
  const { unit, settings, variables, ignored } = readService(files);
  if (findService(files) === null) return null;
  if (settings === null && existsSync(files.settings)) return null;
  const { stateDirectory } = unit;
  const others = Object.entries(variables).filter(([name]) => !allKeyVariables.has(name));
  return {
    flags: flagsOf(unit.command),
    variables: {
      ...(stateDirectory !== null && { STATE_DIRECTORY: stateDirectory }),
      ...Object.fromEntries(others),
      ...findServiceKeys(own, files),
    },
    ignored,
  };
}

/**
 * Where the server of the service listens, or its base URL unless `isDirect`; null without a service, and if this user may not
 * read its settings, or they set none of this. Never throws.
 */
export function findServiceUrl(
  files: ServiceFiles = serviceFiles,
  isDirect = false,
): string | null {
  const setting = variablesOf(files);
  const env = Object.fromEntries(
    ['JOBD_BASE_URL', 'JOBD_HOST', 'JOBD_PORT'].map((name) => [name, setting(name)]),
  );
  const given = flagsOf(readService(files).unit.command);
  const flags = { baseUrl: given['baseUrl'], host: given['host'], port: given['port'] };
  const settings = [...Object.values(env), ...Object.values(flags)];
  if (settings.every((value) => value === undefined)) return null;
  try {
    const { baseUrl, host, port } = serveConfig({ data: '/', ...flags }, env);
    if (baseUrl !== null && !isDirect) return baseUrl;
    if (port === 0) return null;
    const place = isEveryAddress(host) ? serveDefaults.host : host;
    return new URL(`http://${place.includes(':') ? `[${place}]` : place}:${port}`).origin;
  } catch {
    return null;
  }
}

/** Where a master key is: one variable or the other. */
const keyVariables = ['JOBD_SECRET_KEY', 'JOBD_SECRET_KEY_FILE'];
const nextKeyVariables = ['JOBD_SECRET_KEY_NEW', 'JOBD_SECRET_KEY_NEW_FILE'];
const allKeyVariables = new Set([...keyVariables, ...nextKeyVariables]);

/**
 * The variables of the service about its database on a server, but the master keys of `own`, the variables of this command, if
 * it has some: the service may get its key as a credential. Null without a database on a server, and if this user may not read
 * the settings of the service. Never throws.
 */
export function findServiceDatabase(
  own: (name: string) => string | undefined,
  files: ServiceFiles = serviceFiles,
): Readonly<Record<string, string>> | null {
  const [database] = read(['JOBD_DATABASE_URL'], variablesOf(files));
  if (database === undefined) return null;
  return { ...Object.fromEntries([database]), ...findServiceKeys(own, files) };
}

/** The variables of the service, or of this command, about master keys. Never throws. */
export function findServiceKeys(
  own: (name: string) => string | undefined,
  files = serviceFiles,
): Readonly<Record<string, string>> {
  const ofService = variablesOf(files);
  const keys = [keyVariables, nextKeyVariables].flatMap((names) => {
    const ownKey = read(names, own);
    return ownKey.length > 0 ? ownKey : read(names, ofService);
  });
  return Object.fromEntries(keys);
}

function variablesOf(files: ServiceFiles) {
  const { variables, unit } = readService(files);
  const { data, database } = flagsOf(unit.command);
  const url = data === undefined ? textOf(database) : '';
  const all = url === null ? variables : { ...variables, JOBD_DATABASE_URL: url };
  return (name: string): string | undefined => all[name];
}

function read(
  names: readonly string[],
  from: (name: string) => string | undefined,
): [string, string][] {
  return names.flatMap((name): [string, string][] => {
    const value = from(name);
    return value ? [[name, value]] : [];
  });
}

function textOf(flag: Flags[string]): string | null {
  return typeof flag === 'string' ? flag : null;
}

function named(dataDir: string | null | undefined, namedIn: string): Service | null {
  return dataDir ? { dataDir: resolve('/', dataDir), namedIn } : null;
}

/** Options of `serve` that may be repeated. */
const lists = new Set(['allowTarget', 'corsOrigin', 'mailAllow', 'backupRecipient']);

/** The options of `serve` in the command of the unit, which win over all else. */
function flagsOf(command: readonly string[]): Flags {
  const flags: Record<string, string | string[] | boolean> = {};
  const words = command.includes('serve') ? command.slice(command.indexOf('serve') + 1) : [];
  for (const [index, word] of words.entries()) {
    const [, negation, option = '', own] = /^--(no-)?([a-z-]+)(?:=(.*))?$/.exec(word) ?? [];
    if (option === '') continue;
    const name = option.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const next = words[index + 1];
    const value = own ?? (next === undefined || next.startsWith('--') ? true : next);
    const known = flags[name];
    if (lists.has(name)) flags[name] = [...(Array.isArray(known) ? known : []), String(value)];
    else flags[name] = negation === undefined && value;
  }
  return flags;
}
