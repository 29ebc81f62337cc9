/**
 * Updates may contain everything that a GET answered. A field that cannot be set must have its current value: ignoring
 * another value would look like a change. Fields that the service changes may be out of date, and are ignored.
 */

import { parseIsoTime } from './clock.ts';
import { invalidInput } from './errors.ts';

/**
 * The fields of an update that can be set. Fields of `fixed` must have the value given there; fields of `passing` are
 * ignored. Throws `invalid_input`, naming the field.
 */
export function writable<Update extends object, Fixed extends object, Passing extends string>(
  update: Update,
  { fixed, passing }: { fixed: Fixed; passing: readonly Passing[] },
): Omit<Update, keyof Fixed | Passing> {
  const fields = { ...update } as Record<string, unknown>;
  for (const [name, value] of Object.entries(fixed)) {
    const given = fields[name];
    if (given !== undefined && comparable(given) !== comparable(value)) throw readOnly(name, value);
    delete fields[name];
  }
  for (const name of passing) delete fields[name];
  return fields as Omit<Update, keyof Fixed | Passing>;
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
