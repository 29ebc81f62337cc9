/** The time zone of this machine, for schedules that name none. */

import { JobdError } from '../../domain/errors.ts';
import { canonicalZone } from '../../domain/schedule/zone.ts';

/** What is said of a zone that nobody named. */
export function zoneNote(zone: string): string {
  return `time zone: ${zone}, as on this machine; --tz names another`;
}

/** The IANA name of the zone that this process is in; UTC if it has no such name. */
export function machineZone(): string {
  // A TZ that names no zone makes it undefined.
  const name = new Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  try {
    return name === undefined ? 'UTC' : canonicalZone(name);
  } catch (error) {
    if (error instanceof JobdError) return 'UTC';
    throw error;
  }
}
