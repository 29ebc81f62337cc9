/** Converts whole numbers in query strings, strictly, before they are validated. */

import type { TSchema } from 'typebox';

/** Decimal digits only: `1e1`, `0x10`, ` 10` and `1.0` are not accepted. */
const wholeNumberPattern = /^-?\d{1,15}$/;

/** Creates a function that replaces, in a parsed query, strings by numbers where the schema requires an integer. */
export function wholeNumberParser(schema: TSchema): (query: Record<string, unknown>) => void {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> };
  const names = Object.keys(properties).filter((name) => properties[name]?.type === 'integer');
  return (query) => {
    for (const name of names) {
      const value = query[name];
      if (typeof value === 'string' && wholeNumberPattern.test(value)) query[name] = Number(value);
    }
  };
}
