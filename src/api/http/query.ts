/** Query strings are text: whole numbers in them are read here, strictly, before they are validated. */

import type { TSchema } from 'typebox';

/** Decimal digits and nothing else: `1e1`, `0x10`, ` 10` and `1.0` are no way to write a number here. */
const wholeNumberPattern = /^-?\d{1,15}$/;

/** Makes a function that replaces, in a parsed query, the texts that the schema wants as integers. */
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
