/** Numbers and lengths of time as people write them. */

import { inTwoUnits } from '../../domain/durations.ts';

/** A number as people write it: `1,042`. */
export function figures(number: number): string {
  return number.toLocaleString('en');
}

/** A measured time: `31 ms`, `1.2 s`, `42 s`, `2 m 4 s`. */
export function duration(ms: number): string {
  const whole = Math.round(ms);
  if (whole < 1_000) return `${whole} ms`;
  if (whole < 10_000) return `${Math.round(whole / 100) / 10} s`;
  return inTwoUnits(Math.round(whole / 1_000), { minute: 'm' });
}

/** A length of time without milliseconds: `2 h 4 m`. */
export function span(ms: number): string {
  return ms < 1_000 ? 'less than 1 s' : inTwoUnits(Math.floor(ms / 1_000), { minute: 'm' });
}

/** How long a time is past: `2 h 4 m ago`. A time that is not past, as on a clock that is behind, is `now`. */
export function ago(iso: string, nowMs: number): string {
  const ms = nowMs - Date.parse(iso);
  return ms < 1_000 ? 'now' : `${span(ms)} ago`;
}

/** How far a due time is: `in 1 m 12 s`, then `now`, then `1 m 12 s late`. */
export function until(iso: string, nowMs: number): string {
  const ms = Date.parse(iso) - nowMs;
  if (ms > 0) return `in ${span(Math.ceil(ms / 1_000) * 1_000)}`;
  return ms > -1_000 ? 'now' : `${span(-ms)} late`;
}
