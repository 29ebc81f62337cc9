/** JSON is indented without being changed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, json, nat, property } from '../../support/fast-check.ts';
import { pretty } from '../../../src/dashboard/view/json.ts';

test('numbers, duplicate keys, escapes and __proto__ stay as they were sent', () => {
  const source = String.raw`{"id":9007199254740993,"a":1.10,"a":1e400,"__proto__":{"x":"\u0041\/"},"e":{},"l":[ ]}`;
  assert.equal(
    pretty(source),
    String.raw`{
  "id": 9007199254740993,
  "a": 1.10,
  "a": 1e400,
  "__proto__": {
    "x": "\u0041\/"
  },
  "e": {},
  "l": []
}`,
  );
});

test('every JSON text is indented as JSON.stringify does', () => {
  check(
    property(json(), (source) => {
      const value: unknown = JSON.parse(source);
      // What JSON.stringify writes, it writes again.
      const written = JSON.stringify(value);
      assert.equal(pretty(written), JSON.stringify(value, null, 2));
    }),
  );
});

test('JSON that was cut off anywhere is indented as far as it goes', () => {
  check(
    property(json(), nat(), (source, place) => {
      const whole = JSON.stringify([JSON.parse(source)]);
      const cut = whole.slice(0, 1 + (place % (whole.length - 1)));
      const shown = pretty(cut);
      assert.ok(shown !== null, cut);
      assert.ok(pretty(whole)?.startsWith(shown.trimEnd()));
    }),
  );
  for (const end of ['t', 'fals', 'nu', '1.', '1.5e', '2E+']) {
    assert.equal(pretty(`[${end}`), `[\n  ${end}`);
  }
  assert.equal(pretty('{"a":[1,-'), '{\n  "a": [\n    1,\n    -');
  assert.equal(
    pretty(String.raw`["a\u00`),
    String.raw`[
  "a\u00`,
  );
});

test('other text is not JSON', () => {
  const texts = [
    '',
    '  ',
    'ok',
    'OK 200',
    'True',
    'tru',
    '"open',
    '<html>',
    '{ok}',
    '[fs',
    '[tu',
    '[1.e',
    '{"a" 1}',
    '{"a":1,}',
    '[1,]',
    '[1}',
    '[]]',
    '{} {}',
    '[01]',
    '[1.]',
    '[trueish]',
    "{'a':1}",
    '[1 2]',
    '[\u00a01]',
    '{"a":1,b',
    '["\n"]',
    String.raw`["\x"]`,
  ];
  for (const text of texts) assert.equal(pretty(text), null, text);
  assert.equal(pretty(' 12\n'), '12');
  assert.equal(pretty('\ufeff{}'), '{}');
});

test('a preview of brackets, quotes or escapes alone becomes no flood', () => {
  for (const unit of ['[', '{"":', '"', '\\', '["', '-', '1', '[1e', '"\\']) {
    const shown = pretty(unit.repeat(4_096).slice(0, 4_096));
    assert.ok((shown?.length ?? 0) < 300_000, unit);
  }
});
