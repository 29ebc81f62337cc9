/**
 * Rules of the fields that people set. Each subject has a table of them, the one place of its limits: the API's schemas,
 * the definition files and the command line read it. A rule is a piece of JSON Schema; lengths count characters.
 */

import { tooLong, unstorable } from './characters.ts';
import { parseIsoTime } from './clock.ts';
import { got, invalidInput } from './errors.ts';

export interface FieldRule {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly enum?: readonly (string | null)[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Any characters but U+0000, which not every database can keep in a text. */
const pattern = String.raw`^[^\x00]*$`;

/** The names of everything that people name: jobs, monitors, channels, keys and accounts. */
export const nameRule = { type: 'string', minLength: 1, maxLength: 120, pattern } as const;
export const notesRule = { type: 'string', maxLength: 4_000, pattern } as const;

/** What an update of a job or a monitor may ask for besides changed fields (docs/behavior.md#job-7). */
export const actions = ['pause', 'resume'] as const;
export type Action = (typeof actions)[number];

/** The values that a rule allows. */
export type ValueOf<Rule> = Rule extends { enum: readonly (infer Word)[] }
  ? Word
  : Rule extends { type: 'integer' }
    ? number
    : Rule extends { type: 'boolean' }
      ? boolean
      : string;

/**
 * What a value should be instead, as the rest of a sentence that begins with the name of its field. Undefined if it keeps
 * the rule; its type has been checked before. `shown` is the value as the sentence may repeat it.
 */
export function brokenRule(
  rule: Omit<FieldRule, 'type'>,
  value: unknown,
  shown?: string,
): string | undefined {
  const given = (): string => `got ${shown ?? JSON.stringify(value)}`;
  const { enum: words, minLength = 0, maxLength = Infinity, minimum, maximum } = rule;
  if (words !== undefined && !words.includes(value as string | null)) {
    return `must be one of ${words.map(String).join(', ')}, ${given()}`;
  }
  if (typeof value === 'number' && minimum !== undefined && maximum !== undefined) {
    const isInside = value >= minimum && value <= maximum;
    return isInside ? undefined : `must be between ${minimum} and ${maximum}, ${given()}`;
  }
  if (typeof value !== 'string') return undefined;
  if (minLength > 0 && value.trim() === '')
    return `must not be ${value === '' ? 'empty' : 'blank'}`;
  return unstorable(value) ?? tooLong(value, maxLength);
}

/** Checks the fields that are given. Throws `invalid_input`, naming the first field that breaks its rule. */
export function checkFields(rules: Readonly<Record<string, FieldRule>>, fields: object): void {
  for (const [name, value] of Object.entries(fields)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    const problem = rule && value !== null && brokenRule(rule, value);
    if (problem) throw invalidInput(`${name} ${problem}`);
  }
}

/** Checks that no value is there twice; `nameOf` names the field at an index. Throws `invalid_input`. */
export function checkDistinct(values: readonly string[], nameOf: (index: number) => string): void {
  const seen = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const first = seen.get(value);
    if (first !== undefined) {
      const both = value.slice(0, 63);
      throw invalidInput(`${nameOf(index)} must differ from ${nameOf(first)}, both are ${both}`);
    }
    seen.set(value, index);
  }
}

/** Reads the date and time of a field, as epoch milliseconds. Throws `invalid_input`, naming the field. */
export function readTime(field: string, text: string): number {
  const at = parseIsoTime(text);
  if (at !== null) return at;
  const right = 'ISO 8601 with an offset or Z such as 2026-03-28T12:00:00+01:00';
  throw invalidInput(`${field} must be a date and time in ${right}, ${got(text)}`);
}
