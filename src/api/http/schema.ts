/** Building blocks of the API's schemas. */

import { Type } from 'typebox';
import type { Static, TArray, TObject, TOptional, TProperties, TSchema, TUnsafe } from 'typebox';
import { asSentence, isTime } from '../../domain/fields.ts';
import type {
  Details,
  Field,
  FieldRule,
  FieldValue,
  Fields,
  ValueOf,
} from '../../domain/fields.ts';
import { orNull } from './nulls.ts';

type Schemas = Record<string, object>;

/** What the published description says of a field besides its rules. */
export interface About {
  description: string;
  /** For readers of the description: the API fills in no value from here. */
  default?: unknown;
  examples?: readonly unknown[];
}

/** A type or null: `type: [T, "null"]`. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  return Type.Unsafe<Static<T> | null>(orNull(schema));
}

/** One of these words. */
export function oneOf<const T extends string>(
  values: readonly T[],
  about: About | string,
): TUnsafe<T> {
  const said = typeof about === 'string' ? { description: about } : about;
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...said });
}

/** Fields that people set, as requests have them: by the rules of their table, with its words and what `details` adds. */
export function inputFields<const Of extends Fields>(fields: Of, details: Details<Of>) {
  return mapEntries(fields, (row, name) => {
    const more = (details as Readonly<Record<string, string>>)[name];
    const description = [aboutField(row), more].filter(Boolean).join(' ');
    const schema = field(row.rule, {
      description,
      ...('default' in row && { default: row.default }),
    });
    return row.default === null || row.canBeNull ? nullable(schema) : schema;
  }) as { [Name in keyof Of]: TUnsafe<FieldValue<Of[Name]>> };
}

/** The same as answers have them, without those that are never shown. One that the specification lacks is left out while it is null. */
export function shownFields<const Of extends Fields>(fields: Of) {
  const shown = Object.entries(fields).filter(([, row]) => !row.isWriteOnly);
  return mapEntries(Object.fromEntries(shown), (row) => {
    const { type, items, enum: words, additionalProperties } = row.rule;
    const inner = {
      ...(items && { items }),
      ...(additionalProperties && { additionalProperties }),
    };
    const rule = { type, ...inner, ...(words && { enum: words }) };
    const schema = field(rule, { description: aboutField(row) });
    if (row.isExtension) return Type.Optional(schema);
    return row.default === null || row.canBeNull ? nullable(schema) : schema;
  }) as {
    [Name in keyof Of as Of[Name] extends { isWriteOnly: true } ? never : Name]: Of[Name] extends {
      isExtension: true;
    }
      ? TOptional<TUnsafe<NonNullable<FieldValue<Of[Name]>>>>
      : TUnsafe<FieldValue<Of[Name]>>;
  };
}

/** What a field is, in a sentence. */
export function aboutField(row: Field): string {
  const clause = isTime(row) ? `${row.help} (in seconds)` : row.help;
  return row.isExtension ? `Extension: ${clause}.` : asSentence(clause);
}

/** A field by a rule of its own. */
export function field<const Rule extends FieldRule>(
  rule: Rule,
  about: About,
): TUnsafe<ValueOf<Rule>> {
  const words = rule.enum && { enum: [...rule.enum] };
  return Type.Unsafe<ValueOf<Rule>>({ ...rule, ...words, ...about });
}

/** An object inside an answer, which has no name of its own. */
export function part<P extends TProperties>(description: string, properties: P): TObject<P> {
  return Type.Object(properties, { description });
}

/** An array. */
export function array<T extends TSchema>(items: T, description: string): TArray<T> {
  return Type.Array(items, { description });
}

/** A string. */
export function text(description: string): ReturnType<typeof Type.String> {
  return Type.String({ description });
}

/** A string, or null. */
export function textOrNull(description: string): TUnsafe<string | null> {
  return nullable(text(description));
}

/** A whole number. */
export function integer(description: string): ReturnType<typeof Type.Integer> {
  return Type.Integer({ description });
}

/** A whole number, or null. */
export function integerOrNull(description: string): TUnsafe<number | null> {
  return nullable(integer(description));
}

/** True or false. */
export function flag(description: string): ReturnType<typeof Type.Boolean> {
  return Type.Boolean({ description });
}

/** A moment: ISO 8601 in UTC with milliseconds and `Z`. */
export function moment(description: string): ReturnType<typeof Type.String> {
  return Type.String({ format: 'date-time', description });
}

/** A moment, or null where there was none. */
export function momentOrNull(description: string): TUnsafe<string | null> {
  return nullable(moment(description));
}

/** What windows do to a job or monitor. */
export const covered = optional({
  mutedUntil: moment(
    'Extension: until when windows mute its alerts, at least; absent if they do not.',
  ),
  heldUntil: moment('Extension: until when windows hold it, at least; absent if they do not.'),
});

/** An id: a UUID of version 7. Answers show it in lower case; requests may use upper case. */
export function id(description: string): ReturnType<typeof Type.String> {
  return Type.String({ format: 'uuid', description });
}

/** An id, or null. */
export function idOrNull(description: string): TUnsafe<string | null> {
  return nullable(id(description));
}

/** A query may contain these parameters and no others. */
export function query<P extends TProperties>(parameters: P): TObject<P> {
  return Type.Object(parameters, { additionalProperties: false });
}

/** What a request may contain: these fields and no others. Published as `title`. */
export function input<P extends TProperties>(
  title: string,
  description: string,
  examples: readonly object[],
  fields: P,
): TObject<P> {
  return Type.Object(fields, { additionalProperties: false, title, description, examples });
}

/** What answers show. Published as `title`. */
export function output<P extends TProperties>(
  title: string,
  description: string,
  example: object,
  fields: P,
): TObject<P> {
  return Type.Object(fields, { title, description, examples: [example] });
}

/** An answer that names what it contains. Its example is composed of theirs unless it is given. */
export function envelope<P extends TProperties>(
  title: string,
  parts: P,
  example: object = Object.fromEntries(
    Object.entries(parts).map(([name, schema]) => [name, exampleOf(schema)]),
  ),
): TObject<P> {
  return Type.Object(parts, { title, examples: [example] });
}

function exampleOf({
  type,
  items,
  examples,
}: {
  type?: unknown;
  items?: object;
  examples?: unknown[];
}): unknown {
  if (type === 'boolean') return false;
  return items === undefined ? (examples?.[0] ?? null) : [exampleOf(items)];
}

/** The same fields, none of them required. */
export function optional<P extends TProperties>(fields: P) {
  return Type.Partial(Type.Object(fields)).properties;
}

/** Fields of an answer that an update may contain and cannot change. */
export function readOnly<T extends Schemas>(fields: T): T {
  return mapFields(fields, (schema) => ({ ...schema, readOnly: true }));
}

/** The same fields for an update: defaults apply at creation only. */
export function withoutDefaults<T extends Schemas>(fields: T): T {
  return mapFields(fields, (schema: { default?: unknown }) => {
    const { default: _, ...rest } = schema;
    return rest;
  });
}

function mapFields<T extends Schemas>(fields: T, change: (schema: object) => object): T {
  return mapEntries(fields, change) as T;
}

function mapEntries<T>(
  fields: Readonly<Record<string, T>>,
  change: (value: T, name: string) => unknown,
): object {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value, name)]));
}

/** How a header's name is usually written: `idempotency-key` becomes Idempotency-Key. */
export function headerName(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
