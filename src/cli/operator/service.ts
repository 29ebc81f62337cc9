/** The service of this machine, as install.sh makes it: the data directory that its settings and its unit name. */

import { resolve } from 'node:path';
import { readRootsFile } from './roots-files.ts';

/** The data directory of a service, and the file that names it. */
export interface Service {
  dataDir: string;
  namedIn: string;
}

/** Where install.sh puts the settings and the unit. */
export const serviceFiles = {
  settings: '/etc/jobd/jobd.env',
  unit: '/etc/systemd/system/jobd.service',
};

/**
 * The service, or null if there is none. A file that somebody besides root could have written, or that this user may not
 * read, names nothing. Never throws.
 */
export function findService({ settings, unit } = serviceFiles): Service | null {
  const unitText = readRootsFile(unit) ?? '';
  return (
    named(optionIn(unitText), unit) ??
    named(variableIn(readRootsFile(settings) ?? ''), settings) ??
    named(variableIn(unitText), unit) ??
    named(stateDirectoryIn(unitText), unit)
  );
}

function named(dataDir: string | null, namedIn: string): Service | null {
  return dataDir === null ? null : { dataDir: resolve('/', dataDir), namedIn };
}

/** `--data DIR` of `ExecStart=`, which wins over all else. */
function optionIn(unit: string): string | null {
  return lastOf(/^ExecStart=.*\sserve\s(?:.*\s)?--data[= ]["']?([^\s"']+)/gm, unit);
}

/** `JOBD_DATA=DIR`, as in a file of settings or after `Environment=`. systemd lets a file win over the unit. */
function variableIn(text: string): string | null {
  return lastOf(/^(?:Environment=)?["']?JOBD_DATA=["']?([^\s"']+)/gm, text);
}

function stateDirectoryIn(unit: string): string | null {
  const name = lastOf(/^StateDirectory=([\w./-]+)/gm, unit);
  return name === null ? null : `/var/lib/${name}`;
}

function lastOf(pattern: RegExp, text: string): string | null {
  return [...text.matchAll(pattern)].at(-1)?.[1] ?? null;
}
