/**
 * What a field is that people set. Each field of a job, a monitor or a channel has one row in the table of its subject
 * (`fields.ts` there): its schema and description in the API, its check, its option, its key in definition files, its label,
 * its column and its type are made from that row.
 */

import { tooLong, unstorable } from './characters.ts';
import { parseIsoTime } from './clock.ts';
import { got, invalidInput } from './errors.ts';

/** The rule of a field by itself: a piece of JSON Schema. Lengths count characters. */
export interface FieldRule {
  readonly type: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  readonly enum?: readonly (string | null)[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: FieldRule & { readonly format?: string; readonly description?: string };
  readonly maxItems?: number;
  /** Of an object whose keys people choose. */
  readonly additionalProperties?: { readonly type: 'string' };
}

/**
 * How people write a value: `content` is a text or a file, `secret` a file alone, `duration` is `5m`, `seconds` is that or a
 * number alone, `time` a date and time, `labels` are `client=acme`. What is `special` is written in a way of its own.
 */
export type Form =
  | 'text'
  | 'url'
  | 'word'
  | 'words'
  | 'count'
  | 'duration'
  | 'seconds'
  | 'time'
  | 'flag'
  | 'content'
  | 'secret'
  | 'labels'
  | 'special';

export interface Field {
  readonly form: Form;
  readonly rule: FieldRule;
  /** What forms and differences call it. */
  readonly label: string;
  /** What it is, as a clause that begins with a small letter: the help of its option, and the beginning of longer texts. */
  readonly help: string;
  /** What it has where nothing is given. A field whose default is null can be set to null. */
  readonly default?: unknown;
  /** What else decides that. */
  readonly defaultNote?: string;
  /** Whether it can be null although that is not its default. */
  readonly canBeNull?: true;
  /** Whether the specification does not have it: answers leave it out while it is null. */
  readonly isExtension?: true;
  /** Whether no answer shows it. */
  readonly isWriteOnly?: true;
  /** Its key in definition files, where `keyOf` would make another one of its name. */
  readonly key?: string;
  /** Its option, where that is not its key. */
  readonly option?: string;
  /** The option that takes it away, and its help. */
  readonly off?: readonly [option: string, help: string];
}

/** The fields of a subject by their names in the API, in the order in which they are shown. */
export type Fields = Readonly<Record<string, Field>>;

/** What the description of the API adds about fields. A function has it, so that pages can leave it out. */
export type Details<Of extends Fields> = Readonly<Partial<Record<keyof Of, string>>>;

/** The values that a rule allows. */
export type ValueOf<Rule> = Rule extends { enum: readonly (infer Word)[] }
  ? Word
  : Rule extends { type: 'integer' }
    ? number
    : Rule extends { type: 'boolean' }
      ? boolean
      : Rule extends { type: 'array'; items: infer Item }
        ? readonly ValueOf<Item>[]
        : Rule extends { type: 'object'; additionalProperties: object }
          ? Readonly<Record<string, string>>
          : Rule extends { type: 'object' }
            ? object
            : string;

/** The values of a field. */
export type FieldValue<Of> = Of extends { rule: infer Rule }
  ? ValueOf<Rule> | (Of extends { default: null } | { canBeNull: true } ? null : never)
  : never;

/** The values of all fields of a table. */
export type ValuesOf<Of extends Fields> = { -readonly [Name in keyof Of]: FieldValue<Of[Name]> };

/** What the fields of a table have where nothing is given, of those that have a default. */
export type DefaultsOf<Of extends Fields> = {
  readonly [
    Name in keyof Of as Of[Name] extends { default: unknown } ? Name : never
  ]: Of[Name] extends { default: infer Default } ? Default : never;
};

/** The defaults of a table. */
export function defaultsOf<Of extends Fields>(fields: Of): DefaultsOf<Of> {
  const entries = Object.entries(fields).filter(([, field]) => 'default' in field);
  const values = entries.map(([name, field]) => [name, field.default]);
  return Object.fromEntries(values) as DefaultsOf<Of>;
}

/** What a record has of the fields of a table. */
export function valuesIn<Of extends Fields, From extends object>(
  fields: Of,
  record: From,
): Pick<From, keyof Of & keyof From> {
  return wantedValues(fields, record, () => true) as Pick<From, keyof Of & keyof From>;
}

type Shown<Of extends Fields, From> = {
  [
    Name in keyof Of & keyof From as Of[Name] extends { isWriteOnly: true } | { isExtension: true }
      ? never
      : Name
  ]: From[Name];
} & {
  [
    Name in keyof Of & keyof From as Of[Name] extends { isWriteOnly: true }
      ? never
      : Of[Name] extends { isExtension: true }
        ? Name
        : never
  ]?: NonNullable<From[Name]>;
};

/** What answers show of a record: nothing that is only written, and an extension only where it is not null. */
export function shownValues<Of extends Fields, From extends object>(
  fields: Of,
  record: From,
): Shown<Of, From> {
  return wantedValues(fields, record, isShown) as Shown<Of, From>;
}

function isShown({ isWriteOnly, isExtension }: Field, value: unknown): boolean {
  return !isWriteOnly && !(isExtension && value === null);
}

/** Lists make it of each row: entries would take ten times as long. */
function wantedValues(
  fields: Fields,
  record: object,
  isWanted: (field: Field, value: unknown) => boolean,
): object {
  const all = record as Readonly<Record<string, unknown>>;
  const values: Record<string, unknown> = {};
  for (const name in fields) {
    const field = fields[name];
    if (field === undefined || !Object.hasOwn(record, name)) continue;
    const value = all[name];
    if (isWanted(field, value)) values[name] = value;
  }
  return values;
}

/** The key of a field in definition files: `timeoutSeconds` is `timeout` there. */
export function keyOf(name: string, { key }: Pick<Field, 'key'>): string {
  const kebab = name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
  return key ?? kebab.replace(/-seconds$/, '');
}

/** The option that sets a field: `--timeout`. */
export function optionFor(name: string, field: Pick<Field, 'key' | 'option'>): string {
  return `--${field.option ?? keyOf(name, field)}`;
}

/** Whether a value is a number of seconds. */
export function isTime({ form }: Pick<Field, 'form'>): boolean {
  return form === 'duration' || form === 'seconds';
}

/** A label inside a sentence: `time zone`, `URL`. */
export function labelInside(label: string): string {
  const isShortened = /^[A-Z]{2}/.test(label);
  return isShortened ? label : label.charAt(0).toLowerCase() + label.slice(1);
}

/** A clause as a sentence. */
export function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

/** Any characters but U+0000, which not every database can keep in a text. */
const storable = String.raw`^[^\x00]*$`;

/** The names of everything that people name: jobs, monitors, channels, keys and accounts. */
export const nameRule = {
  type: 'string',
  minLength: 1,
  maxLength: 120,
  pattern: storable,
} as const;

/** The name of a job, a monitor, a channel, an account. */
export const nameField = {
  form: 'text',
  rule: nameRule,
  label: 'Name',
  help: 'its name for people',
} as const satisfies Field;

export const notesField = {
  form: 'text',
  rule: { type: 'string', maxLength: 4_000, pattern: storable },
  label: 'Notes',
  help: 'notes for people',
  default: '',
} as const satisfies Field;

/** What an update of a job or a monitor may ask for besides changed fields (docs/behavior.md#job-7). */
export const actions = ['pause', 'resume'] as const;
export type Action = (typeof actions)[number];

/** Any character but blanks, the one of Braille too, controls and what Unicode shows as nothing. */
const visible = /[^\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

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
  const { enum: words, pattern, minLength = 0, maxLength = Infinity } = rule;
  const { minimum, maximum } = rule;
  if (words !== undefined && !words.includes(value as string | null)) {
    return `must be one of ${words.map(String).join(', ')}, ${given()}`;
  }
  if (typeof value === 'number' && minimum !== undefined && maximum !== undefined) {
    const isInside = value >= minimum && value <= maximum;
    return isInside ? undefined : `must be between ${minimum} and ${maximum}, ${given()}`;
  }
  if (Array.isArray(value)) {
    const { maxItems = Infinity } = rule;
    if (value.length <= maxItems) return undefined;
    return `must have at most ${maxItems} entries, got ${value.length}`;
  }
  if (typeof value !== 'string') return undefined;
  if (minLength > 0 && !visible.test(value))
    return `must not be ${value === '' ? 'empty' : 'blank'}`;
  return (pattern === undefined ? undefined : unstorable(value)) ?? tooLong(value, maxLength);
}

/** Checks the values that are given. Throws `invalid_input`, naming the first field that breaks its rule. */
export function checkFields(fields: Fields, values: object): void {
  for (const [name, value] of Object.entries(values)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const problem = field && value !== null && brokenRule(field.rule, value);
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
