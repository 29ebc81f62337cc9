/** Windows, as they are kept. */

import { isoTime } from '../../../src/domain/clock.ts';
import { newId } from '../../../src/domain/id.ts';
import { periodAt, type Window, type WindowEffect } from '../../../src/domain/windows.ts';

/** A window about all jobs and monitors, from one moment until another one (epoch milliseconds). */
export function windowOf(
  effect: WindowEffect,
  from: number,
  until: number,
  more: Partial<Window> = {},
): Window {
  return {
    id: newId(from),
    name: 'night',
    effect,
    selector: null,
    jobIds: null,
    monitorIds: null,
    from: isoTime(from),
    until: isoTime(until),
    cronExpr: null,
    timezone: 'UTC',
    durationSeconds: null,
    endedAt: null,
    createdAt: isoTime(from),
    ...more,
  };
}

/** When the last of the periods ends that an instant is in; null if it is in none. */
export function endAt(windows: readonly Window[], at: number): number | null {
  const ends = windows.flatMap((one) => periodAt(one, at)?.until ?? []);
  return ends.length === 0 ? null : Math.max(...ends);
}
