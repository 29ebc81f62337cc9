/** What is typed in the fields of a form, by the tables of fields, and what of it is sent to the API. */

import type { Field, Fields } from '../../domain/fields.ts';
import { localIn } from './times.ts';

/** Units of a length of time, in seconds. */
export const units = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
export type Unit = keyof typeof units;

/** A length of time as people type it: a number and its unit. */
export interface Length {
  count: string;
  unit: Unit;
}

/** A length in its largest whole unit; blank for null. */
export function lengthOf(seconds: number | null): Length {
  if (seconds === null) return { count: '', unit: 'minutes' };
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

/** Text that is no number is sent as it is: the API says what is wrong with it. */
function wholeNumber(text: string): number {
  const trimmed = text.trim();
  return /^-?\d{1,9}$/.test(trimmed) ? Number(trimmed) : (text as unknown as number);
}

/** A text, unless the field is a length of time or a box to tick. */
type Typed<Of extends Field> = Of['form'] extends 'duration'
  ? Length
  : Of['form'] extends 'flag'
    ? boolean
    : string;

/** What is typed in each field of a table. */
export type TypedIn<Of extends Fields> = { readonly [Name in keyof Of]: Typed<Of[Name]> };

/** A table without some of its fields. */
export function without<Of extends Fields, Name extends keyof Of>(
  fields: Of,
  names: readonly Name[],
): Omit<Of, Name> {
  const left = Object.entries(fields).filter(([name]) => !names.some((other) => other === name));
  return Object.fromEntries(left) as Omit<Of, Name>;
}

/** What a form shows of a record, and the defaults where that has nothing; times in a zone. */
export function typedIn<Of extends Fields>(
  fields: Of,
  record: object | null,
  zone: string,
): TypedIn<Of> {
  const known = new Map(Object.entries(record ?? {}));
  const typed = Object.entries(fields).map(([name, { form, default: usual = null }]) => {
    const value = known.get(name) ?? usual;
    if (form === 'duration') return [name, lengthOf(value as number | null)];
    if (form === 'flag') return [name, value === true];
    if (form === 'time') return [name, value === null ? '' : localIn(value as string, zone)];
    return [name, value === null ? '' : String(value)];
  });
  return Object.fromEntries(typed) as TypedIn<Of>;
}

/** What was typed in the fields of a table, as the API takes it. */
export function sentOf<Of extends Fields>(
  fields: Of,
  typed: TypedIn<Of>,
): Record<keyof Of, unknown> {
  const sent = Object.entries(fields).map(([name, field]) => [name, sentValue(field, typed[name])]);
  return Object.fromEntries(sent) as Record<keyof Of, unknown>;
}

function sentValue({ form, default: usual }: Field, typed: unknown): unknown {
  if (typeof typed === 'boolean') return typed;
  if (typeof typed === 'object') {
    const length = typed as Length;
    return usual === null && length.count.trim() === '' ? null : secondsOf(length);
  }
  const text = typed as string;
  if (usual === null && (form === 'content' ? text : text.trim()) === '') return null;
  return form === 'count' || form === 'seconds' ? wholeNumber(text) : text;
}
