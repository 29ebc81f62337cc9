/** Times as people read them, with their zone. */

/** A time with its day: `Sunday, 29 November 2026 at 17:08 UTC`. `zone` is an IANA name; this browser's by default. */
export function dayAndTime(iso: string, zone?: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    ...(zone !== undefined && { timeZone: zone }),
  }).format(new Date(iso));
}

/** A time of today: `17:08:02`. */
export function timeOfDay(iso: string, zone?: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeStyle: 'medium',
    ...(zone !== undefined && { timeZone: zone }),
  }).format(new Date(iso));
}
