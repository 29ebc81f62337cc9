/**
 * Which time-zone data is used: that of the system if it is newer than what the executable has built in. Set once for a
 * process, and again when the system's has changed. Without files it is the built-in data, as in a browser.
 */

import { msPerDay } from '../clock.ts';
import type { OffsetAt } from './tzif.ts';

/** Compiled time-zone files of a system. */
export interface ZoneFiles {
  /** The release, such as `2026f`. */
  readonly version: string;
  readonly directory: string;
  /** Reads a zone; null if there is no such file, or none that can be read. */
  read(zone: string): OffsetAt | null;
}

/** What a process can use. */
export interface ZoneSource {
  /** The release that is built in; empty if it is not known. */
  readonly builtIn: string;
  /** Looks for the files; null without any. */
  find(): ZoneFiles | null;
}

let source: ZoneSource = { builtIn: '', find: () => null };
let used: { files: ZoneFiles | null } | null = null;
/** Another release that the last look found. */
let seen: { version: string | undefined } | undefined;

/** From now on data comes from here. It is looked for when it is first needed. */
export function useZoneSource(next: ZoneSource): void {
  source = next;
  used = null;
  seen = undefined;
}

/** The files that are used instead of the built-in data; null if none are. A new object whenever they have changed. */
export function zoneFiles(): ZoneFiles | null {
  used ??= { files: findNewer() };
  return used.files;
}

/** Looks again; returns whether other data is used now. A release counts when two looks find it: files are replaced one by one. */
export function refreshZoneData(): boolean {
  const before = zoneFiles();
  const found = findNewer();
  if (found?.version === before?.version) seen = undefined;
  else if (seen !== undefined && found?.version === seen.version) {
    used = { files: found };
    seen = undefined;
    return true;
  } else seen = { version: found?.version };
  return false;
}

/** The files of the source, if they are newer than what is built in. */
function findNewer(): ZoneFiles | null {
  const found = source.find();
  return found !== null && isNewer(found.version, source.builtIn) ? found : null;
}

/** The release in use, such as `2026f`; empty if it is not known. */
export function zoneDataVersion(): string {
  return zoneFiles()?.version ?? source.builtIn;
}

/** The release in use and where it comes from: `2026f of /usr/share/zoneinfo, 2026c is built in`. */
export function zoneDataText(): string {
  const files = zoneFiles();
  const { builtIn } = source;
  return files === null
    ? `${builtIn || 'unknown'}, built in`
    : `${files.version} in ${files.directory}${builtIn && `, ${builtIn} is built in`}`;
}

const release = /^(?<year>\d{4})[a-z]{1,3}$/;

/** Whether a release came later than another one: `2026f` after `2026c`. A text that is no release came never. */
function isNewer(version: string, other: string): boolean {
  return release.test(version) && version > other;
}

/** Each year has had releases: half a year into the next one, some are missing. */
const graceMs = 180 * msPerDay;

/** Whether newer releases than the one in use must exist by `now` (epoch milliseconds): false if that is not certain. */
export function isZoneDataOld(now: number): boolean {
  const year = release.exec(zoneDataVersion())?.groups?.['year'];
  return year !== undefined && Number(year) < new Date(now - graceMs).getUTCFullYear();
}
