/**
 * Updates may contain everything that a GET answered. A field that cannot be set must have its current value: ignoring
 * another value would look like a change. Fields that the service changes may be out of date, and are ignored.
 */

import { parseIsoTime } from './clock.ts';
import { invalidInput } from './errors.ts';
import type { Fields } from './fields.ts';

/**
 * The fields of a table that an update sets. Those of `fixed` must have the value given there, and others are ignored. Throws
 * `invalid_input`, naming the field.
 */
export function writable<Of extends Fields, Update extends object, Fixed extends object>(
  fields: Of,
  update: Update,
  fixed: Fixed,
): Omit<Pick<Update, keyof Of & keyof Update>, keyof Fixed> {
  const given = update as Record<string, unknown>;
  for (const [name, value] of Object.entries(fixed)) {
    const isOther = given[name] !== undefined && comparable(given[name]) !== comparable(value);
    if (isOther) throw readOnly(name, value);
  }
  const kept = Object.entries(update).filter(
    ([name]) => Object.hasOwn(fields, name) && !Object.hasOwn(fixed, name),
  );
  return Object.fromEntries(kept) as Omit<Pick<Update, keyof Of & keyof Update>, keyof Fixed>;
}

/** Libraries write the same time, and unordered lists, in several ways. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return JSON.stringify((value as string[]).toSorted());
  return typeof value === 'string' ? (parseIsoTime(value) ?? value) : value;
}

/** What to set instead. */
const settable: Record<string, string> = {
  headerNames: 'set headers',
  paused: 'use action',
  status: 'use action to pause or resume',
};

function readOnly(name: string, value: unknown): Error {
  const remedy = settable[name] ?? 'leave it out';
  return invalidInput(`${name} cannot be set, it is ${JSON.stringify(value)}: ${remedy}`);
}
