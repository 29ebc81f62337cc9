/** The time zone of this machine, for schedules that name none. */

import { readFileSync, realpathSync } from 'node:fs';
import { environmentVariable } from '../../settings/config.ts';
import { JobdError, systemCode, unlessRefused } from '../../domain/errors.ts';
import { canonicalZone } from '../../domain/schedule/zone.ts';

/** What is said of a zone that nobody named, and where it is from. */
export function zoneNote(zone: string, from = 'as on this machine'): string {
  return `time zone: ${zone}, ${from}; --tz names another`;
}

/** Where a machine says its zone. */
const localtime = '/etc/localtime';
const timezone = '/etc/timezone';

/** What is read of the machine, so that tests can have another one. */
export interface Machine {
  /** What TZ says; undefined if it is not set. */
  variable: string | undefined;
  /** What Node finds without TZ; also undefined. */
  found: () => string | undefined;
  /** Where a link leads, and the text of a file. Throw as the system does. */
  real: (path: string) => string;
  text: (path: string) => string;
}

const thisMachine = (): Machine => ({
  variable: environmentVariable('TZ'),
  found: () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
  real: (path) => realpathSync(path),
  text: (path) => readFileSync(path, 'utf8'),
});

/**
 * The IANA name of the zone of this machine: that of TZ, or that of /etc/localtime or /etc/timezone. A machine that says none
 * is in UTC, as its other programs are. Throws `usage` if what it says is no IANA name: another zone would be a wrong hour.
 */
export function machineZone(machine = thisMachine()): string {
  // A colon before a name means a file of the system (POSIX.1-2024 Base Definitions 8.3).
  const given = machine.variable?.replace(/^:/, '');
  if (given === undefined) return zoneIn(machine.found() ?? '') ?? systemZone(machine);
  if (given === localtime) return systemZone(machine);
  if (given === '') return 'UTC';
  const zone = zoneIn(given);
  if (zone !== null) return zone;
  throw new JobdError(
    'usage',
    `the variable TZ is ${JSON.stringify(given.slice(0, 60))}, which is no IANA time zone: say --tz, such as --tz Europe/Paris`,
  );
}

/** The same, but UTC where the machine says no name: for times that are only shown. */
export function shownZone(): string {
  return unlessRefused(machineZone) ?? 'UTC';
}

function systemZone({ real, text }: Machine): string {
  const linked = tryTo(() => real(localtime));
  const zone = linked === null ? null : zoneIn(linked);
  const written = zone === null ? tryTo(() => text(timezone)) : null;
  const named = zone ?? (written === null ? null : zoneIn(written.trim()));
  if (named !== null) return named;
  if (linked === null && written === null) return 'UTC';
  throw new JobdError(
    'usage',
    `this machine does not say its time zone: ${localtime} is no link to one, and ${timezone} has no IANA name; say --tz, such as --tz Europe/Paris`,
  );
}

/** The zone of a name, or of a file of the time-zone database; null if there is none. */
export function zoneIn(name: string): string | null {
  const [, inDatabase = name] = /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(name) ?? [];
  return unlessRefused(() => canonicalZone(inDatabase)) ?? null;
}

/** Null if there is no such file. */
function tryTo(read: () => string): string | null {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(systemCode(error))) return null;
    throw error;
  }
}
