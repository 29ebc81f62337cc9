/** Schemas of the contract as the published description has them: those with a title once, by name. */

import type { TSchema } from 'typebox';

/** JSON Schema 2020-12, as far as the contract uses it. */
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
}

const refPrefix = '#/components/schemas/';

/** Where a value stands, and no schema, though it may look like one. */
const valueKeywords = new Set(['default', 'enum', 'const', 'examples']);

/** Copies a schema; its titled parts, itself included, go to `components` and leave a reference. */
export function publish(schema: TSchema, components: Map<string, Schema>): Schema {
  // Through JSON, as what TypeBox knows besides is not for publication.
  return lift(JSON.parse(JSON.stringify(schema)), components) as Schema;
}

/** Follows a reference, if it is one. */
export function resolve(schema: Schema, components: Record<string, Schema>): Schema {
  return schema.$ref === undefined ? schema : (components[refName(schema.$ref)] ?? {});
}

/** The name that a reference ends in. */
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
  return typeof copy.title === 'string' ? reference(copy.title, copy, components) : copy;
}

/** TypeBox writes a record as a pattern that every name matches; generators read the plain form. */
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
