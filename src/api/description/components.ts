/** Schemas as the API description contains them: each titled schema once, by name, its defaults in words. */

import type { TSchema } from 'typebox';

/** The part of JSON Schema 2020-12 that the contracts use. */
export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  anyOf?: Schema[];
}

const refPrefix = '#/components/schemas/';

/** Keywords that contain values, which may look like schemas. */
const valueKeywords = new Set(['default', 'enum', 'const', 'examples']);

/** Copies a schema. Titled parts, the schema itself included, move to `components` and leave a reference. */
export function publish(schema: TSchema, components: Map<string, Schema>): Schema {
  // Through JSON: this drops what TypeBox adds.
  return lift(JSON.parse(JSON.stringify(schema)), components) as Schema;
}

/** Follows a reference, if it is one. */
export function resolve(schema: Schema, components: Record<string, Schema>): Schema {
  return schema.$ref === undefined ? schema : (components[refName(schema.$ref)] ?? {});
}

/** The last part of a reference. */
export function refName(ref: string): string {
  return ref.slice(refPrefix.length);
}

function lift(node: unknown, components: Map<string, Schema>): unknown {
  if (Array.isArray(node)) return node.map((item) => lift(item, components));
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      valueKeywords.has(key) ? value : lift(value, components),
    ]),
  ) as Schema & { patternProperties?: object };
  widenRecord(copy);
  return typeof copy.title === 'string'
    ? reference(copy.title, sayDefaults(copy), components)
    : copy;
}

/** TypeBox writes a record as a pattern that matches every name. Generators read `additionalProperties`. */
function widenRecord(schema: Schema & { patternProperties?: object }): void {
  const [[pattern, values] = [], ...others] = Object.entries(schema.patternProperties ?? {});
  if (pattern !== '^.*$' || others.length > 0) return;
  delete schema.patternProperties;
  schema.additionalProperties = values as Schema;
}

function reference(title: string, schema: Schema, components: Map<string, Schema>): Schema {
  const known = components.get(title);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`two different schemas have the title ${title}`);
  }
  components.set(title, schema);
  return { $ref: refPrefix + title };
}

/**
 * Moves the defaults of an object's fields into their descriptions. As a keyword, a default makes the field required in the
 * types of some generators, and clients of others send it along, where it may contradict the fields that were set.
 */
function sayDefaults(schema: Schema): Schema {
  for (const field of Object.values(schema.properties ?? {})) {
    const { default: fallback, description = '' } = sayDefaults(field);
    if (fallback === undefined) continue;
    delete field.default;
    field.description = `${description} Default: \`${JSON.stringify(fallback)}\`.`.trim();
  }
  return schema;
}
