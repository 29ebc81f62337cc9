/**
 * The time-zone files of this machine. `tzdata.zi` among them has the release in its first line and says
 * which names are links; each zone has a compiled file. Systems bring them up to date, also while jobd runs.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { maxTzifBytes, readTzif } from '../domain/schedule/tzif.ts';
import type { ZoneFiles, ZoneSource } from '../domain/schedule/zone-data.ts';

/** It has 110 KB. */
const maxIndexBytes = 1024 * 1024;
/** A name may lead to another name. */
const mostLinks = 8;

/** The data of this process: what Node has built in, and the files in a directory. */
export function zoneSourceAt(directory: string): ZoneSource {
  return { builtIn: process.versions['tz'] ?? '', find: () => findZoneFiles(directory) };
}

/** The files in a directory; null if it has none that say their release. */
export function findZoneFiles(directory: string): ZoneFiles | null {
  const index = readIndex(
    readWhole(join(directory, 'tzdata.zi'), maxIndexBytes)?.toString('latin1') ?? '',
  );
  if (index === null) return null;
  const { version, targets } = index;
  return {
    version,
    directory,
    read(zone) {
      // Some systems keep names that are only links in a package of their own.
      let name: string | undefined = zone;
      for (
        let links = 0;
        name !== undefined && isZoneName.test(name) && links < mostLinks;
        links += 1
      ) {
        const bytes = readWhole(join(directory, name), maxTzifBytes);
        if (bytes !== null) return readOrNull(bytes);
        name = targets.get(name);
      }
      return null;
    },
  };
}

/** The release (`# version 2026f`) and other names of zones (`L TARGET NAME`); null for a text that does not begin with a release. */
export function readIndex(text: string): { version: string; targets: Map<string, string> } | null {
  const version = /^# version (\S{1,20})\n/.exec(text)?.[1];
  if (version === undefined) return null;
  const targets = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [kind, target, name] = line.split(' ', 4);
    if (kind === 'L' && target !== undefined && name !== undefined) targets.set(name, target);
  }
  return { version, targets };
}

/** Without a dot, so that no path leaves the directory. */
const isZoneName = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

/** A regular file of at most `most` bytes; null for anything else. */
function readWhole(path: string, most: number): Buffer | null {
  try {
    // A pipe would wait for its writer.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(file);
      return stat.isFile() && stat.size <= most ? readFileSync(file) : null;
    } finally {
      closeSync(file);
    }
  } catch {
    // Missing or unreadable: the built-in data is used.
    return null;
  }
}

function readOrNull(bytes: Buffer): ReturnType<ZoneFiles['read']> {
  try {
    return readTzif(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
