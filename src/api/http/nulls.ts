/**
 * Null in a request. Generated clients send it for fields that were not set, so in a field that may be left out and has no null
 * of its own it means "not given" (docs/behavior.md#api-10).
 */

/** The part of JSON Schema that says which fields an object has. */
interface Shape {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  items?: Shape;
  anyOf?: readonly Shape[];
}

/** Removes such nulls from a body, in place. The work is bounded by the body: what its schema does not name is not looked at. */
export function dropNulls(schema: Shape, body: unknown): void {
  for (const choice of schema.anyOf ?? []) dropNulls(choice, body);
  if (Array.isArray(body)) {
    if (schema.items !== undefined) for (const item of body) dropNulls(schema.items, item);
    return;
  }
  if (typeof body !== 'object' || body === null) return;
  const fields = body as Record<string, unknown>;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(fields, name)) continue;
    if (fields[name] !== null) dropNulls(field, fields[name]);
    else if (isOptional(schema, name) && !takesNull(field)) delete fields[name];
  }
}

/** The schema as it is published: each field that may be left out takes null. */
export function withNulls<T extends Shape>(schema: T): T {
  const { properties, items, anyOf } = schema;
  const shown = Object.entries(properties ?? {}).map(([name, field]) => {
    const inner = withNulls(field);
    return [name, isOptional(schema, name) && !takesNull(field) ? orNull(inner) : inner];
  });
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(shown) }),
    ...(items && { items: withNulls(items) }),
    ...(anyOf && { anyOf: anyOf.map(withNulls) }),
  };
}

function isOptional({ required = [] }: Shape, name: string): boolean {
  return !required.includes(name);
}

function takesNull({ type = [], anyOf = [] }: Shape): boolean {
  return [type].flat().includes('null') || anyOf.some(takesNull);
}

/** The same or null: shorter than a union, and its errors name both types. */
export function orNull(schema: Shape): Shape {
  const { type = [], enum: words } = schema;
  return { ...schema, type: [type, 'null'].flat(), ...(words && { enum: [...words, null] }) };
}
