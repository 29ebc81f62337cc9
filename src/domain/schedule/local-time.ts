/** Times as the clocks of a zone show them; the zone must have passed `canonicalZone`. */
import { DateTime, FixedOffsetZone } from 'luxon';
import { spanAt } from './offset.ts';

/** ISO 8601 with the offset: `2026-03-29T03:00:00.000+02:00`. `at` is in epoch milliseconds. */
export function localIsoTime(at: number, timezone: string): string {
  return inZone(at, timezone).toFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZZ");
}

/** For people: `Sun 29 Mar 2026 03:00 +02:00`, with seconds if asked for. */
export function localTimeText(at: number, timezone: string, withSeconds: boolean): string {
  return inZone(at, timezone).toFormat(`ccc d LLL yyyy HH:mm${withSeconds ? ':ss' : ''} ZZ`);
}

/** By the same offsets as due times, which need not be those that luxon knows. */
function inZone(at: number, timezone: string): DateTime {
  const { offset } = spanAt(timezone, Math.floor(at / 60_000));
  return DateTime.fromMillis(at, { zone: FixedOffsetZone.instance(offset), locale: 'en-US' });
}

/** An instant as the clocks of a zone show it, with seconds if it has some: `Tue 24 Nov 2026 02:30 +01:00`. */
export function timeIn(at: number, zone: string): string {
  return localTimeText(at, zone, at % 60_000 !== 0);
}
