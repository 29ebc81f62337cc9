/** Lengths of time as people type them: a number and its unit. */

import { units } from './schedule-form.ts';
import type { Unit } from './schedule-form.ts';

/** What is in the two fields. */
export interface Length {
  count: string;
  unit: Unit;
}

/** A length in its largest whole unit. */
export function lengthOf(seconds: number): Length {
  const names = Object.keys(units) as Unit[];
  const unit = names.findLast((name) => seconds > 0 && seconds % units[name] === 0) ?? 'minutes';
  return { count: String(seconds / units[unit]), unit };
}

/** The seconds of a length. Text that is no number stays as it is: the API says what is wrong with it. */
export function secondsOf({ count, unit }: Length): number {
  const seconds = Number(count.trim().replace(',', '.')) * units[unit];
  const isNumber = count.trim() !== '' && Number.isFinite(seconds);
  return isNumber ? Math.round(seconds * 1e6) / 1e6 : (count as unknown as number);
}
