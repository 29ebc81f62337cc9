/** The service of this machine, as install.sh or the Debian package makes it: what its unit and its settings say. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ifPossible } from '../../domain/errors.ts';
import { environmentVariable, namedDataDir, urlHere } from '../../settings/config.ts';
import type { Environment, Flags } from '../../settings/config.ts';
import { readSettings } from '../../settings/serve-settings.ts';
import { parseEnvironmentFile, parseUnit } from '../../domain/unit-files.ts';
import { readRootsFile } from './roots-files.ts';
import { flagsIn } from './serve-flags.ts';

/** A service: its data directory, and the file that names it. */
export interface Service {
  dataDir: string;
  namedIn: string;
  /** Null if this user may not read its settings. */
  environment: ServiceEnvironment | null;
}

export interface ServiceEnvironment {
  /** The options of its command. */
  flags: Flags;
  /** What systemd sets. Those of its files win over those of the unit. */
  variables: Environment;
  /** Lines of its files that systemd ignores. */
  ignored: readonly string[];
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

/** Reads all files, as far as only root can have written them and this user may read them. */
function readService({ settings, unit: unitFile, changes }: typeof serviceFiles) {
  const texts = [unitFile, ...changesIn(changes)].map((path) => readRootsFile(path) ?? '');
  const unit = parseUnit(texts, 'jobd.service');
  const paths = [...unit.environmentFiles.filter((path) => path !== settings), settings];
  const files = paths.map((path) => {
    const text = readRootsFile(path);
    return { path, isRead: text !== null, ...parseEnvironmentFile(text ?? '') };
  });
  const { stateDirectory, variables: ofUnit, command } = unit;
  const variables: Record<string, string> = Object.assign(
    { ...(stateDirectory !== null && { STATE_DIRECTORY: stateDirectory }) },
    ofUnit,
    ...files.map((file) => file.variables),
  );
  const ignored = files.flatMap((file) => file.ignored.map((line) => `${file.path}, ${line}`));
  return { files, environment: { flags: flagsIn(command), variables, ignored } };
}

function changesIn(directory: string): string[] {
  const names = ifPossible(() => readdirSync(directory)) ?? [];
  const changes = names.filter((name) => name.endsWith('.conf'));
  return changes.toSorted().map((name) => join(directory, name));
}

/** The service, or null. A file that others than root could have written, or this user may not read, names nothing. Never throws. */
export function findService(files = serviceFiles): Service | null {
  const { environment: given, files: read } = readService(files);
  try {
    const { path: dataDir, namedBy } = namedDataDir(given.flags, given.variables, {
      cwd: '/',
      home: null,
    });
    const inFile = namedBy === 'JOBD_DATA' && read.findLast(({ variables }) => variables[namedBy]);
    const isHidden = read.at(-1)?.isRead === false && existsSync(files.settings);
    const environment = isHidden ? null : given;
    return { dataDir, namedIn: inFile ? inFile.path : files.unit, environment };
  } catch {
    return null;
  }
}

/** Where a master key is: one variable or the other. */
const keyVariables = [
  ['JOBD_SECRET_KEY', 'JOBD_SECRET_KEY_FILE'],
  ['JOBD_SECRET_KEY_NEW', 'JOBD_SECRET_KEY_NEW_FILE'],
] as const;

/**
 * The environment that systemd gives the service, but with the master keys of `own`, the variables of this command, if it has
 * some. Null without a service, and if its settings may not be read. Never throws.
 */
export function environmentOfService(
  service: Service | null = findService(),
  own: (name: string) => string | undefined = environmentVariable,
): ServiceEnvironment | null {
  const environment = service?.environment ?? null;
  if (environment === null) return null;
  const ownKeys = keyVariables.filter((names) => names.some(own)).flat();
  const keys = Object.fromEntries(ownKeys.map((name) => [name, own(name)]));
  return { ...environment, variables: { ...environment.variables, ...keys } };
}

/** Where the server of the service listens, or its base URL unless `isDirect`; null if its settings say no valid place. Never throws. */
export function findServiceUrl(files = serviceFiles, isDirect = false): string | null {
  const { flags, variables } = readService(files).environment;
  try {
    const { baseUrl, ...place } = readSettings(['baseUrl', 'host', 'port'], flags, variables);
    if (baseUrl !== null && !isDirect) return baseUrl;
    return place.port === 0 ? null : urlHere(place);
  } catch {
    return null;
  }
}
