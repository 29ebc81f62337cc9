/** Untrusted JSON: read like JSON.parse, and refused wherever two readers could differ. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../support/fast-check.ts';
import { fromBase64url, toBase64url } from '../../src/receipt/base64.ts';
import { maxDocumentBytes, readJson, type Json } from '../../src/receipt/json.ts';
import { Refusal } from '../../src/receipt/refusal.ts';

const read = (text: string): Json => readJson(Buffer.from(text));

test('accepted JSON means what JSON.parse returns', () => {
  const whole = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'grapheme' }),
      fc.maxSafeInteger().map((number) => number + 0),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(fc.string(), tie('value')),
    ),
  })).value;
  fc.assert(
    fc.property(whole, fc.constantFrom(0, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.deepEqual(plainOf(read(text)), JSON.parse(text));
    }),
    { numRuns: 300 },
  );
});

test('any ambiguity is refused with its reason', () => {
  const rows: [text: string, kind: string, words: RegExp][] = [
    ['', 'unreadable', /the file is empty/],
    ['{"a":1', 'unreadable', /ends too early/],
    ['{"a":1}}', 'unreadable', /"}" at character 8/],
    ['[1,]', 'unreadable', /"]" at character 4/],
    ['{,}', 'unreadable', /at character 2/],
    ['{a:1}', 'unreadable', /"a" at character 2/],
    ["{'a':1}", 'unreadable', /at character 2/],
    ['nul', 'unreadable', /at character 1/],
    ['truely', 'unreadable', /"l" at character 5|"y"/],
    ['"a', 'unreadable', /at character 1/],
    ['"\t"', 'unreadable', /at character 1/],
    [String.raw`"\x41"`, 'unreadable', /at character 1/],
    ['\u00a0{}', 'unreadable', /"\\u00a0" at character 1/],
    ['\ufeff{}', 'unreadable', /byte order mark/],
    ['NaN', 'unreadable', /not JSON/],
    ['{"a":1,"a":1}', 'invalid', /two members named "a"/],
    [String.raw`{"a":1,"\u0061":2}`, 'invalid', /two members named "a"/],
    ['[{"b":{"\\u001b":1,"\\u001b":2}}]', 'invalid', /two members named "\\u001b"/],
    ['1.0', 'invalid', /"1.0" is not a plain whole number/],
    ['1e2', 'invalid', /plain whole/],
    ['-0', 'invalid', /plain whole/],
    ['9007199254740992', 'invalid', /plain whole/],
    [String.raw`"\ud83d"`, 'invalid', /not Unicode/],
    [`${'['.repeat(17)}${']'.repeat(17)}`, 'invalid', /nested more than 16/],
  ];
  for (const [text, kind, words] of rows) {
    assert.throws(
      () => read(text),
      (error: unknown) => {
        assert.ok(error instanceof Refusal, String(error));
        assert.match(error.message, words, text);
        assert.equal(error.kind, kind, text);
        return true;
      },
      text,
    );
  }
});

test('bytes that are not UTF-8 are refused: readers could replace them differently', () => {
  for (const bytes of [
    [0xff],
    [0x22, 0xc0, 0xaf, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xe2],
  ]) {
    assert.throws(() => readJson(Uint8Array.from(bytes)), /not UTF-8/);
  }
});

test('a document may have its maximum size and no byte more', () => {
  const fits = `"${'a'.repeat(maxDocumentBytes - 2)}"`;
  assert.equal(read(fits), fits.slice(1, -1));
  assert.throws(() => read(` ${fits}`), /it has 65537 bytes, more than 65536/);
});

test('base64url: each sequence of bytes has exactly one accepted text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const text = toBase64url(bytes);
      assert.equal(text, Buffer.from(bytes).toString('base64url'));
      assert.deepEqual(fromBase64url(text), bytes);
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[\w-]{0,12}$/), (text) => {
      const bytes = fromBase64url(text);
      if (bytes !== undefined) assert.equal(toBase64url(bytes), text);
    }),
    { numRuns: 2_000 },
  );
  for (const text of ['A', 'AB', 'AAB', 'AA==', 'AA=', 'A+', 'A/', 'AA\n', ' AA', 'ÄA', 'AAAAA']) {
    assert.equal(fromBase64url(text), undefined, text);
  }
});

function plainOf(value: Json): unknown {
  if (value instanceof Map) {
    const members = [...value].map(([name, member]) => [name, plainOf(member)] as const);
    return Object.fromEntries(members);
  }
  return Array.isArray(value) ? value.map(plainOf) : value;
}
