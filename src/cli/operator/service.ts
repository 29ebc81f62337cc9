/** The service of this machine, as install.sh or the Debian package makes it: the data directory that its settings and its unit name. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isEveryAddress, serveConfig, serveDefaults } from '../../settings/config.ts';
import { readRootsFile } from './owner/roots-files.ts';

/** The data directory of a service, and the file that names it. */
export interface Service {
  dataDir: string;
  namedIn: string;
}

/** Where the unit of install.sh is, and that of the package. systemd prefers the first. */
const units = ['/etc/systemd/system/jobd.service', '/usr/lib/systemd/system/jobd.service'] as const;

/** Where the settings and the unit are. */
export const serviceFiles = {
  settings: '/etc/jobd/jobd.env',
  get unit(): string {
    return units.find((path) => existsSync(path)) ?? units[0];
  },
};

/**
 * The service, or null if there is none. A file that somebody besides root could have written, or that this user may not
 * read, names nothing. Never throws.
 */
export function findService({ settings, unit } = serviceFiles): Service | null {
  const unitText = readRootsFile(unit) ?? '';
  return (
    named(optionIn(unitText), unit) ??
    named(variableIn(readRootsFile(settings) ?? '', 'JOBD_DATA'), settings) ??
    named(variableIn(unitText, 'JOBD_DATA'), unit) ??
    named(stateDirectoryIn(unitText), unit)
  );
}

/**
 * Where the server of the service listens, or its base URL unless `isDirect`; null without a service, and if this user may not
 * read its settings, or they set none of this. Never throws.
 */
export function findServiceUrl({ settings, unit } = serviceFiles, isDirect = false): string | null {
  const setting = variablesOf({ settings, unit });
  const env = Object.fromEntries(
    ['JOBD_BASE_URL', 'JOBD_HOST', 'JOBD_PORT'].map((name) => [name, setting(name)]),
  );
  if (Object.values(env).every((value) => value === undefined)) return null;
  try {
    const { baseUrl, host, port } = serveConfig({ data: '/' }, env);
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

/**
 * The variables of the service about its database on a server, but the master keys of `own`, the variables of this command, if
 * it has some: the service may get its key as a credential. Null without a database on a server, and if this user may not read
 * the settings of the service. Never throws.
 */
export function findServiceDatabase(
  own: (name: string) => string | undefined,
  { settings, unit } = serviceFiles,
): Readonly<Record<string, string>> | null {
  const [database] = read(['JOBD_DATABASE_URL'], variablesOf({ settings, unit }));
  if (database === undefined) return null;
  return { ...Object.fromEntries([database]), ...findServiceKeys(own, { settings, unit }) };
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

function variablesOf({ settings, unit }: typeof serviceFiles) {
  const texts = [readRootsFile(settings) ?? '', readRootsFile(unit) ?? ''];
  return (name: string): string | undefined =>
    texts.map((text) => variableIn(text, name)).find((value) => value !== null) ?? undefined;
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

function named(dataDir: string | null, namedIn: string): Service | null {
  return dataDir === null ? null : { dataDir: resolve('/', dataDir), namedIn };
}

/** `--data DIR` of `ExecStart=`, which wins over all else. */
function optionIn(unit: string): string | null {
  const serves = (unit.match(/^ExecStart=.*/gm) ?? []).filter((line) => /\sserve\s/.test(line));
  // Only what follows the command is an option of it.
  const options = serves.map((line) => line.slice(line.search(/\sserve\s/) + ' serve'.length));
  return lastOf(/\s--data[= ]["']?([^\s"']+)/g, options.join('\n'));
}

/** `NAME=VALUE`, as in a file of settings or after `Environment=`. systemd lets a file win over the unit. */
function variableIn(text: string, name: string): string | null {
  return lastOf(new RegExp(`^(?:Environment=)?["']?${name}=["']?([^\\s"']+)`, 'gm'), text);
}

function stateDirectoryIn(unit: string): string | null {
  const name = lastOf(/^StateDirectory=([\w./-]+)/gm, unit);
  return name === null ? null : `/var/lib/${name}`;
}

function lastOf(pattern: RegExp, text: string): string | null {
  return [...text.matchAll(pattern)].at(-1)?.[1] ?? null;
}
