/** Canonical JSON (RFC 8785): the RFC's examples, and values without a canonical form. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../support/fast-check.ts';
import { canonicalBytes, canonicalJson } from '../../src/receipt/canonical.ts';
import vectors from '../vectors/canonical-json.json' with { type: 'json' };

test('the examples of the RFC and of its author are reproduced byte for byte', () => {
  assert.equal(vectors.examples.length, 6);
  for (const { name, input, canonical } of vectors.examples) {
    const value: unknown = JSON.parse(input);
    assert.equal(canonicalJson(value), canonical, name);
    assert.deepEqual(canonicalBytes(value), new TextEncoder().encode(canonical), name);
  }
});

test('numbers are written as in appendix B of the RFC', () => {
  assert.equal(vectors.numbers.length, 26);
  for (const [hex, text] of vectors.numbers) {
    const number = Buffer.from(hex ?? '', 'hex').readDoubleBE();
    if (text === null) assert.throws(() => canonicalJson(number), TypeError, hex ?? '');
    else assert.equal(canonicalJson(number), text, hex ?? '');
  }
});

test('member order and white space make no difference, and nothing else is lost', () => {
  const json = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 });
  fc.assert(
    fc.property(json, (value) => {
      const canonical = canonicalJson(value);
      const again: unknown = JSON.parse(canonical);
      assert.equal(canonicalJson(again), canonical);
      assert.equal(canonicalJson(turned(again)), canonical);
      assert.deepEqual(again, JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 300, examples: [[{ b: 1, a: [{ '€': 1, '\r': 2, '1': 3, '😂': 4 }] }]] },
  );
});

test('values that JSON cannot represent are refused, never omitted', () => {
  const values = [
    undefined,
    Number.NaN,
    Infinity,
    1n,
    Symbol('a'),
    () => 1,
    new Date(0),
    new Map(),
  ];
  for (const value of values) {
    for (const place of [value, [value], { a: value }, { a: [{ b: value }] }]) {
      assert.throws(() => canonicalJson(place), TypeError, typeof value);
    }
  }
  for (const text of ['\ud800', 'a\udc00', '\udc00\ud800']) {
    assert.throws(() => canonicalJson(text), /not Unicode/);
    assert.throws(() => canonicalJson({ [text]: 1 }), /not Unicode/);
  }
  // oxlint-disable-next-line no-sparse-arrays -- that is the case
  assert.throws(() => canonicalJson([1, , 2]), TypeError);
});

test('names with a meaning in JavaScript are ordinary names', () => {
  const text = '{"__proto__":{"b":1,"a":2},"constructor":1}';
  assert.equal(canonicalJson(JSON.parse(text)), '{"__proto__":{"a":2,"b":1},"constructor":1}');
});

/** The same value with the members of its objects in reverse order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, turned(member)] as const);
  return Object.fromEntries(members.toReversed());
}
