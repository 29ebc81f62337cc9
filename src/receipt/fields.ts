/** Reading the members of an object: exactly the known ones, each of its type. */

import type { Json, JsonObject } from './json.ts';
import { invalid, shown } from './refusal.ts';
import type { Refusal } from './refusal.ts';

/** The object that a value is. `what` names it in the words of a refusal. */
export function objectOf(value: Json | undefined, what: string): JsonObject {
  if (value instanceof Map) return value;
  throw invalid(value === undefined ? `${what} is missing` : `${what} is not an object`);
}

/** Throws Refusal if an object has members other than these. */
export function demandOnly(object: JsonObject, names: readonly string[], what: string): void {
  for (const name of object.keys()) {
    if (!names.includes(name)) throw invalid(`${what} has an unknown field ${shown(name)}`);
  }
}

/** The text that a member is. */
export function textOf(object: JsonObject, name: string, what: string): string {
  const value = object.get(name);
  if (typeof value === 'string') return value;
  throw wrongField(value, name, what, 'a text');
}

/** Why the value of a member is refused. */
export function wrongField(
  value: Json | undefined,
  name: string,
  what: string,
  right: string,
): Refusal {
  if (value === undefined) return invalid(`${what} has no ${name}`);
  const got = typeof value === 'object' && value !== null ? '' : `, got ${shown(String(value))}`;
  return invalid(`${name} of ${what} must be ${right}${got}`);
}
